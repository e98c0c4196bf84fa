package dev.signalbox.bench.peers;

/** A library that keeps a queue of jobs; its workers call {@link Jobs#work}. */
interface JobPeer {
  /** Puts the jobs with the numbers from 0 into the queue, as many at a time as the library can. */
  void enqueue(int count) throws Exception;

  /** Lets this many workers begin. */
  void start(int workers) throws Exception;

  /** Lets the workers end. */
  void stop();

  /** A query for the number of jobs that have not ended well. */
  String unfinished();
}
