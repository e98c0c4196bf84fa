package dev.signalbox.bench.peers;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;

/** Trivial jobs of which every twentieth fails at its first attempt. */
final class Jobs {
  /** How long a job that failed waits for its next attempt, in every library. */
  static final Duration PAUSE = Duration.ofSeconds(5);

  private static final int FAILING = 20;

  /** Libraries make the objects that run jobs, so what the jobs share is reached without one. */
  private static volatile Jobs current = new Jobs(0);

  private final Set<Integer> failed = ConcurrentHashMap.newKeySet();
  private final CountDownLatch attempted;
  private final CountDownLatch succeeded;

  private Jobs(int count) {
    this.attempted = new CountDownLatch(count);
    this.succeeded = new CountDownLatch(count);
  }

  /** What a worker does for a job. */
  static void work(int number) {
    Jobs jobs = current;
    if (number % FAILING == 0 && jobs.failed.add(number)) {
      jobs.attempted.countDown();
      throw new IllegalStateException("Job %d fails once.".formatted(number));
    }
    if (number % FAILING != 0) {
      jobs.attempted.countDown();
    }
    jobs.succeeded.countDown();
  }

  /**
   * Puts jobs through workers and gives three rates with tabs between them: jobs a second until the
   * store has the last one as done, first attempts a second until the last of them, which leaves
   * out how long the library waits before it tries again, and jobs enqueued a second. A fifth as
   * many go through before, so that what is measured is compiled.
   */
  static String run(JobPeer peer, DataSource source, int count, int workers) throws Exception {
    String _ = once(peer, source, count / 5, workers);
    peer.stop();
    return once(peer, source, count, workers);
  }

  private static String once(JobPeer peer, DataSource source, int count, int workers)
      throws Exception {
    Jobs jobs = new Jobs(count);
    current = jobs;
    long enqueuing = System.nanoTime();
    peer.enqueue(count);
    long start = System.nanoTime();
    peer.start(workers);
    jobs.attempted.await();
    long attempted = System.nanoTime();
    jobs.succeeded.await();
    while (unfinished(source, peer.unfinished()) > 0) {
      Thread.sleep(20);
    }
    long end = System.nanoTime();
    return String.format(
        Locale.ROOT,
        "%.1f\t%.1f\t%.1f",
        rate(count, start, end),
        rate(count, start, attempted),
        rate(count, enqueuing, start));
  }

  private static double rate(int count, long from, long to) {
    return count / ((to - from) / 1e9);
  }

  private static long unfinished(DataSource source, String query) throws SQLException {
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      rows.next();
      return rows.getLong(1);
    }
  }
}
