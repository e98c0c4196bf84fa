package dev.signalbox.bench.tasks;

/** A queue that jobs are put through, every twentieth of which fails once and is tried again. */
interface JobQueue {
  String name();

  /**
   * Puts the jobs into a database and then lets the workers begin, after a fifth as many that only
   * warm up.
   *
   * @param url the database, which is empty
   */
  Rates run(String url, int jobs, int workers) throws Exception;

  /**
   * What was seen.
   *
   * @param jobs jobs a second from the workers' start until the store has the last one as done
   * @param firstAttempts the same until each was tried once, so without the wait before a retry
   * @param enqueued jobs put in a second, before
   */
  record Rates(double jobs, double firstAttempts, double enqueued) {}
}
