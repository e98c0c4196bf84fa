package dev.signalbox.runtime;

import dev.signalbox.journal.EffectRow;
import dev.signalbox.journal.JournalException;
import java.lang.System.Logger;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Does the effects on threads of their own, as many at a time as the settings allow. */
final class EffectRunner {
  private static final Logger LOG = System.getLogger(EffectRunner.class.getName());
  private static final long POLL = 500;

  /** Milliseconds that handlers have to finish, and again to stop, when the runtime closes. */
  private static final long GRACE = 10_000;

  private final EffectWork work;
  private final LeaseRenewer leases;
  private final Settings settings;
  private final Consumer<Command.Conclude> door;
  private final Semaphore free;
  private final Semaphore asked = new Semaphore(0);
  private final Thread claimer;
  private volatile boolean closing;

  EffectRunner(
      EffectWork work, LeaseRenewer leases, Settings settings, Consumer<Command.Conclude> door) {
    this.work = work;
    this.leases = leases;
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
    leases.start();
  }

  void wake() {
    if (asked.availablePermits() == 0) {
      asked.release();
    }
  }

  /** Looks whether the effects that run are still wanted. */
  void look() {
    leases.wake();
  }

  /** Takes no more effects and waits for those that run; the last ones are interrupted. */
  void close() {
    closing = true;
    asked.release();
    try {
      claimer.join();
      if (!isAtRest()) {
        leases.interruptAll();
        if (!isAtRest()) {
          LOG.log(Logger.Level.WARNING, "Some effects still run; their leases end by themselves.");
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    leases.close();
  }

  private boolean isAtRest() throws InterruptedException {
    long grace = Math.min(GRACE, settings.lease().toMillis());
    boolean rest = free.tryAcquire(settings.effectsAtOnce(), grace, TimeUnit.MILLISECONDS);
    if (rest) {
      free.release(settings.effectsAtOnce());
    }
    return rest;
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
    if (!free.tryAcquire(POLL, TimeUnit.MILLISECONDS)) {
      return true;
    }
    int permits = 1 + free.drainPermits();
    List<EffectRow> claimed = new ArrayList<>();
    boolean some = false;
    try {
      claimed.addAll(work.claim(permits));
      some = !claimed.isEmpty();
      claimed.removeIf(leases::goesOn);
    } catch (JournalException e) {
      LOG.log(Logger.Level.WARNING, e.getMessage());
    } finally {
      free.release(permits - claimed.size());
    }
    for (EffectRow effect : claimed) {
      Attempt attempt = new Attempt(effect, this::carryOut);
      leases.began(attempt);
      attempt.start();
    }
    return some;
  }

  private void carryOut(Attempt attempt) {
    try {
      Outcome outcome = work.outcome(attempt.effect(), attempt::isInterrupted);
      Command.Conclude conclude = work.conclude(leases.ended(attempt), outcome);
      if (conclude != null) {
        door.accept(conclude);
      }
    } catch (RuntimeException e) {
      LOG.log(Logger.Level.WARNING, "Effect {0} could not report: {1}", attempt.effect().key(), e);
    } finally {
      EffectRow _ = leases.ended(attempt);
      free.release();
    }
  }
}
