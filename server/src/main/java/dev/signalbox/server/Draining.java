package dev.signalbox.server;

import java.time.Duration;

/** Counts the requests inside, and lets none in any more once the server is closing. */
final class Draining {
  private int inside;
  private boolean closing;

  /** Lets a request in; false when none is let in any more. */
  synchronized boolean enter() {
    if (closing) {
      return false;
    }
    inside++;
    return true;
  }

  synchronized void leave() {
    inside--;
    if (inside == 0) {
      notifyAll();
    }
  }

  synchronized boolean isClosing() {
    return closing;
  }

  synchronized void close() {
    closing = true;
  }

  /**
   * Waits until the last request has left, but not for ever.
   *
   * @return whether none is left
   */
  synchronized boolean awaitEmpty(Duration most) throws InterruptedException {
    long left = most.toMillis();
    // Waiting in slices measures the time without a clock.
    while (inside > 0 && left > 0) {
      long slice = Math.min(left, 50);
      wait(slice);
      left -= slice;
    }
    return inside == 0;
  }
}
