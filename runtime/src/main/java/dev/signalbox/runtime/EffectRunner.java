package dev.signalbox.runtime;

import dev.signalbox.journal.EffectRow;
import dev.signalbox.journal.JournalException;
import java.lang.System.Logger;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Does the effects on threads of their own, as many at a time as the settings allow. */
final class EffectRunner {
  private static final Logger LOG = System.getLogger(EffectRunner.class.getName());
  private static final long POLL = 500;

  private final EffectWork work;
  private final Settings settings;
  private final Consumer<Command.Conclude> door;
  private final Semaphore free;
  private final Semaphore asked = new Semaphore(0);
  private final Thread claimer;
  private volatile boolean closing;

  EffectRunner(EffectWork work, Settings settings, Consumer<Command.Conclude> door) {
    this.work = work;
    this.settings = settings;
    this.door = door;
    this.free = new Semaphore(settings.effectsAtOnce());
    this.claimer = Thread.ofPlatform().name("signalbox-effects").daemon().unstarted(this::run);
  }

  void handle(String effect, EffectHandler handler) {
    work.handle(effect, handler);
    wake();
  }

  void start() {
    claimer.start();
  }

  void wake() {
    if (asked.availablePermits() == 0) {
      asked.release();
    }
  }

  /** Takes no more effects and waits for those that run. */
  void close() {
    closing = true;
    asked.release();
    try {
      claimer.join();
      if (!free.tryAcquire(
          settings.effectsAtOnce(), settings.lease().toMillis(), TimeUnit.MILLISECONDS)) {
        LOG.log(Logger.Level.WARNING, "Some effects still run; their leases end by themselves.");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    try {
      while (!closing) {
        if (!claimSome()) {
          boolean _ = asked.tryAcquire(POLL, TimeUnit.MILLISECONDS);
          asked.drainPermits();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Takes as many effects as can run; false when there was none, or the store fails. */
  private boolean claimSome() throws InterruptedException {
    free.acquire();
    int permits = 1 + free.drainPermits();
    List<EffectRow> claimed = List.of();
    try {
      claimed = work.claim(permits);
    } catch (JournalException e) {
      LOG.log(Logger.Level.WARNING, e.getMessage());
    } finally {
      free.release(permits - claimed.size());
    }
    for (EffectRow effect : claimed) {
      Thread.ofVirtual().name("signalbox-effect-" + effect.key()).start(() -> attempt(effect));
    }
    return !claimed.isEmpty();
  }

  private void attempt(EffectRow effect) {
    try {
      Command.Conclude conclude = work.attempt(effect);
      if (conclude != null) {
        door.accept(conclude);
      }
    } catch (RuntimeException e) {
      LOG.log(Logger.Level.WARNING, "Effect {0} could not report: {1}", effect.key(), e);
    } finally {
      free.release();
    }
  }
}
