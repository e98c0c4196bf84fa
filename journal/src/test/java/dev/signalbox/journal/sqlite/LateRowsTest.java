package dev.signalbox.journal.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.journal.Appended;
import dev.signalbox.journal.Chain;
import dev.signalbox.journal.Change;
import dev.signalbox.journal.Group;
import dev.signalbox.journal.Hashing;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.MessageRow;
import dev.signalbox.journal.NewEntry;
import dev.signalbox.journal.PublishedMachine;
import dev.signalbox.journal.Query;
import dev.signalbox.journal.Tombstone;
import dev.signalbox.journal.memory.MemoryJournal;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nobody sees that rows are late: not a reader, not another process, not who opens the file. */
final class LateRowsTest {
  private static final InstantSource CLOCK =
      InstantSource.fixed(Instant.parse("2026-01-01T00:00:00Z"));
  private static final int INSTANCES = 200;

  private final Hashing hashing = new Hashing();
  private final List<InstanceRow> rows = new ArrayList<>();
  private final Deque<Long> messages = new ArrayDeque<>();
  private final long[] configurations = new long[2];
  @TempDir Path folder;

  private Path file() {
    return folder.resolve("journal.db");
  }

  private void begin(Journal journal) {
    long machine =
        journal.publish(new PublishedMachine(0, "run", 1, "d1", "machine: run", 1)).number();
    configurations[0] = journal.configuration(machine, List.of("A"), List.of("A"));
    configurations[1] = journal.configuration(machine, List.of("B"), List.of("B"));
  }

  private Change creation(long number) {
    Change change = Change.creation();
    byte[] body = bytes("created " + number);
    byte[] hash = hashing.chain(Hashing.origin(), body);
    change.entries().add(new NewEntry(Chain.STEPS, 1, hash, body, null));
    change.after(
        new InstanceRow(
            number,
            "i-" + number,
            1,
            null,
            configurations[0],
            InstanceRow.Status.LIVE,
            1,
            hash,
            0,
            Hashing.origin(),
            1,
            1,
            InstanceRow.NEVER,
            body));
    return change;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** A step that leaves the instance where it is found. */
  private Change tick(InstanceRow before, String body) {
    return step(before, body, before.configuration(), before.due());
  }

  private Change step(InstanceRow before, String body, long configuration, long due) {
    Change change = Change.of(before);
    byte[] hash = hashing.chain(before.head(), bytes(body));
    change.entries().add(new NewEntry(Chain.STEPS, before.sequence() + 1, hash, bytes(body), null));
    change.after(
        new InstanceRow(
            before.number(),
            before.id(),
            1,
            null,
            configuration,
            before.status(),
            before.sequence() + 1,
            hash,
            before.refusals(),
            before.refusalHead(),
            before.at() + 1,
            configuration == before.configuration() ? before.since() : before.at() + 1,
            due,
            bytes(body)));
    return change;
  }

  private Change refusal(InstanceRow before, String body) {
    Change change = Change.of(before);
    byte[] hash = hashing.chain(before.refusalHead(), bytes(body));
    change
        .entries()
        .add(new NewEntry(Chain.REFUSALS, before.refusals() + 1, hash, bytes(body), null));
    change.after(before.refused(before.refusals() + 1, hash));
    return change;
  }

  private Group created() {
    List<Change> changes = new ArrayList<>();
    for (long i = 1; i <= INSTANCES; i++) {
      Change change = creation(i);
      changes.add(change);
      rows.add(change.after());
    }
    return new Group(1, changes);
  }

  /** A group of random changes, most of them late; some expect what is not so any more. */
  private Group random(Random random, int serial) {
    List<Change> changes = new ArrayList<>();
    for (int i : random.ints(0, INSTANCES).distinct().limit(1 + random.nextInt(60)).toArray()) {
      InstanceRow row = rows.get(i);
      String body = "step " + serial + " of " + i;
      Change change =
          switch (random.nextInt(16)) {
            case 0 -> step(row, body, configurations[random.nextInt(2)], row.due());
            case 1 -> step(row, body, row.configuration(), random.nextInt(1_000));
            case 2 -> refusal(row, body);
            case 3 -> tick(row, body + "x".repeat(random.nextInt(2_000)));
            case 4 -> tick(tick(row, "never written").after(), body);
            case 5 -> saying(tick(row, body), serial * 1_000L + i);
            case 6 -> hearing(step(row, body, configurations[random.nextInt(2)], row.due()));
            case 7 -> hearing(step(tick(row, "never").after(), body, configurations[0], 7));
            default -> tick(row, body);
          };
      changes.add(change);
    }
    return new Group(serial, changes);
  }

  private static Change saying(Change change, long number) {
    change.messages().add(new MessageRow(number, "i-1", "i-2", bytes("hello")));
    return change;
  }

  /** A change that delivers a message, so that all of it is taken back when it is lost. */
  private Change hearing(Change change) {
    if (!messages.isEmpty()) {
      change.delivered().add(messages.removeFirst());
    }
    return change;
  }

  /** What the group changed; both journals must have lost the same. */
  private void keep(Group group, Appended one, Appended other) {
    assertThat(one.lost()).isEqualTo(other.lost());
    for (Change change : group.changes()) {
      if (!one.lost().contains(change)) {
        rows.set((int) change.after().number() - 1, change.after());
        change.messages().forEach(message -> messages.add(message.number()));
      } else {
        messages.addAll(change.delivered());
      }
    }
  }

  private static void same(@Nullable InstanceRow found, InstanceRow row) {
    assertThat(found == null ? "nothing" : text(found)).isEqualTo(text(row));
  }

  private static String text(InstanceRow row) {
    return "%d %s %d %s %d %s %d %s %d %d %d %s"
        .formatted(
            row.number(),
            row.id(),
            row.configuration(),
            row.status(),
            row.sequence(),
            HexFormat.of().formatHex(row.head()),
            row.refusals(),
            HexFormat.of().formatHex(row.refusalHead()),
            row.at(),
            row.since(),
            row.due(),
            new String(row.snapshot(), StandardCharsets.UTF_8));
  }

  private void agrees(Journal journal, Journal memory) {
    List<InstanceRow> all = journal.query(Query.ALL.page(0, 1_000));
    assertThat(all).hasSameSizeAs(rows);
    for (int i = 0; i < rows.size(); i++) {
      same(all.get(i), rows.get(i));
    }
    for (int i = 0; i < rows.size(); i += 17) {
      InstanceRow row = rows.get(i);
      same(journal.load(row.id()), row);
      same(journal.load(row.number()), row);
      for (Chain chain : Chain.values()) {
        assertThat(bodies(journal, row.number(), chain))
            .isEqualTo(bodies(memory, row.number(), chain));
      }
    }
    List<Long> numbers = rows.stream().map(InstanceRow::number).toList();
    assertThat(journal.newest(numbers))
        .extracting(entry -> entry.instance() + " " + entry.sequence())
        .containsExactlyInAnyOrderElementsOf(
            rows.stream().map(row -> row.number() + " " + row.sequence()).toList());
    assertThat(journal.query(Query.ALL.in("B").page(0, 1_000)))
        .extracting(InstanceRow::id)
        .isEqualTo(
            memory.query(Query.ALL.in("B").page(0, 1_000)).stream().map(InstanceRow::id).toList());
  }

  private static List<String> bodies(Journal journal, long instance, Chain chain) {
    return journal.history(instance, chain, 1, 10_000).stream()
        .map(entry -> entry.sequence() + " " + new String(entry.body(), StandardCharsets.UTF_8))
        .toList();
  }

  private long lateRows() throws SQLException {
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file());
        Statement statement = connection.createStatement();
        ResultSet found = statement.executeQuery("select count(*) from late")) {
      found.next();
      return found.getLong(1);
    }
  }

  /** The journal as it would be if the process had been killed now. */
  private Path killed(int serial) throws IOException {
    Path copy = Files.createDirectory(folder.resolve("killed-" + serial));
    for (String ending : List.of("", "-wal")) {
      Files.copy(
          folder.resolve("journal.db" + ending),
          copy.resolve("journal.db" + ending),
          StandardCopyOption.REPLACE_EXISTING);
    }
    return copy.resolve("journal.db");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void a_journal_with_late_rows_says_what_one_without_them_says(long seed) throws Exception {
    Random random = new Random(seed);
    long most = 0;
    Journal journal = SqliteJournal.open(file(), CLOCK);
    try (Journal memory = new MemoryJournal(CLOCK);
        Journal foreign = SqliteJournal.read(file())) {
      begin(journal);
      begin(memory);
      Group first = created();
      keep(first, journal.append(first), memory.append(first));
      for (int serial = 2; serial < 900; serial++) {
        Group group = random(random, serial);
        keep(group, journal.append(group), memory.append(group));
        if (random.nextInt(60) == 0) {
          most = Math.max(most, lateRows());
          agrees(journal, memory);
          agrees(foreign, memory);
        }
        if (random.nextInt(200) == 0) {
          try (Journal recovered = SqliteJournal.open(killed(serial), CLOCK)) {
            agrees(recovered, memory);
          }
        }
        if (random.nextInt(250) == 0) {
          journal.close();
          assertThat(lateRows()).isZero();
          journal = SqliteJournal.open(file(), CLOCK);
          agrees(journal, memory);
        }
      }
      agrees(journal, memory);
      assertThat(most).as("late rows that stood at a time").isBetween(1_000L, 25_000L);
    } finally {
      journal.close();
    }
  }

  @Test
  void nothing_late_is_left_of_an_archived_instance() throws Exception {
    try (Journal journal = SqliteJournal.open(file(), CLOCK)) {
      begin(journal);
      journal.append(created());
      InstanceRow lives = written(journal, tick(rows.get(0), "goes on"));
      InstanceRow ends = written(journal, tick(rows.get(1), "nearly done"));
      ends = written(journal, ended(ends));
      ends = written(journal, tick(ends, "a late word"));
      assertThat(lateRows()).isEqualTo(3);
      Tombstone tombstone =
          new Tombstone(
              ends.number(),
              ends.id(),
              1,
              ends.sequence(),
              ends.head(),
              0,
              ends.refusalHead(),
              ends.at(),
              "a.jsonl");
      assertThat(journal.archive(List.of(tombstone))).isEmpty();
      assertThat(lateRows()).isEqualTo(1);
      assertThat(journal.load(ends.id())).isNull();
      same(journal.load(lives.id()), lives);
    }
  }

  private Change ended(InstanceRow before) {
    Change change = step(before, "done", configurations[1], InstanceRow.NEVER);
    change.after(change.after().standing(InstanceRow.Status.ENDED, InstanceRow.NEVER));
    return change;
  }

  private static InstanceRow written(Journal journal, Change change) {
    assertThat(journal.append(new Group(2, List.of(change))).lost()).isEmpty();
    return change.after();
  }

  @Test
  void whoever_reads_beside_the_writer_sees_every_step_that_was_acknowledged() throws Exception {
    try (Journal journal = SqliteJournal.open(file(), CLOCK);
        Journal foreign = SqliteJournal.read(file())) {
      begin(journal);
      journal.append(created());
      AtomicLong acknowledged = new AtomicLong(1);
      AtomicBoolean stop = new AtomicBoolean();
      AtomicReference<@Nullable Throwable> found = new AtomicReference<>();
      List<Thread> readers = new ArrayList<>();
      for (Journal read : List.of(journal, journal, foreign)) {
        readers.add(Thread.ofVirtual().start(() -> watch(read, acknowledged, stop, found)));
      }
      for (int serial = 2; serial < 600; serial++) {
        List<Change> changes = new ArrayList<>();
        for (InstanceRow row : rows) {
          changes.add(tick(row, "step " + serial));
        }
        assertThat(journal.append(new Group(serial, changes)).lost()).isEmpty();
        changes.forEach(change -> rows.set((int) change.after().number() - 1, change.after()));
        acknowledged.set(serial);
      }
      stop.set(true);
      for (Thread reader : readers) {
        reader.join();
      }
      assertThat(found.get()).isNull();
    }
  }

  /** Every instance takes every step, so a sequence below one that was acknowledged is stale. */
  private static void watch(
      Journal journal,
      AtomicLong acknowledged,
      AtomicBoolean stop,
      AtomicReference<@Nullable Throwable> found) {
    Random random = new Random(7);
    try {
      while (!stop.get()) {
        long number = random.nextLong(1, INSTANCES + 1L);
        long least = acknowledged.get();
        InstanceRow row = Objects.requireNonNull(journal.load(number));
        assertThat(row.sequence()).isGreaterThanOrEqualTo(least);
        assertThat(new String(row.snapshot(), StandardCharsets.UTF_8))
            .isEqualTo(row.sequence() == 1 ? "created " + number : "step " + row.sequence());
        least = acknowledged.get();
        assertThat(journal.history(number, Chain.STEPS, least, 10)).isNotEmpty();
        least = acknowledged.get();
        List<InstanceRow> page = journal.query(Query.ALL.page(0, 1_000));
        assertThat(page).hasSize(INSTANCES);
        long first = page.getFirst().sequence();
        assertThat(first).isGreaterThanOrEqualTo(least);
        assertThat(page).allMatch(each -> each.sequence() == first);
      }
    } catch (Throwable e) {
      found.set(e);
    }
  }
}
