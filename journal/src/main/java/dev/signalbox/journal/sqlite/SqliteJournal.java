package dev.signalbox.journal.sqlite;

import dev.signalbox.journal.Appended;
import dev.signalbox.journal.Chain;
import dev.signalbox.journal.Checkpoint;
import dev.signalbox.journal.CommittedEntry;
import dev.signalbox.journal.CommittedGroup;
import dev.signalbox.journal.Count;
import dev.signalbox.journal.Due;
import dev.signalbox.journal.EffectRow;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.journal.Group;
import dev.signalbox.journal.GroupHead;
import dev.signalbox.journal.InstanceKey;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.JournalException;
import dev.signalbox.journal.Lease;
import dev.signalbox.journal.MessageRow;
import dev.signalbox.journal.PublishedMachine;
import dev.signalbox.journal.Query;
import dev.signalbox.journal.Sorted;
import dev.signalbox.journal.Sorting;
import dev.signalbox.journal.Tombstone;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.flywaydb.core.Flyway;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteConfig;

/**
 * The journal in one SQLite file. One process owns it; a second one is told so. Every commit is
 * flushed to the disk before it counts.
 */
public final class SqliteJournal implements Journal {
  /** Held, because a logger that nobody holds forgets its level. */
  private static final Logger FLYWAY = Logger.getLogger("org.flywaydb");

  private static final int PAGE_BYTES = 2_048;
  private final InstantSource clock;
  private final @Nullable FileLock lock;

  /** Null where the file was opened for reading alone. */
  private final @Nullable Writer writer;

  private final Readers readers;
  private final KeyFile keys;

  private SqliteJournal(
      InstantSource clock,
      @Nullable FileLock lock,
      @Nullable Writer writer,
      Readers readers,
      KeyFile keys) {
    this.clock = clock;
    this.lock = lock;
    this.writer = writer;
    this.readers = readers;
    this.keys = keys;
  }

  /**
   * Opens the file, or makes it.
   *
   * @throws JournalException when another process owns it, or it is not a journal
   */
  public static SqliteJournal open(Path file, InstantSource clock) {
    FileLock lock = FileLock.take(file);
    try {
      String url = "jdbc:sqlite:" + file.toAbsolutePath();
      begin(url);
      migrate(url);
      Writer writer = new Writer(() -> DriverManager.getConnection(url, config().toProperties()));
      return new SqliteJournal(
          clock, lock, writer, new Readers(url, config(), writer::places), KeyFile.of(file, true));
    } catch (SQLException e) {
      lock.release();
      throw Faults.of("open " + file, e);
    } catch (RuntimeException e) {
      lock.release();
      throw new JournalException(
          "Expected '%s' to be a journal that can be opened, but: %s"
              .formatted(file, e.getMessage()),
          e);
    }
  }

  /**
   * Opens a file for reading alone, beside whoever owns it. What would write is refused.
   *
   * @throws JournalException when there is no journal
   */
  public static Journal read(Path file) {
    if (!Files.isRegularFile(file)) {
      throw new JournalException(
          "Expected a journal at '%s', but there is no such file.".formatted(file), null);
    }
    SQLiteConfig config = config();
    config.setReadOnly(true);
    Readers readers = new Readers("jdbc:sqlite:" + file.toAbsolutePath(), config, null);
    SqliteJournal journal =
        new SqliteJournal(InstantSource.system(), null, null, readers, KeyFile.of(file, false));
    // Whether it is a journal shows when it is read.
    journal.machines();
    return journal;
  }

  /**
   * Says in the lock file at which address the owner can be reached, so that others go there
   * instead of opening the file.
   */
  public void announce(String address) {
    if (lock != null) {
      try {
        lock.say(" at " + address);
      } catch (IOException e) {
        throw new JournalException(
            "Expected to write '%s', but it can't be written: %s.".formatted(lock, e.getMessage()),
            e);
      }
    }
  }

  /**
   * The address that the owner of a journal file announced; null when nobody has announced one.
   * That the owner still lives is not sure.
   */
  public static @Nullable String announced(Path file) {
    try {
      String owner = Files.readString(FileLock.of(file));
      int at = owner.indexOf(" at ");
      return at < 0 ? null : owner.substring(at + 4).strip();
    } catch (IOException e) {
      return null;
    }
  }

  /**
   * Gives a new file its pages; one that is there keeps those it has. A change of one instance
   * among many writes a whole page, twice, so pages are small: with a million instances that saves
   * more than larger ones would save where few instances change again and again.
   */
  private static void begin(String url) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute("pragma page_size = " + PAGE_BYTES);
      statement.execute("pragma journal_mode = wal");
    }
  }

  private static void migrate(String url) {
    FLYWAY.setLevel(Level.WARNING);
    Flyway.configure()
        .dataSource(url, null, null)
        .locations("classpath:dev/signalbox/journal/sqlite")
        .load()
        .migrate();
  }

  private static SQLiteConfig config() {
    SQLiteConfig config = new SQLiteConfig();
    config.setJournalMode(SQLiteConfig.JournalMode.WAL);
    config.setSynchronous(SQLiteConfig.SynchronousMode.FULL);
    config.setCacheSize(-64 * 1024);
    config.setTempStore(SQLiteConfig.TempStore.MEMORY);
    config.setBusyTimeout(10_000);
    config.setGetGeneratedKeys(false);
    return config;
  }

  private Writer writer() {
    if (writer == null) {
      throw new JournalException(
          "Expected a journal that may be written, but it was opened for reading alone.", null);
    }
    return writer;
  }

  @Override
  public boolean isShared() {
    return false;
  }

  @Override
  public long now() {
    return clock.millis();
  }

  @Override
  public long reserve(int count) {
    return writer().reserve(count);
  }

  @Override
  public PublishedMachine publish(PublishedMachine machine) {
    return writer().publish(machine);
  }

  @Override
  public List<PublishedMachine> machines() {
    return readers.read("list machines", Reader::machines);
  }

  @Override
  public long configuration(long machine, List<String> leaves, List<String> states) {
    return writer().configuration(machine, leaves, states);
  }

  @Override
  public Appended append(Group group) {
    return writer().append(group);
  }

  @Override
  public @Nullable InstanceRow load(String id) {
    return readers.read("load an instance", r -> r.load(id));
  }

  @Override
  public @Nullable InstanceRow load(long number) {
    return readers.read("load an instance", r -> r.load(number));
  }

  @Override
  public List<InstanceRow> load(Collection<Long> numbers) {
    return readers.read("read instances", r -> r.load(numbers));
  }

  @Override
  public @Nullable EntryRow keyed(long instance, String key) {
    return readers.read("find a key", r -> r.keyed(instance, key));
  }

  @Override
  public @Nullable List<String> keys(long instance, int most) {
    return readers.read("list keys", r -> r.keys(instance, most));
  }

  @Override
  public List<EntryRow> history(long instance, Chain chain, long from, int most) {
    return readers.read("read a history", r -> r.history(instance, chain, from, most));
  }

  @Override
  public List<EntryRow> newest(Collection<Long> instances) {
    return readers.read("read newest entries", r -> r.newest(instances));
  }

  @Override
  public void eachDue(Consumer<Due> consumer) {
    readers.read(
        "list what is due",
        r -> {
          r.eachDue(consumer);
          return true;
        });
  }

  @Override
  public List<Due> due(long until, int most) {
    return readers.read("list what is due", r -> r.due(until, most));
  }

  @Override
  public List<EffectRow> claim(String owner, Collection<String> names, long lease, int most) {
    return writer().claim(owner, names, now(), lease, most);
  }

  @Override
  public @Nullable EffectRow effect(long number) {
    return readers.read("find an effect", r -> r.effect(number));
  }

  @Override
  public List<EffectRow> effects(long after, int most) {
    return readers.read("list effects", r -> r.effects(after, most));
  }

  @Override
  public boolean postpone(long effect, long fence, long due, boolean released) {
    return writer().postpone(effect, fence, due, released);
  }

  @Override
  public List<Lease> renew(Collection<Lease> leases, long lease) {
    return writer().renew(leases, now() + lease);
  }

  @Override
  public List<MessageRow> messages(long after, int most) {
    return readers.read("list messages", r -> r.messages(after, most));
  }

  @Override
  public @Nullable MessageRow message(long number) {
    return readers.read("find a message", r -> r.message(number));
  }

  @Override
  public List<InstanceRow> query(Query query) {
    return readers.read("query instances", r -> r.query(query));
  }

  @Override
  public Sorted sorted(Query query, Sorting sorting) {
    return readers.read("sort instances", r -> r.sorted(query, sorting));
  }

  @Override
  public List<Count> counts() {
    return readers.read("count instances", Reader::counts);
  }

  @Override
  public List<CommittedGroup> groups(long after, int most) {
    return readers.read("read groups", r -> r.groups(after, most));
  }

  @Override
  public List<CommittedEntry> entries(long after, int most) {
    return readers.read("read entries", r -> r.entries(after, most));
  }

  @Override
  public long end() {
    return readers.read("find the newest entry", Reader::end);
  }

  @Override
  public List<Tombstone> archive(List<Tombstone> tombstones) {
    return writer().archive(tombstones);
  }

  @Override
  public List<Tombstone> tombstones(long after, int most) {
    return readers.read("list tombstones", r -> r.tombstones(after, most));
  }

  @Override
  public boolean isPending(long instance, String id) {
    return readers.read("see what is pending", r -> r.isPending(instance, id));
  }

  @Override
  public void keepKeys(List<InstanceKey> given) {
    keys.keep(given);
  }

  @Override
  public byte @Nullable [] key(long instance) {
    return keys.key(instance);
  }

  @Override
  public void condemnKeys(Collection<Long> instances) {
    keys.condemn(instances);
  }

  @Override
  public List<Long> condemnedKeys() {
    return keys.condemned();
  }

  @Override
  public void destroyKeys(Collection<Long> instances) {
    keys.destroy(instances);
  }

  @Override
  public List<GroupHead> heads() {
    return writer().heads();
  }

  @Override
  public void keepCheckpoint(byte[] text) {
    writer().keepCheckpoint(text);
  }

  @Override
  public List<Checkpoint> checkpoints(long after, int most) {
    return readers.read("list checkpoints", r -> r.checkpoints(after, most));
  }

  @Override
  public void close() {
    keys.close();
    readers.close();
    if (writer != null) {
      writer.close();
    }
    if (lock != null) {
      lock.release();
    }
  }
}
