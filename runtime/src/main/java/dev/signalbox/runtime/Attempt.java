package dev.signalbox.runtime;

import dev.signalbox.journal.EffectRow;
import dev.signalbox.journal.Lease;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One handler at work, whose thread is interrupted only while the handler runs. */
final class Attempt {
  private final Consumer<Attempt> work;
  private @Nullable Thread thread;
  private EffectRow effect;
  private boolean ended;
  private boolean interrupted;

  /**
   * An attempt that has not begun.
   *
   * @param work what is done
   */
  Attempt(EffectRow effect, Consumer<Attempt> work) {
    this.effect = effect;
    this.work = work;
  }

  /** Runs on a thread of its own. */
  void start() {
    Thread own = Thread.ofVirtual().name("signalbox-effect-" + effect().key()).unstarted(this::run);
    synchronized (this) {
      thread = own;
    }
    own.start();
  }

  /** Runs on the caller's thread, which nobody interrupts. */
  void run() {
    work.accept(this);
  }

  synchronized EffectRow effect() {
    return effect;
  }

  synchronized Lease lease() {
    return new Lease(effect.number(), effect.fence());
  }

  /**
   * Goes on under a newer fence: its own lease was over for a moment, and it took itself again.
   * Where nobody else had it in between, that has cut nothing off.
   *
   * @return false when the handler has ended; then the newer fence is for another attempt
   */
  synchronized boolean takeOver(EffectRow newer) {
    if (!ended) {
      boolean onlyOurs = newer.fence() == effect.fence() + 1;
      effect = onlyOurs && !effect.cutOff() ? EffectWork.whole(newer) : newer;
    }
    return !ended;
  }

  /** Tells the handler to stop. */
  synchronized void interrupt() {
    if (!ended) {
      interrupted = true;
      if (thread != null) {
        thread.interrupt();
      }
    }
  }

  synchronized boolean isInterrupted() {
    return interrupted;
  }

  /** The handler has ended: from now on nobody interrupts the thread, which has to report. */
  synchronized EffectRow end() {
    ended = true;
    if (thread != null) {
      boolean _ = Thread.interrupted();
    }
    return effect;
  }
}
