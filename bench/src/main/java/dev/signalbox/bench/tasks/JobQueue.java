package dev.signalbox.bench.tasks;

/** A queue that jobs are put through, every twentieth of which fails once and is tried again. */
interface JobQueue {
  String name();

  /**
   * Puts the jobs into an empty database and then lets the workers begin.
   *
   * @param url the database
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
