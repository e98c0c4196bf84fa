package dev.signalbox.journal.sqlite;

import dev.signalbox.journal.Appended;
import dev.signalbox.journal.Chain;
import dev.signalbox.journal.Checkpoint;
import dev.signalbox.journal.CommittedEntry;
import dev.signalbox.journal.CommittedGroup;
import dev.signalbox.journal.Count;
import dev.signalbox.journal.Due;
import dev.signalbox.journal.DurableFile;
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
import dev.signalbox.journal.SteadyClock;
import dev.signalbox.journal.Tombstone;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.flywaydb.core.Flyway;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteOpenMode;

/**
 * The journal in one SQLite file. One process owns it; a second one is told so. Every commit is
 * flushed to the disk before it counts.
 */
public final class SqliteJournal implements Journal {
  /** Held, because a logger that nobody holds forgets its level. */
  private static final Logger FLYWAY = Logger.getLogger("org.flywaydb");

  /** The folder beside a journal for the operator's keys, where nobody names another. */
  public static final String KEYS = "signalbox-keys";

  private static final int PAGE_BYTES = 2_048;
  private final SteadyClock clock;

  /** Null where the file was opened for reading alone. */
  private final @Nullable Owned owned;

  private final Readers readers;
  private final KeyFile keys;

  private SqliteJournal(InstantSource clock, @Nullable Owned owned, Readers readers, KeyFile keys) {
    this.clock = SteadyClock.of(clock);
    this.owned = owned;
    this.readers = readers;
    this.keys = keys;
  }

  /**
   * What only the owner of a file has.
   *
   * @param anchor a connection that does nothing: the last one that is closed takes the log away
   */
  private record Owned(FileLock lock, Connection anchor, Writer writer, FileWatcher watcher) {}

  /**
   * Opens the file, or makes it.
   *
   * @throws JournalException when another process owns it, it is not a journal, or it is gone while
   *     its keys, its log or its lock file are still there
   */
  public static SqliteJournal open(Path file, InstantSource clock) {
    Location location = Location.of(file);
    FileLock lock = FileLock.take(location);
    Deque<Closing> opened = new ArrayDeque<>();
    opened.push(lock::release);
    try {
      return open(location, clock, lock, opened);
    } catch (SQLException e) {
      closeAll(opened);
      throw Faults.of("open " + file, e);
    } catch (JournalException | Error e) {
      closeAll(opened);
      throw e;
    } catch (IOException | RuntimeException e) {
      closeAll(opened);
      throw new JournalException(
          "Expected '%s' to be a journal that can be opened, but: %s"
              .formatted(file, e.getMessage()),
          e);
    }
  }

  /** Something that was opened, to be closed when the rest can't be. */
  private interface Closing {
    void close() throws SQLException;
  }

  private static void closeAll(Deque<Closing> opened) {
    for (Closing each : opened) {
      try {
        each.close();
      } catch (SQLException | RuntimeException e) {
        // What was thrown before says more.
      }
    }
  }

  private static SqliteJournal open(
      Location location, InstantSource clock, FileLock lock, Deque<Closing> opened)
      throws SQLException, IOException {
    String loss = location.loss();
    if (loss != null) {
      throw new JournalException(loss, null);
    }
    location.refuseHardLinks();
    location.gatherKeys();
    boolean fresh = location.isEmpty();
    if (!fresh) {
      lock.say("");
    }
    KeyFile keys = KeyFile.at(location.keys(), true);
    opened.push(keys::close);
    Connection anchor = begin(location.url());
    opened.push(anchor::close);
    migrate(location.url());
    attach(anchor);
    SQLiteConfig config = config();
    // What is there is opened; a file that is gone is not made anew.
    config.resetOpenMode(SQLiteOpenMode.CREATE);
    FileWatcher watcher = FileWatcher.start(location);
    opened.push(watcher::close);
    Writer writer =
        new Writer(
            () -> DriverManager.getConnection(location.url(), config.toProperties()),
            keys.highest(),
            watcher);
    opened.push(writer::close);
    if (fresh) {
      lock.say("");
      DurableFile.force(Objects.requireNonNull(location.file().getParent()));
    }
    Readers readers = new Readers(location.url(), config, writer::places, watcher::check);
    return new SqliteJournal(clock, new Owned(lock, anchor, writer, watcher), readers, keys);
  }

  /**
   * Opens a file for reading alone, beside whoever owns it. What would write is refused.
   *
   * @throws JournalException when there is no journal
   */
  public static Journal read(Path file) {
    Location location = Location.of(file);
    String loss = location.loss();
    if (loss != null) {
      throw new JournalException(loss, null);
    }
    if (!Files.isRegularFile(location.file())) {
      throw new JournalException(
          "Expected a journal at '%s', but there is no such file.".formatted(file), null);
    }
    SQLiteConfig config = config();
    config.setReadOnly(true);
    Readers readers = new Readers(location.url(), config, null, _ -> {});
    SqliteJournal journal =
        new SqliteJournal(
            InstantSource.system(), null, readers, KeyFile.at(location.readableKeys(), false));
    // Whether it is a journal shows when it is read.
    journal.machines();
    return journal;
  }

  /**
   * Why a journal that is not there is not begun anew: something that only a journal leaves behind
   * is still beside it. Null when it is there, or there never was one.
   */
  public static @Nullable String loss(Path file) {
    return Location.of(file).loss();
  }

  /** The file that the name leads to, without symbolic links; it need not be there. */
  public static Path located(Path file) {
    return Location.of(file).file();
  }

  /**
   * Says in the lock file at which address the owner can be reached, so that others go there
   * instead of opening the file.
   */
  public void announce(String address) {
    if (owned != null) {
      try {
        owned.lock().say(" at " + address);
      } catch (IOException e) {
        throw new JournalException(
            "Expected to write '%s', but it can't be written: %s."
                .formatted(owned.lock(), e.getMessage()),
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
      String owner = Files.readString(Location.of(file).lock());
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
  private static Connection begin(String url) throws SQLException {
    Connection connection = DriverManager.getConnection(url);
    try (Statement statement = connection.createStatement()) {
      statement.execute("pragma page_size = " + PAGE_BYTES);
      statement.execute("pragma journal_mode = wal");
      return connection;
    } catch (SQLException | RuntimeException | Error e) {
      connection.close();
      throw e;
    }
  }

  /** Reads something, for SQLite opens the log only then. */
  private static void attach(Connection anchor) throws SQLException {
    try (Statement statement = anchor.createStatement()) {
      statement.execute("select count(*) from sqlite_master");
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

  /** Sees that the files are still what they were. */
  private void check(String doing) {
    if (owned != null) {
      owned.watcher().check(doing);
    }
  }

  private Writer writer() {
    if (owned == null) {
      throw new JournalException(
          "Expected a journal that may be written, but it was opened for reading alone.", null);
    }
    return owned.writer();
  }

  @Override
  public boolean isShared() {
    return false;
  }

  @Override
  public SteadyClock clock() {
    return clock;
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
  public void checkWritable() {
    writer().checkWritable();
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
  public int newestVersion(String machine) {
    return readers.read("find a machine", reader -> reader.newestVersion(machine));
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
  public List<EntryRow> allKeyed(long instance, String key) {
    return readers.read("find a key", r -> r.allKeyed(instance, key));
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
  public List<Lease> begin(Collection<Lease> leases) {
    return leases.isEmpty() ? List.of() : writer().begin(leases);
  }

  @Override
  public List<Lease> renew(Collection<Lease> leases, long lease) {
    return writer().renew(leases, now() + lease);
  }

  @Override
  public List<MessageRow> messages(long after, int most) {
    return readers.read("list messages", r -> r.messages(after, most));
  }

  /** Rows may be written late, so each recipient is asked for as others ask for it, and once. */
  @Override
  public List<MessageRow> deliverable(long after, int most) {
    Map<String, Boolean> standing = new HashMap<>();
    List<MessageRow> found = new ArrayList<>();
    long last = after;
    List<MessageRow> page;
    do {
      page = messages(last, most);
      for (MessageRow message : page) {
        last = message.number();
        if (!message.isPatient()
            || !standing.computeIfAbsent(message.to(), id -> InstanceRow.isStanding(load(id)))) {
          found.add(message);
        }
      }
    } while (found.size() < most && page.size() == most);
    return found.size() > most ? List.copyOf(found.subList(0, most)) : found;
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
  public List<Long> misplaced(int most) {
    return readers.read("look for misplaced entries", r -> r.misplaced(most));
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
    check("keep keys");
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
  public @Nullable Checkpoint newestCheckpoint() {
    return readers.read("find the newest checkpoint", Reader::newestCheckpoint);
  }

  @Override
  public List<Checkpoint> checkpoints(long after, int most) {
    return readers.read("list checkpoints", r -> r.checkpoints(after, most));
  }

  @Override
  public void close() {
    if (owned != null) {
      owned.watcher().stop();
    }
    keys.close();
    readers.close();
    if (owned != null) {
      close(owned);
    }
  }

  private static void close(Owned owned) {
    try {
      owned.writer().close();
      if (!owned.watcher().isLost()) {
        owned.anchor().close();
        owned.watcher().close();
      }
      // Otherwise SQLite would take the log away that has the name now, whosever it is.
    } catch (SQLException e) {
      throw new JournalException(
          "Expected to close the journal, but SQLite said: " + e.getMessage(), e);
    } finally {
      owned.lock().release();
    }
  }
}
