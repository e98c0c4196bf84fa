package dev.signalbox.server.mcp;

import dev.signalbox.runtime.Feed;
import dev.signalbox.runtime.Watch;

/**
 * Tells those who wait that something was committed. It is a hint for commits of this node, so
 * whoever waits also looks again after a while.
 */
final class Pulse implements AutoCloseable {
  private static final long SLICE_MS = 250;

  private final Watch watch;
  private long beats;
  private boolean closed;

  Pulse(Feed feed) {
    this.watch = feed.onCommit(this::beat);
  }

  private synchronized void beat() {
    beats++;
    notifyAll();
  }

  synchronized long beats() {
    return beats;
  }

  /**
   * Waits until there is another beat, the time is over, or it is closed.
   *
   * @return whether it is worth while to wait again
   */
  synchronized boolean awaitAfter(long seen, long millis) throws InterruptedException {
    long left = millis;
    while (!closed && beats == seen && left > 0) {
      long slice = Math.min(left, SLICE_MS);
      wait(slice);
      left -= slice;
    }
    return !closed;
  }

  /** Lets everyone who waits go. */
  @Override
  public void close() {
    watch.close();
    synchronized (this) {
      closed = true;
      notifyAll();
    }
  }
}
