package dev.signalbox.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import dev.signalbox.journal.sqlite.SqliteJournal;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What happens to a journal whose files are copied, linked, moved, cut off or deleted. */
final class SqliteFilesTest extends JournalFixture {
  private static final Duration NOTICED = Duration.ofSeconds(1);

  @TempDir Path folder;

  private Path file() {
    return folder.resolve("journal.db");
  }

  private Path beside(String suffix) {
    return folder.resolve("journal.db" + suffix);
  }

  @Override
  Journal open() {
    return SqliteJournal.open(file(), clock());
  }

  @Override
  Journal reopen(Journal open) {
    open.close();
    return open();
  }

  /** What a process that dies now leaves behind. */
  private Path crashed(String name) throws IOException {
    Path copy = Files.createDirectories(folder.resolve(name));
    for (String suffix : List.of("", "-wal", ".keys")) {
      if (Files.exists(beside(suffix))) {
        Files.copy(beside(suffix), copy.resolve("journal.db" + suffix));
      }
    }
    return copy.resolve("journal.db");
  }

  @Test
  void a_key_that_was_kept_before_a_crash_is_never_another_instances() throws Exception {
    created("first");
    // Beyond what a commit sets aside.
    long number = journal.reserve(20_000) + 19_999;
    journal.keepKeys(List.of(new InstanceKey(number, bytes("of an instance that never came"))));
    try (Journal after = SqliteJournal.open(crashed("crash"), clock())) {
      long next = after.reserve(1);
      assertThat(next).isGreaterThan(number);
      assertThat(after.key(next)).isNull();
    }
  }

  @Test
  void an_older_journal_beside_newer_keys_gives_none_of_their_numbers() throws Exception {
    created("first");
    Path older = crashed("older");
    List<InstanceKey> keys = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      long number = journal.reserve(1);
      if (i % 1_000 == 0) {
        keys.add(new InstanceKey(number, bytes("key " + number)));
      }
    }
    journal.keepKeys(keys);
    long last = keys.getLast().instance();
    // An erased one too: a file elsewhere may be sealed with it, and must not meet another key.
    journal.destroyKeys(List.of(last));
    Files.copy(beside(".keys"), older.resolveSibling("journal.db.keys"));
    try (Journal restored = SqliteJournal.open(older, clock())) {
      assertThat(restored.reserve(1)).isGreaterThan(last);
    }
  }

  @Test
  void a_file_has_one_owner_whatever_name_leads_to_it() throws Exception {
    Path other = Files.createDirectories(folder.resolve("other"));
    Path link = Files.createSymbolicLink(other.resolve("link.db"), file());
    Path second = Files.createSymbolicLink(other.resolve("second.db"), Path.of("link.db"));
    Path through =
        Files.createSymbolicLink(folder.resolve("through"), folder).resolve("journal.db");
    for (Path name : List.of(link, second, through)) {
      assertThatThrownBy(() -> SqliteJournal.open(name, clock()))
          .isInstanceOf(JournalException.class)
          .hasMessageContaining("another process does");
    }
    ((SqliteJournal) journal).announce("http://localhost:1");
    assertThat(SqliteJournal.announced(second)).isEqualTo("http://localhost:1");
  }

  @Test
  void a_link_to_a_file_that_is_still_to_be_made_is_locked_as_the_file() throws Exception {
    Path target = Files.createDirectories(folder.resolve("target")).resolve("made.db");
    Path link = Files.createSymbolicLink(folder.resolve("dangling.db"), target);
    try (Journal made = SqliteJournal.open(link, clock())) {
      assertThat(made.machines()).isEmpty();
      assertThatThrownBy(() -> SqliteJournal.open(target, clock()))
          .hasMessageContaining("another process does");
    }
    assertThat(target).exists();
    assertThat(folder.resolve("target/made.db.lock")).exists();
  }

  @Test
  void a_file_with_a_second_name_is_refused() throws Exception {
    journal.close();
    Files.createLink(folder.resolve("copy.db"), file());
    for (String name : List.of("copy.db", "journal.db")) {
      assertThatThrownBy(() -> SqliteJournal.open(folder.resolve(name), clock()))
          .isInstanceOf(JournalException.class)
          .hasMessageContaining("hard links");
    }
    Files.delete(folder.resolve("copy.db"));
    journal = open();
  }

  @Test
  void keys_are_found_by_every_name() throws Exception {
    Path other = Files.createDirectories(folder.resolve("other"));
    Path link = Files.createSymbolicLink(other.resolve("link.db"), file());
    journal.keepKeys(List.of(new InstanceKey(7, bytes("a key"))));
    journal.close();
    try (Journal linked = SqliteJournal.open(link, clock())) {
      assertThat(linked.key(7)).isEqualTo(bytes("a key"));
    }
    // As they were kept beside a link once.
    Files.move(beside(".keys"), other.resolve("link.db.keys"));
    try (Journal reading = SqliteJournal.read(link)) {
      assertThat(reading.key(7)).isEqualTo(bytes("a key"));
    }
    try (Journal linked = SqliteJournal.open(link, clock())) {
      assertThat(linked.key(7)).isEqualTo(bytes("a key"));
    }
    journal = open();
    assertThat(journal.key(7)).isEqualTo(bytes("a key"));
  }

  /** Waits until writing fails, and counts what was still acknowledged. */
  private int acknowledgedAfterwards() {
    long since = System.nanoTime();
    for (int i = 0; System.nanoTime() - since < NOTICED.toNanos(); i++) {
      try {
        created("late-" + i);
      } catch (JournalException e) {
        assertThat(e).hasMessageContaining("is not what it was");
        assertThatThrownBy(() -> journal.load("r-1")).isInstanceOf(JournalException.class);
        assertThatThrownBy(() -> journal.query(Query.ALL)).isInstanceOf(JournalException.class);
        assertThatThrownBy(() -> journal.claim("me", List.of("call"), 1, 1))
            .isInstanceOf(JournalException.class);
        assertThatThrownBy(() -> journal.keepKeys(List.of(new InstanceKey(1, bytes("k")))))
            .isInstanceOf(JournalException.class);
        return i;
      }
    }
    return fail("Nothing was noticed within a second.");
  }

  /** Waits until reading fails, though nothing is written. */
  private void assertNoticedByReaders() {
    long since = System.nanoTime();
    while (System.nanoTime() - since < NOTICED.toNanos()) {
      try {
        journal.query(Query.ALL.page(0, 1));
      } catch (JournalException e) {
        return;
      }
      LockSupport.parkNanos(1_000_000);
    }
    fail("Nothing was noticed within a second.");
  }

  /** Something done to the files of a journal that is open. */
  private interface Damage {
    void happen() throws IOException;
  }

  private void assertNothingMoreIsAcknowledged(Damage damage) throws Exception {
    created("r-1");
    damage.happen();
    assertThat(acknowledgedAfterwards()).isZero();
  }

  @Test
  void a_deleted_file_takes_no_more_commits() throws Exception {
    assertNothingMoreIsAcknowledged(() -> Files.delete(file()));
  }

  @Test
  void a_renamed_file_takes_no_more_commits() throws Exception {
    assertNothingMoreIsAcknowledged(() -> Files.move(file(), folder.resolve("moved.db")));
  }

  @Test
  void a_file_that_another_was_put_in_the_place_of_takes_no_more_commits() throws Exception {
    assertNothingMoreIsAcknowledged(() -> {
      Path copy = Files.copy(file(), folder.resolve("copy.db"));
      Files.move(copy, file(), StandardCopyOption.REPLACE_EXISTING);
    });
  }

  @Test
  void a_deleted_folder_takes_no_more_commits() throws Exception {
    assertNothingMoreIsAcknowledged(() -> {
      try (Stream<Path> files = Files.list(folder)) {
        for (Path each : files.toList()) {
          Files.delete(each);
        }
      }
    });
  }

  private static void cutOff(Path file, long size) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.truncate(size);
    }
  }

  @Test
  void a_file_that_was_cut_off_is_noticed() throws Exception {
    journal = reopen(journal);
    created("r-1");
    cutOff(file(), 4_096);
    assertNoticedByReaders();
  }

  @Test
  void a_log_that_was_deleted_is_noticed_and_what_it_had_is_kept() throws Exception {
    InstanceRow row = created("r-1");
    Files.delete(beside("-wal"));
    assertNoticedByReaders();
    journal = reopen(journal);
    assertSame(journal.load("r-1"), row);
  }

  @Test
  void a_log_that_was_cut_off_or_replaced_is_noticed() throws Exception {
    created("r-1");
    cutOff(beside("-wal"), 0);
    assertNoticedByReaders();
  }

  @Test
  void a_log_that_another_was_put_in_the_place_of_is_noticed() throws Exception {
    created("r-1");
    Path copy = Files.copy(beside("-wal"), folder.resolve("copy-wal"));
    Files.move(copy, beside("-wal"), StandardCopyOption.REPLACE_EXISTING);
    assertNoticedByReaders();
  }

  @Test
  void an_older_copy_that_was_written_over_the_file_is_noticed() throws Exception {
    journal = reopen(journal);
    byte[] older = Files.readAllBytes(file());
    for (int i = 0; i < 200; i++) {
      created("r-" + i);
    }
    journal = reopen(journal);
    try (FileChannel channel = FileChannel.open(file(), StandardOpenOption.WRITE)) {
      channel.write(java.nio.ByteBuffer.wrap(older), 0);
    }
    assertNoticedByReaders();
  }

  @Test
  void deleted_keys_and_a_deleted_lock_are_noticed() throws Exception {
    journal.keepKeys(List.of(new InstanceKey(7, bytes("a key"))));
    Files.delete(beside(".lock"));
    assertNoticedByReaders();
    journal = reopen(journal);
    // Longer than a look at the files takes.
    LockSupport.parkNanos(Duration.ofMillis(300).toNanos());
    Files.delete(beside(".keys"));
    assertNoticedByReaders();
  }

  @Test
  void a_store_that_is_gone_is_not_begun_anew_while_its_files_remain() throws Exception {
    journal.keepKeys(List.of(new InstanceKey(7, bytes("a key"))));
    created("r-1");
    journal.close();
    Files.delete(file());
    assertThatThrownBy(this::open)
        .isInstanceOf(JournalException.class)
        .hasMessageContaining("gone")
        .hasMessageContaining("journal.db.keys")
        .hasMessageContaining("Bring the store back");
    assertThatThrownBy(() -> SqliteJournal.read(file())).hasMessageContaining("journal.db.keys");
    assertThat(file()).doesNotExist();
    Files.delete(beside(".keys"));
    assertThatThrownBy(this::open).hasMessageContaining("journal.db.lock");
    Files.createFile(file());
    assertThatThrownBy(this::open).hasMessageContaining("empty");
    Files.delete(beside(".lock"));
    journal = open();
    assertThat(journal.load("r-1")).isNull();
  }

  @Test
  void a_store_that_could_not_be_made_may_be_made_later() throws Exception {
    Path file = folder.resolve("letter.db");
    Files.writeString(file, "Dear auditor, this is not a database at all. ".repeat(100));
    assertThatThrownBy(() -> SqliteJournal.open(file, clock()))
        .isInstanceOf(JournalException.class);
    Path fresh = folder.resolve("fresh.db");
    Files.createFile(folder.resolve("fresh.db.lock"));
    try (Journal made = SqliteJournal.open(fresh, clock())) {
      assertThat(made.machines()).isEmpty();
    }
  }
}
