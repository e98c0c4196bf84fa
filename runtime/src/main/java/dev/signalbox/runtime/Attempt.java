package dev.signalbox.runtime;

import dev.signalbox.journal.EffectRow;
import dev.signalbox.journal.Lease;

/** One handler at work, on a thread of its own that is interrupted only while the handler runs. */
final class Attempt {
  private final Thread thread;
  private EffectRow effect;
  private boolean ended;
  private boolean interrupted;

  /**
   * An attempt that has not begun.
   *
   * @param work what its thread does
   */
  Attempt(EffectRow effect, java.util.function.Consumer<Attempt> work) {
    this.effect = effect;
    this.thread =
        Thread.ofVirtual()
            .name("signalbox-effect-" + effect.key())
            .unstarted(() -> work.accept(this));
  }

  void start() {
    thread.start();
  }

  synchronized EffectRow effect() {
    return effect;
  }

  synchronized Lease lease() {
    return new Lease(effect.number(), effect.fence());
  }

  /**
   * Goes on under a newer fence: its own lease was over for a moment, and it took itself again.
   *
   * @return false when the handler has ended; then the newer fence is for another attempt
   */
  synchronized boolean takeOver(EffectRow newer) {
    if (!ended) {
      effect = newer;
    }
    return !ended;
  }

  /** Tells the handler to stop. */
  synchronized void interrupt() {
    if (!ended) {
      interrupted = true;
      thread.interrupt();
    }
  }

  synchronized boolean isInterrupted() {
    return interrupted;
  }

  /** The handler has ended: from now on nobody interrupts the thread, which has to report. */
  synchronized EffectRow end() {
    ended = true;
    boolean _ = Thread.interrupted();
    return effect;
  }
}
