package dev.signalbox.journal.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.signalbox.journal.Chain;
import dev.signalbox.journal.Change;
import dev.signalbox.journal.Group;
import dev.signalbox.journal.Hashing;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.JournalException;
import dev.signalbox.journal.MessageRow;
import dev.signalbox.journal.NewEntry;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the writer does when the file fails it, and when its process ends without closing. */
final class WriterTest {
  @TempDir Path folder;
  private String url;

  @BeforeEach
  void made() {
    Path file = folder.resolve("journal.db");
    SqliteJournal.open(file, InstantSource.system()).close();
    url = "jdbc:sqlite:" + file;
  }

  private static Change creation(Writer writer, String id, String body) {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    byte[] hash = new Hashing().chain(Hashing.origin(), bytes);
    Change change = Change.creation();
    change.entries().add(new NewEntry(Chain.STEPS, 1, hash, bytes, null));
    change.after(
        new InstanceRow(
            writer.reserve(1),
            id,
            1,
            null,
            1,
            InstanceRow.Status.LIVE,
            1,
            hash,
            0,
            Hashing.origin(),
            1,
            1,
            InstanceRow.NEVER,
            bytes));
    return change;
  }

  private static Group group(Change... changes) {
    return new Group(1, List.of(changes));
  }

  private long count(String table) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("select count(*) from " + table)) {
      rows.next();
      return rows.getLong(1);
    }
  }

  /** A connection to a file that may have so many pages. */
  private Connection connect(int pages) throws SQLException {
    Connection connection = DriverManager.getConnection(url);
    try (Statement statement = connection.createStatement()) {
      statement.execute("pragma max_page_count = " + pages);
    }
    return connection;
  }

  @Test
  void a_full_file_takes_a_group_whole_or_not_at_all_and_goes_on_when_there_is_room()
      throws SQLException {
    AtomicInteger room = new AtomicInteger(1);
    Writer writer = new Writer(() -> connect(room.get()));
    writer.append(group(creation(writer, "a", "first")));
    for (int i = 0; i < 3; i++) {
      Group large =
          group(creation(writer, "b", "small"), creation(writer, "c", "large".repeat(10_000)));
      assertThatThrownBy(() -> writer.append(large))
          .isInstanceOf(JournalException.class)
          .hasMessageContaining("the disk is full; make room, then it goes on");
      assertThat(count("entry")).isEqualTo(1);
      assertThat(count("instance")).isEqualTo(1);
    }
    room.set(100_000);
    writer.append(
        group(creation(writer, "b", "small"), creation(writer, "c", "large".repeat(10_000))));
    assertThat(count("entry")).isEqualTo(3);
    assertThat(count("commit_group")).isEqualTo(2);
    writer.close();
  }

  @Test
  void after_a_group_that_failed_what_is_late_is_what_the_file_says() throws SQLException {
    AtomicInteger room = new AtomicInteger(1);
    Writer writer = new Writer(() -> connect(room.get()));
    Change first = creation(writer, "a", "first");
    writer.append(group(first));
    Change second = tick(first.after(), "second");
    writer.append(group(second));
    long position = late(writer, first);
    Change third = tick(second.after(), "third");
    Group large = group(third, creation(writer, "c", "large".repeat(10_000)));
    assertThatThrownBy(() -> writer.append(large)).hasMessageContaining("the disk is full");
    assertThat(late(writer, first)).isEqualTo(position);
    assertThatThrownBy(() -> writer.append(large)).hasMessageContaining("the disk is full");
    room.set(100_000);
    assertThat(late(writer, first)).isEqualTo(position);
    assertThat(writer.append(group(tick(first.after(), "stale"))).lost()).hasSize(1);
    assertThat(writer.append(group(third)).lost()).isEmpty();
    assertThat(late(writer, first)).isGreaterThan(position);
    writer.close();
    assertThat(count("late")).isZero();
    assertThat(count("entry")).isEqualTo(3);
  }

  private static long late(Writer writer, Change change) {
    return writer.places().of(change.after().number()).position();
  }

  private static Change tick(InstanceRow before, String body) {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    byte[] hash = new Hashing().chain(before.head(), bytes);
    Change change = Change.of(before);
    change.entries().add(new NewEntry(Chain.STEPS, before.sequence() + 1, hash, bytes, null));
    change.after(before.recorded(before.sequence() + 1, hash, 2).encoded(bytes));
    return change;
  }

  @Test
  void the_log_is_brought_into_the_file_beside_the_writer() throws Exception {
    Writer writer = new Writer(() -> connect(100_000));
    writer.append(group(creation(writer, "a", "first"), creation(writer, "b", "second")));
    Path file = folder.resolve("journal.db");
    assertThat(copied(file)).isZero();
    LogEmptier log = new LogEmptier(() -> connect(100_000), writer);
    log.ask();
    log.close();
    assertThat(copied(file)).isEqualTo(2);
    writer.append(group(creation(writer, "c", "third")));
    assertThat(count("entry")).isEqualTo(3);
    writer.close();
  }

  /** How many entries are in the file itself, without the log beside it. */
  private long copied(Path file) throws Exception {
    Path copy = Files.copy(file, folder.resolve("copy.db"), StandardCopyOption.REPLACE_EXISTING);
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + copy);
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("select count(*) from entry")) {
      rows.next();
      return rows.getLong(1);
    }
  }

  @Test
  void a_number_is_not_given_away_again_after_its_process_was_killed() throws SQLException {
    Writer killed = new Writer(() -> connect(100_000));
    Change change = creation(killed, "a", "first");
    MessageRow message = new MessageRow(killed.reserve(1), "a", "a", new byte[0]);
    change.messages().add(message);
    killed.append(group(change));
    Change delivery = Change.of(change.after());
    delivery.delivered().add(message.number());
    delivery.after(change.after());
    killed.append(group(delivery));
    assertThat(count("message")).isZero();
    Writer next = new Writer(() -> connect(100_000));
    assertThat(next.reserve(1)).isGreaterThan(message.number());
    next.close();
  }
}
