package dev.signalbox.journal.postgres;

import dev.signalbox.journal.JournalException;
import dev.signalbox.journal.sql.Selection;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Takes rows out of {@code standing} whose blocks have no instance in the configuration any more,
 * page by page. What it has not come to yet makes a query by state slower and never wrong.
 *
 * <p>It looks for such rows without disturbing anyone. To take them out it locks the table, looks
 * at those few again, and lets go: every append holds a weaker lock from its beginning to its end,
 * so none can be under way that brings an instance into the configuration and found the row there.
 * A page is small, because everybody waits while its rows are looked at again: 50 of them take a
 * few milliseconds, 500 took a tenth of a second.
 */
final class StandingSweeper implements AutoCloseable {
  private static final int PAGE = 50;
  private static final long BETWEEN_PAGES = 1;
  private static final long BETWEEN_PASSES = 60;

  /**
   * Appends wait behind whoever waits for the lock, so it gives up soon: while the table is
   * vacuumed, the lock is not to be had for seconds.
   */
  private static final String IMPATIENT = "set local lock_timeout = '10ms'";

  private static final String STANDS =
      " exists (select from instance i where i.number between s.block << 6 and (s.block << 6) + 63"
          + " and i.configuration = s.configuration and i.since >> "
          + AppendStatement.PERIOD
          + " = s.period)";

  private final Connections connections;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("signalbox-standing").factory());
  private Row reached = Row.START;

  private record Row(long configuration, long block, long period, boolean stands) {
    static final Row START = new Row(-1, -1, -1, true);
  }

  StandingSweeper(Connections connections) {
    this.connections = connections;
  }

  void start() {
    next(BETWEEN_PASSES);
  }

  private void next(long seconds) {
    var _ = thread.schedule(this::sweepAndGoOn, seconds, TimeUnit.SECONDS);
  }

  private void sweepAndGoOn() {
    try {
      next(sweep() ? BETWEEN_PAGES : BETWEEN_PASSES);
    } catch (JournalException e) {
      // The database is away or busy; whoever appends is told, and there is time.
      next(BETWEEN_PASSES);
    }
  }

  /** Sweeps a page; false at the end of the table. */
  synchronized boolean sweep() {
    List<Row> page = connections.run("look for what instances left behind", this::page);
    List<Row> stale = page.stream().filter(row -> !row.stands()).toList();
    if (!stale.isEmpty()) {
      int _ = connections.inTransaction("sweep what instances left behind", c -> take(c, stale));
    }
    boolean more = page.size() == PAGE;
    reached = more ? page.getLast() : Row.START;
    return more;
  }

  private List<Row> page(Connection connection) throws SQLException {
    return new Selection(
            "select configuration, block, period,"
                + STANDS
                + " from (select configuration, block, period from standing where (configuration,"
                + " block, period) > (?, ?, ?) order by configuration, block, period limit ?) s"
                + " order by configuration, block, period",
            reached.configuration(),
            reached.block(),
            reached.period(),
            PAGE)
        .list(connection, StandingSweeper::row);
  }

  private static Row row(ResultSet row) throws SQLException {
    return new Row(row.getLong(1), row.getLong(2), row.getLong(3), row.getBoolean(4));
  }

  private static int take(Connection connection, List<Row> stale) throws SQLException {
    Connections.update(connection, IMPATIENT);
    try {
      Connections.update(connection, "lock table standing in exclusive mode");
    } catch (SQLException e) {
      if (Faults.isTimeout(e)) {
        connection.rollback();
        return 0;
      }
      throw e;
    }
    return Connections.update(
        connection,
        "delete from standing s using unnest(?::bigint[], ?::bigint[], ?::bigint[]) as t"
            + " (configuration, block, period) where s.configuration = t.configuration and s.block"
            + " = t.block and s.period = t.period and not"
            + STANDS,
        stale.stream().mapToLong(Row::configuration).toArray(),
        stale.stream().mapToLong(Row::block).toArray(),
        stale.stream().mapToLong(Row::period).toArray());
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
