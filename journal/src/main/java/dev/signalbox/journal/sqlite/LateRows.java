package dev.signalbox.journal.sqlite;

import dev.signalbox.journal.Change;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.kernel.CanonicalJson;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

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
  private final NewestSteps steps = new NewestSteps();

  /** How many late rows were written since a share of them was brought. */
  private int written;

  private double owed;

  /** The place of the instance that was brought last. */
  private int cursor = -1;

  /** Everything late up to here is brought when the round ends. */
  private long roundBegan;

  /** Everything late up to here is brought. */
  private long obsolete;

  /** Nothing late is left up to here. */
  private long dropped;

  /** Where the journal ended when a share was brought last. */
  private long lastEnd = Long.MAX_VALUE;

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
    this.roundBegan = recover(connection);
    this.dropped = first(connection) - 1;
  }

  /** Finds what is late in the file; gives the position of the last one, or 0. */
  private long recover(Connection connection) throws SQLException {
    long last = 0;
    try (Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "select l.position, l.instance from late l join instance i on i.number ="
                    + " l.instance where l.position > i.newest order by l.position")) {
      while (rows.next()) {
        last = rows.getLong(1);
        steps.put(rows.getLong(2), last, null, null, true);
      }
    }
    return last;
  }

  /** The position of the first late row; of the next one when there is none. */
  private static long first(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "select coalesce((select min(position) from late),"
                    + " (select coalesce(max(position), 0) + 1 from entry))")) {
      rows.next();
      return rows.getLong(1);
    }
  }

  NewestSteps steps() {
    return steps;
  }

  /** Whether the change may be written late: the instance is found by what it was found by. */
  boolean fits(Change change) {
    InstanceRow before = change.before();
    return before != null
        && change.isOneStep()
        && change.isInPlace()
        && before.due() == change.after().due()
        && change.after().snapshot().length <= LARGEST
        && steps.hasRoom(before.number());
  }

  /** The position of the newest step, if the instance is as the change expects; else negative. */
  long expected(Change change) throws SQLException {
    long instance = change.after().number();
    if (steps.hasHeads(instance)) {
      return steps.hasHeads(instance, change.expectedHead(), change.expectedRefusalHead())
          ? steps.newest(instance)
          : -1;
    }
    return steps.isLate(instance)
        ? ask(newestIfLate, steps.newest(instance), change)
        : ask(newestIfRow, instance, change);
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
    steps.put(row.number(), position, row.head(), row.refusalHead(), true);
    written++;
  }

  /**
   * Notes a change that is in the instance's own row.
   *
   * @param newest the position of its newest step; negative when it has none
   */
  void note(InstanceRow row, long newest) {
    long position = newest >= 0 ? newest : steps.newest(row.number());
    if (position >= 0) {
      steps.put(row.number(), position, row.head(), row.refusalHead(), false);
    }
  }

  /** Brings the instance's own row up to date, before it is changed in another way. */
  void bring(long instance) throws SQLException {
    if (steps.isLate(instance)) {
      bring.setLong(1, steps.newest(instance));
      bring.setLong(2, instance);
      bring.executeUpdate();
      steps.settled(instance);
    }
  }

  /**
   * Brings and drops a share, before a transaction writes anything.
   *
   * @param end the position of the newest entry
   */
  void share(long end) throws SQLException {
    int late = steps.late();
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
    if (steps.late() == 0) {
      return false;
    }
    cursor = behind(cursor);
    if (cursor < 0) {
      obsolete = roundBegan;
      roundBegan = end;
      cursor = behind(cursor);
    }
    bring(steps.lateAt(cursor));
    return true;
  }

  /** The next place with a late instance behind this one; negative when there is none. */
  private int behind(int place) {
    for (int i = place + 1; i < steps.places(); i++) {
      if (steps.lateAt(i) != 0) {
        return i;
      }
    }
    return -1;
  }

  private void dropUntil(long position) throws SQLException {
    drop.setLong(1, position);
    drop.executeUpdate();
    dropped = position;
  }

  /** Leaves nothing of instances that are gone. */
  void forget(List<Long> instances) throws SQLException {
    forget.setString(1, CanonicalJson.text(instances));
    forget.executeUpdate();
    instances.forEach(steps::forget);
  }

  /** Brings up to so many, and drops everything once none is left; false when that is done. */
  boolean bringSome(int most) throws SQLException {
    int count = 0;
    for (int place = behind(-1); place >= 0 && count < most; place = behind(place)) {
      bring(steps.lateAt(place));
      count++;
    }
    if (count == 0) {
      dropUntil(Long.MAX_VALUE);
    }
    return count > 0;
  }

  void committed() {
    steps.committed();
  }
}
