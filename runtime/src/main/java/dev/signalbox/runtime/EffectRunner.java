package dev.signalbox.runtime;

import dev.signalbox.journal.EffectRow;
import dev.signalbox.journal.JournalException;
import java.lang.System.Logger;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Does the effects on threads of their own, as many at a time as the settings allow. The thread
 * that takes them is a loop over {@link #step}, which waits for nothing but the store; whoever
 * drives the runtime by hand calls the same, and lets each attempt run when it wants to.
 */
final class EffectRunner {
  private static final Logger LOG = System.getLogger(EffectRunner.class.getName());
  private static final long POLL = 500;

  /** Milliseconds that handlers have to finish, and again to stop, when the runtime closes. */
  private static final long GRACE = 10_000;

  private final EffectWork work;
  private final LeaseRenewer leases;
  private final Settings settings;
  private final Consumer<Command.Conclude> door;
  private final Consumer<Attempt> launch;
  private final Semaphore free;
  private final Semaphore asked = new Semaphore(0);

  /** Whether no more handlers may run, so that the end of one is a reason to look. */
  private volatile boolean full;

  private final Thread claimer;
  private volatile boolean closing;

  /**
   * @param door takes what became of an effect
   * @param launch lets an attempt {@link Attempt#run}, soon and on another thread
   */
  EffectRunner(
      EffectWork work,
      LeaseRenewer leases,
      Settings settings,
      Consumer<Command.Conclude> door,
      Consumer<Attempt> launch) {
    this.launch = launch;
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

  /** Takes no more effects. */
  void end() {
    closing = true;
    asked.release();
  }

  /** Takes no more effects and waits for those that run; the last ones are interrupted. */
  void close() {
    end();
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
        long wait = step();
        if (wait > 0) {
          boolean _ = asked.tryAcquire(wait, TimeUnit.MILLISECONDS);
          asked.drainPermits();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Takes as many effects as can run, and lets them. Whatever fails, the effects after it want to
   * be done: it is tried again.
   *
   * @return for how many milliseconds there is nothing to do, unless someone wakes it
   */
  long step() {
    try {
      return take();
    } catch (RuntimeException | Error e) {
      LOG.log(Logger.Level.ERROR, "Effects could not be taken; trying again.", e);
      return POLL;
    }
  }

  private long take() {
    int permits = free.drainPermits();
    if (permits == 0) {
      full = true;
      permits = free.drainPermits();
      if (permits == 0) {
        return POLL;
      }
    }
    full = false;
    List<EffectWork.Task> begun = List.of();
    boolean some = false;
    try {
      List<EffectRow> claimed = new ArrayList<>(work.claim(permits));
      some = !claimed.isEmpty();
      claimed.removeIf(leases::goesOn);
      begun = work.begin(claimed);
    } catch (JournalException e) {
      LOG.log(Logger.Level.WARNING, e.getMessage());
    } finally {
      free.release(permits - begun.size());
    }
    for (EffectWork.Task task : begun) {
      Attempt attempt = new Attempt(task.effect(), mine -> carryOut(mine, task));
      leases.began(attempt);
      try {
        launch.accept(attempt);
      } catch (RuntimeException | Error e) {
        work.giveBack(leases.ended(attempt));
        free.release();
        LOG.log(Logger.Level.ERROR, "An effect could not begin; it is taken again.", e);
      }
    }
    return some ? 0 : POLL;
  }

  private void carryOut(Attempt attempt, EffectWork.Task task) {
    try {
      Outcome outcome = work.outcome(task, attempt::isInterrupted);
      Command.Conclude conclude = work.conclude(leases.ended(attempt), outcome);
      if (conclude != null) {
        door.accept(conclude);
      }
    } catch (RuntimeException | Error e) {
      LOG.log(Logger.Level.WARNING, "Effect {0} could not report: {1}", attempt.effect().key(), e);
    } finally {
      EffectRow _ = leases.ended(attempt);
      free.release();
      if (full) {
        wake();
      }
    }
  }
}
