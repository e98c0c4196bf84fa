package dev.signalbox.journal.sqlite;

import dev.signalbox.journal.Appended;
import dev.signalbox.journal.Chain;
import dev.signalbox.journal.Change;
import dev.signalbox.journal.EffectRow;
import dev.signalbox.journal.Group;
import dev.signalbox.journal.GroupHead;
import dev.signalbox.journal.Hashing;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.JournalException;
import dev.signalbox.journal.Lease;
import dev.signalbox.journal.MessageRow;
import dev.signalbox.journal.NewEntry;
import dev.signalbox.journal.PublishedMachine;
import dev.signalbox.journal.Tombstone;
import dev.signalbox.journal.sql.Archiving;
import dev.signalbox.journal.sql.Seals;
import dev.signalbox.kernel.CanonicalJson;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * The one connection that writes. After a failure, an Error too, it is replaced: what was under way
 * must not be a part of the next commit; or SQLite has rolled back by itself, as after a full disk,
 * and the driver, which is not aware of it, would make every statement that follows a commit of its
 * own.
 */
final class Writer {
  /** Numbers that a commit sets aside beyond those in use, so that the next ones need not. */
  private static final int AHEAD = 10_000;

  /** Changes after which the log is worth bringing into the file. */
  private static final int WORTH_EMPTYING = 10_000;

  /** Pages in the log after which SQLite does it by itself, within a commit. */
  private static final int LOG_PAGES = 200_000;

  /** Late rows that one commit brings when the journal is closed. */
  private static final int BROUGHT_AT_ONCE = 5_000;

  private final Opening opening;
  private final Hashing hashing = new Hashing();
  private final AtomicLong numbers;
  private final Map<ConfigurationKey, Long> configurations = new HashMap<>();
  private final LogEmptier log;
  private final @Nullable FileWatcher watcher;
  private Connection connection;
  private Statements sql;
  private volatile LateRows late;

  /** The last number that is set aside in the file: none up to it is given away after a restart. */
  private long setAside;

  private long position;
  private long group;
  private byte[] root = Hashing.origin();
  private volatile boolean failed;
  private int inTheLog;

  Writer(Opening opening) throws SQLException {
    this(opening, 0, null);
  }

  /**
   * @param taken the highest number that is known to be taken outside the journal
   * @param watcher null where nobody watches the file
   */
  Writer(Opening opening, long taken, @Nullable FileWatcher watcher) throws SQLException {
    this.opening = opening;
    this.watcher = watcher;
    this.connection = opening.open();
    this.sql = begin(connection);
    this.late = new LateRows(connection);
    this.numbers =
        new AtomicLong(
            LongStream.of(
                    taken,
                    sql.number("select max(number) from instance"),
                    sql.number("select max(number) from tombstone"),
                    sql.number("select max(number) from effect"),
                    sql.number("select max(number) from message"),
                    sql.number("select reserved from counter"))
                .max()
                .orElseThrow());
    this.setAside = numbers.get();
    // The lock proves that whoever had them is gone; whether they were done, nobody knows.
    sql.execute("update effect set due = 0 where owner is not null");
    connection.commit();
    readEnd();
    this.log = new LogEmptier(opening, this);
  }

  /** How connections come about. */
  interface Opening {
    Connection open() throws SQLException;
  }

  private static Statements begin(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("pragma wal_autocheckpoint = " + LOG_PAGES);
    }
    connection.setAutoCommit(false);
    return new Statements(connection);
  }

  /** Sees where the journal ends. */
  private void readEnd() throws SQLException {
    position = sql.number("select max(position) from entry");
    group = sql.number("select max(number) from commit_group");
    root = lastRoot();
    connection.commit();
  }

  /** Makes sure that there is a connection about which nothing is in doubt. */
  private void ready() throws SQLException {
    if (watcher != null) {
      watcher.check("write the journal");
    }
    if (failed) {
      connection.close();
      connection = opening.open();
      sql = begin(connection);
      late = new LateRows(connection);
      readEnd();
      failed = false;
    }
  }

  /** Where newest steps are; what is in doubt is settled first. */
  Places places() {
    return failed ? settled() : late.steps();
  }

  private synchronized Places settled() {
    try {
      ready();
      return late.steps();
    } catch (SQLException e) {
      throw Faults.of("read the journal again", e);
    }
  }

  private record ConfigurationKey(long machine, List<String> leaves) {}

  private byte[] lastRoot() throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("select root from commit_group where number = ?")) {
      statement.setLong(1, group);
      try (ResultSet rows = statement.executeQuery()) {
        return rows.next() ? rows.getBytes(1) : Hashing.origin();
      }
    }
  }

  long reserve(int count) {
    return numbers.getAndAdd(count) + 1;
  }

  synchronized void checkWritable() {
    boolean _ =
        inTransaction(
            "see whether it can be written",
            () -> {
              sql.touch();
              return true;
            });
  }

  synchronized PublishedMachine publish(PublishedMachine machine) {
    return inTransaction(
        "publish a machine",
        () -> {
          sql.publish(machine);
          return sql.machine(machine.name(), machine.version());
        });
  }

  synchronized long configuration(long machine, List<String> leaves, List<String> states) {
    ConfigurationKey key = new ConfigurationKey(machine, leaves);
    Long known = configurations.get(key);
    if (known == null) {
      String text = CanonicalJson.text(leaves);
      known =
          inTransaction(
              "note a configuration",
              () -> sql.configuration(machine, text, CanonicalJson.text(states)));
      configurations.put(key, known);
    }
    return known;
  }

  synchronized Appended append(Group group) {
    List<byte[]> hashes = new ArrayList<>(group.changes().size());
    List<Change> lost = new ArrayList<>(0);
    long used = numbers.get();
    boolean more = used > setAside;
    try {
      ready();
      long firstPosition = position + 1;
      if (more) {
        sql.reserved(used + AHEAD);
      }
      late.share(position);
      for (Change change : group.changes()) {
        if (!write(change, hashes)) {
          lost.add(change);
        }
      }
      byte[] next = root;
      if (!hashes.isEmpty()) {
        next = hashing.root(root, hashes);
        sql.group(this.group + 1, firstPosition, hashes.size(), group.at(), next);
      }
      commit();
      if (!hashes.isEmpty()) {
        root = next;
        this.group++;
      }
      if (more) {
        setAside = used + AHEAD;
      }
      inTheLog += group.changes().size();
      if (inTheLog >= WORTH_EMPTYING) {
        inTheLog = 0;
        log.ask();
      }
      return new Appended(this.group, lost);
    } catch (SQLException e) {
      rollBack();
      throw Faults.of("append to the journal", e);
    } catch (RuntimeException | Error e) {
      rollBack();
      throw e;
    }
  }

  private boolean write(Change change, List<byte[]> hashes) throws SQLException {
    boolean isLate = late.fits(change);
    if (!isLate) {
      // Before the savepoint: what is brought stays, also when the change is lost.
      late.bring(change.after().number());
    }
    boolean risky = !change.ended().isEmpty() || !change.delivered().isEmpty();
    if (risky) {
      sql.execute("savepoint change");
    }
    int before = hashes.size();
    long positionBefore = position;
    boolean written = take(change) && writeInstance(change, isLate, hashes);
    if (!written) {
      hashes.subList(before, hashes.size()).clear();
      if (risky) {
        sql.execute("rollback to change");
      } else {
        sql.dropEntries(positionBefore);
      }
      position = positionBefore;
    } else {
      writeRest(change);
    }
    if (risky) {
      sql.execute("release change");
    }
    return written;
  }

  private boolean take(Change change) throws SQLException {
    for (Change.EffectEnd end : change.ended()) {
      if (!sql.endEffect(end.number(), end.fence())) {
        return false;
      }
    }
    for (long message : change.delivered()) {
      if (!sql.deliver(message)) {
        return false;
      }
    }
    return true;
  }

  private boolean writeInstance(Change change, boolean isLate, List<byte[]> hashes)
      throws SQLException {
    if (isLate) {
      return writeLate(change, hashes);
    }
    return change.isOneStep() ? writeStep(change, hashes) : writeEntries(change, hashes);
  }

  private boolean writeLate(Change change, List<byte[]> hashes) throws SQLException {
    long newest = late.expected(change);
    if (newest < 0) {
      return false;
    }
    NewEntry entry = change.entries().getFirst();
    InstanceRow after = change.after();
    position++;
    sql.entryAfter(position, newest, after.number(), entry);
    late.write(change, position);
    hashes.add(entry.hash());
    return true;
  }

  private boolean writeStep(Change change, List<byte[]> hashes) throws SQLException {
    NewEntry entry = change.entries().getFirst();
    position++;
    writeEntry(change, entry);
    hashes.add(entry.hash());
    boolean written =
        change.isInPlace() ? sql.updateInPlace(change, position) : sql.updateStep(change, position);
    if (written) {
      late.note(change.after(), position);
    }
    return written;
  }

  private boolean writeEntries(Change change, List<byte[]> hashes) throws SQLException {
    InstanceRow after = change.after();
    long newest = -1;
    long newestRefusal = -1;
    for (NewEntry entry : change.entries()) {
      boolean step = entry.chain() == Chain.STEPS;
      long previous = step ? newest : newestRefusal;
      position++;
      if (previous >= 0) {
        sql.entryAfter(position, previous, after.number(), entry);
      } else {
        writeEntry(change, entry);
      }
      hashes.add(entry.hash());
      if (step) {
        newest = position;
      } else {
        newestRefusal = position;
      }
    }
    boolean written =
        change.isCreation()
            ? sql.insertInstance(after, Math.max(newest, 0), Math.max(newestRefusal, 0))
            : sql.updateInstance(change, after, newest, newestRefusal);
    if (written) {
      late.note(after, newest);
    }
    return written;
  }

  /** Writes the first entry of a change in its chain behind the one that is the newest so far. */
  private void writeEntry(Change change, NewEntry entry) throws SQLException {
    long instance = change.after().number();
    long newest =
        change.isCreation() ? 0 : entry.chain() == Chain.STEPS ? late.steps().newest(instance) : -1;
    if (newest >= 0) {
      sql.entryAfter(position, newest, instance, entry);
    } else {
      sql.entryAfterNewest(position, instance, entry);
    }
  }

  private void writeRest(Change change) throws SQLException {
    for (String state : change.left()) {
      sql.endDuring(change.after().number(), state);
    }
    for (EffectRow effect : change.effects()) {
      sql.effect(effect);
    }
    for (MessageRow message : change.messages()) {
      sql.message(message);
    }
    for (Map.Entry<String, @Nullable String> field : change.search().entrySet()) {
      sql.search(change.after().number(), field.getKey(), field.getValue());
    }
  }

  synchronized List<EffectRow> claim(
      String owner, Collection<String> names, long now, long lease, int most) {
    return inTransaction(
        "take effects",
        () -> sql.claim(owner, CanonicalJson.text(List.copyOf(names)), now, lease, most));
  }

  synchronized boolean postpone(long effect, long fence, long due, boolean released) {
    return inTransaction("postpone an effect", () -> sql.postpone(effect, fence, due, released));
  }

  synchronized List<Lease> begin(Collection<Lease> leases) {
    return inTransaction(
        "begin effects",
        () -> {
          List<Lease> lost = new ArrayList<>(0);
          for (Lease lease : leases) {
            if (!sql.begin(lease.effect(), lease.fence())) {
              lost.add(lease);
            }
          }
          return lost;
        });
  }

  synchronized List<Lease> renew(Collection<Lease> leases, long due) {
    return inTransaction(
        "renew leases",
        () -> {
          List<Lease> lost = new ArrayList<>(0);
          for (Lease lease : leases) {
            if (!sql.postpone(lease.effect(), lease.fence(), due, false)) {
              lost.add(lease);
            }
          }
          return lost;
        });
  }

  synchronized List<Tombstone> archive(List<Tombstone> tombstones) {
    return inTransaction(
        "archive instances",
        () -> {
          for (Tombstone tombstone : tombstones) {
            late.bring(tombstone.number());
          }
          List<Tombstone> kept = Archiving.archive(connection, tombstones, "");
          late.forget(tombstones.stream().map(Tombstone::number).toList());
          return kept;
        });
  }

  synchronized List<GroupHead> heads() {
    return group == 0 ? List.of() : List.of(new GroupHead(1, group, root));
  }

  synchronized void keepCheckpoint(byte[] text) {
    boolean _ =
        inTransaction(
            "keep a checkpoint",
            () -> {
              Seals.keepCheckpoint(connection, text);
              return true;
            });
  }

  /** Work inside a transaction. */
  private interface Work<T> {
    T run() throws SQLException;
  }

  private <T> T inTransaction(String doing, Work<T> work) {
    try {
      ready();
      T result = work.run();
      commit();
      return result;
    } catch (SQLException e) {
      rollBack();
      throw Faults.of(doing, e);
    } catch (RuntimeException | Error e) {
      rollBack();
      throw e;
    }
  }

  /** Commits, and sees that it went into the file that has the journal's name. */
  private void commit() throws SQLException {
    connection.commit();
    late.committed();
    if (watcher != null) {
      watcher.committed();
    }
  }

  /** Whatever was thrown: nothing of what is under way may be in the next commit. */
  private void rollBack() {
    failed = true;
    try {
      connection.rollback();
    } catch (SQLException | RuntimeException | Error e) {
      // SQLite has rolled back by itself, or does so when the connection is closed.
    }
  }

  void close() {
    try {
      log.close();
      end();
    } catch (SQLException e) {
      throw new JournalException(
          "Expected to close the journal, but SQLite said: " + e.getMessage(), e);
    }
  }

  private synchronized void end() throws SQLException {
    if (watcher != null && watcher.isLost()) {
      rescue();
      return;
    }
    ready();
    // A file that nobody has open says of each instance in its own row what it is.
    while (late.bringSome(BROUGHT_AT_ONCE)) {
      connection.commit();
      late.committed();
    }
    sql.reserved(numbers.get());
    connection.commit();
    connection.close();
  }

  /** Brings what only a log without its name has into the file, and changes nothing else. */
  private void rescue() {
    try (Connection last = connection) {
      last.rollback();
      last.setAutoCommit(true);
      try (Statement statement = last.createStatement()) {
        statement.execute("pragma wal_checkpoint(passive)");
      }
    } catch (SQLException e) {
      // Whoever wrote was told that the file is lost.
    }
  }
}
