package dev.signalbox.definition.check;

import java.util.concurrent.CancellationException;

/** Where a check ends whose caller waits no more: what takes long asks here again and again. */
final class Ending {
  private Ending() {}

  /**
   * Goes on, unless the thread was interrupted.
   *
   * @throws CancellationException when it was
   */
  static void look() {
    if (Thread.currentThread().isInterrupted()) {
      throw new CancellationException("Expected to check the machine, but nobody waits for it.");
    }
  }
}
