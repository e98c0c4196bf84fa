package dev.signalbox.journal.sqlite;

import dev.signalbox.journal.Change;
import dev.signalbox.journal.InstanceRow;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Steps that leave an instance where it is found are written one behind the other, and brought into
 * the instances' own rows later. To change one row among a million is to write a page of the file
 * that nothing else changes, twice; rows that are brought in the order of their numbers share their
 * pages, and of an instance that changed often only the newest is brought.
 *
 * <p>Each commit brings as many as keep the rest bounded, going round all numbers; what was late
 * when a round began is nowhere needed when it ends, and is dropped bit by bit. For the writer.
 */
final class LateRows {
  /** A row that fills a good part of a page gains nothing by sharing it. */
  private static final int LARGEST = 600;

  /** Late rows that are let stand before a round is over: so many for each instance, … */
  private static final int FOR_EACH = 2;

  /** … at least so many, … */
  private static final int FEWEST = 1 << 13;

  /** … and at most so many. */
  private static final int MOST = 1 << 19;

  private final PreparedStatement newestIfRow;
  private final PreparedStatement newestIfLate;
  private final PreparedStatement insert;
  private final PreparedStatement bring;
  private final PreparedStatement drop;
  private final PreparedStatement forget;
  private final LateIndex index = new LateIndex();

  /** Instances whose own rows this transaction makes newer than their late ones, and how new. */
  private final Map<Long, Long> brought = new HashMap<>();

  /** How many late rows were written since a share of them was brought. */
  private int written;

  private double owed;
  private long cursor;

  /** Everything late up to here is brought when the round ends. */
  private long roundBegan;

  /** Everything late up to here is brought. */
  private long obsolete;

  /** Nothing late is left up to here. */
  private long dropped;

  /** Where the journal ended when a share was brought last. */
  private long lastEnd;

  LateRows(Connection connection) throws SQLException {
    this.newestIfRow =
        connection.prepareStatement(
            "select newest from instance where number = ? and head = ? and refusal_head = ?");
    this.newestIfLate =
        connection.prepareStatement(
            "select l.position from late l join instance i on i.number = l.instance where"
                + " l.position = ? and l.head = ? and i.refusal_head = ?");
    this.insert =
        connection.prepareStatement(
            "insert into late (position, instance, sequence, head, at, snapshot)"
                + " values (?, ?, ?, ?, ?, ?)");
    this.bring =
        connection.prepareStatement(
            "update instance set sequence = l.sequence, head = l.head, newest = l.position, at ="
                + " l.at, snapshot = l.snapshot from late l where l.position = ? and"
                + " instance.number = ? and instance.newest < l.position");
    this.forget =
        connection.prepareStatement(
            "delete from late where instance in (select value from json_each(?))");
    this.drop = connection.prepareStatement("delete from late where position <= ?");
    this.roundBegan = index.read(connection, 0);
    this.dropped = first(connection) - 1;
    this.lastEnd = Long.MAX_VALUE;
  }

  /** The position of the first late row; of the next one when there is none. */
  static long first(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "select coalesce((select min(position) from late),"
                    + " (select coalesce(max(position), 0) + 1 from entry))")) {
      rows.next();
      return rows.getLong(1);
    }
  }

  LateIndex index() {
    return index;
  }

  /** Whether the change may be written late: the instance is found by what it was found by. */
  static boolean fits(Change change) {
    InstanceRow before = change.before();
    return before != null
        && change.isOneStep()
        && change.isInPlace()
        && before.due() == change.after().due()
        && change.after().snapshot().length <= LARGEST;
  }

  /** The position of the instance's newest late step; negative when it has none. */
  long newest(long instance) {
    LateIndex.Late late = index.counting(instance);
    return late == null ? -1 : late.position();
  }

  /** The position of the newest step, if the instance is as the change expects; else negative. */
  long expected(Change change) throws SQLException {
    long instance = change.after().number();
    LateIndex.Late late = index.counting(instance);
    if (late == null) {
      return ask(newestIfRow, instance, change);
    }
    if (late.head() == 0) {
      return ask(newestIfLate, late.position(), change);
    }
    return late.head() == start(change.expectedHead())
            && late.refusalHead() == start(change.expectedRefusalHead())
        ? late.position()
        : -1;
  }

  private static long ask(PreparedStatement statement, long number, Change change)
      throws SQLException {
    statement.setLong(1, number);
    statement.setBytes(2, change.expectedHead());
    statement.setBytes(3, change.expectedRefusalHead());
    try (ResultSet rows = statement.executeQuery()) {
      return rows.next() ? rows.getLong(1) : -1;
    }
  }

  private static long start(byte @Nullable [] hash) {
    return hash == null ? 0 : ByteBuffer.wrap(hash).getLong();
  }

  /** Writes what the instance became with the entry at the position. */
  void write(Change change, long position) throws SQLException {
    InstanceRow row = change.after();
    insert.setLong(1, position);
    insert.setLong(2, row.number());
    insert.setLong(3, row.sequence());
    insert.setBytes(4, row.head());
    insert.setLong(5, row.at());
    insert.setBytes(6, row.snapshot());
    insert.executeUpdate();
    LateIndex.Late before = index.of(row.number());
    index.put(
        row.number(),
        new LateIndex.Late(
            position,
            before == null ? 0 : before.position(),
            start(row.head()),
            start(row.refusalHead()),
            false));
    written++;
  }

  /** Brings the instance's own row up to date, before it is changed in another way. */
  void bring(long instance) throws SQLException {
    LateIndex.Late late = index.counting(instance);
    if (late != null) {
      bring(instance, late.position());
    }
  }

  private void bring(long instance, long position) throws SQLException {
    bring.setLong(1, position);
    bring.setLong(2, instance);
    bring.executeUpdate();
    brought.put(instance, position);
  }

  /**
   * Brings and drops a share, before a transaction writes anything.
   *
   * @param end the position of the newest entry
   */
  void share(long end) throws SQLException {
    int late = index.size();
    owed += (double) written * late / Math.clamp((long) FOR_EACH * late, FEWEST, MOST);
    while (owed >= 1 && next(end)) {
      owed--;
    }
    if (dropped < obsolete) {
      dropUntil(Math.min(obsolete, dropped + 2 * Math.max(0, end - lastEnd)));
    }
    lastEnd = end;
    written = 0;
  }

  /** Brings the next instance of the round; false when none is late. */
  private boolean next(long end) throws SQLException {
    Map.Entry<Long, LateIndex.Late> next = index.behind(cursor);
    if (next == null) {
      obsolete = roundBegan;
      roundBegan = end;
      cursor = 0;
      next = index.behind(0);
      if (next == null) {
        return false;
      }
    }
    cursor = next.getKey();
    bring(cursor, next.getValue().position());
    return true;
  }

  private void dropUntil(long position) throws SQLException {
    drop.setLong(1, position);
    drop.executeUpdate();
    dropped = position;
  }

  /** Leaves nothing of instances that are gone; a document with their numbers as a list. */
  void forget(String instances) throws SQLException {
    forget.setString(1, instances);
    forget.executeUpdate();
  }

  /** Brings up to so many, and drops everything once none is left; false when that is done. */
  boolean bringSome(int most) throws SQLException {
    long last = 0;
    int count = 0;
    for (var next = index.behind(last); next != null && count < most; next = index.behind(last)) {
      last = next.getKey();
      bring(last, next.getValue().position());
      count++;
    }
    if (count == 0) {
      dropUntil(Long.MAX_VALUE);
    }
    return count > 0;
  }

  /** What the transaction brought is in the file. */
  void committed() {
    index.committed(brought);
    brought.clear();
  }
}
