package dev.signalbox.journal.postgres;

import dev.signalbox.journal.JournalException;
import dev.signalbox.journal.sql.Selection;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Takes rows out of {@code standing} that instances left behind, page by page. What it has not come
 * to yet makes a query by state slower and never wrong. Of several nodes one sweeps at a time.
 *
 * <p>It locks the instance before it takes a row out, as an append does before it puts one in; so a
 * row can't go while the instance comes back to it.
 */
final class StandingSweeper implements AutoCloseable {
  private static final int PAGE = 10_000;
  private static final long BETWEEN_PAGES = 1;
  private static final long BETWEEN_PASSES = 60;

  /** An instance that moved just now is likely to come back. */
  private static final long REST = 10_000;

  private static final String SWEEP =
      "with turn as materialized (select pg_try_advisory_xact_lock(7420, 1) as mine), page as"
          + " materialized (select configuration, instance from standing where (select mine from"
          + " turn) and (configuration, instance) > (?, ?) order by configuration, instance limit"
          + " ?), left_behind as (select i.number, page.configuration from page join instance i on"
          + " i.number = page.instance where i.configuration <> page.configuration and i.at < "
          + Reader.NOW
          + " - ? order by i.number for no key update of i skip locked), swept as (delete from"
          + " standing s using left_behind l where s.configuration = l.configuration and s.instance"
          + " = l.number) select configuration, instance from page order by configuration desc,"
          + " instance desc limit 1";

  private final Connections connections;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("signalbox-standing").factory());
  private Place reached = Place.START;

  private record Place(long configuration, long instance) {
    static final Place START = new Place(-1, -1);
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
      // The database is away; whoever appends is told, and there is time until it is back.
      next(BETWEEN_PASSES);
    }
  }

  /** Sweeps a page; false at the end of the table. */
  synchronized boolean sweep() {
    Place end =
        connections.run(
            "sweep what instances left behind",
            c ->
                new Selection(SWEEP, reached.configuration(), reached.instance(), PAGE, REST)
                    .first(c, row -> new Place(row.getLong(1), row.getLong(2))));
    reached = end == null ? Place.START : end;
    return end != null;
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
