package dev.signalbox.runtime;

import dev.signalbox.journal.EffectRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.JournalException;
import dev.signalbox.journal.Lease;
import java.lang.System.Logger;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Renews the leases of effects as long as their handlers run, and interrupts the handlers of those
 * that are another's by now or have ended with their state. While the store does not answer,
 * handlers go on: whether they still count shows when it does. The thread is a loop over {@link
 * #step}, which waits for nothing but the store.
 */
final class LeaseRenewer {
  private static final Logger LOG = System.getLogger(LeaseRenewer.class.getName());

  /** Milliseconds after which the clock is looked at again. */
  private static final long TICK = 500;

  /** How soon it is seen that another node's step has left the state of an effect. */
  private static final long GLANCE = 1_000;

  private final Journal journal;
  private final InstantSource clock;
  private final long lease;
  private final Map<Long, Attempt> running = new ConcurrentHashMap<>();
  private final Semaphore asked = new Semaphore(0);
  private final Thread thread;
  private volatile boolean closing;

  /** Whether someone wants to know at once. */
  private volatile boolean wanted;

  private long renewed;

  LeaseRenewer(Journal journal, InstantSource clock, long lease) {
    this.journal = journal;
    this.clock = clock;
    this.lease = lease;
    this.thread = Thread.ofPlatform().name("signalbox-leases").daemon().unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  /** Looks at once whether the effects that run are still wanted. */
  void wake() {
    if (!running.isEmpty()) {
      wanted = true;
      asked.release();
    }
  }

  void began(Attempt attempt) {
    running.put(attempt.effect().number(), attempt);
  }

  /**
   * Whether a handler that runs goes on under the lease that was just taken, because its own was
   * over before it could be renewed.
   */
  boolean goesOn(EffectRow taken) {
    Attempt attempt = running.get(taken.number());
    return attempt != null && attempt.takeOver(taken);
  }

  /** The handler has ended; what is reported is reported under the lease that this gives. */
  EffectRow ended(Attempt attempt) {
    EffectRow effect = attempt.end();
    running.remove(effect.number(), attempt);
    return effect;
  }

  void interruptAll() {
    running.values().forEach(Attempt::interrupt);
  }

  void close() {
    closing = true;
    asked.release();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    try {
      while (!closing) {
        if (asked.tryAcquire(step(), TimeUnit.MILLISECONDS)) {
          asked.drainPermits();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Renews what has to be renewed by now. Whatever fails is tried again: without this thread every
   * effect that takes long would become another's too.
   *
   * @return after how many milliseconds to look again, unless someone wakes it
   */
  long step() {
    try {
      if (wanted || isTime()) {
        wanted = false;
        renew();
      }
    } catch (JournalException e) {
      LOG.log(Logger.Level.WARNING, e.getMessage());
    } catch (RuntimeException | Error e) {
      LOG.log(Logger.Level.ERROR, "Leases could not be renewed; trying again.", e);
    }
    return Math.clamp(lease / 6, 1, TICK);
  }

  private boolean isTime() {
    long passed = clock.millis() - renewed;
    return passed < 0 || passed >= pause();
  }

  private long pause() {
    boolean glance =
        journal.isShared()
            && running.values().stream().anyMatch(attempt -> attempt.effect().during() != null);
    return glance ? Math.min(lease / 3, GLANCE) : lease / 3;
  }

  private void renew() {
    renewed = clock.millis();
    List<Attempt> attempts = List.copyOf(running.values());
    List<Lease> leases = new ArrayList<>(attempts.size());
    attempts.forEach(attempt -> leases.add(attempt.lease()));
    if (leases.isEmpty()) {
      return;
    }
    Set<Lease> lost = new HashSet<>(journal.renew(leases, lease));
    for (int i = 0; i < attempts.size(); i++) {
      Attempt attempt = attempts.get(i);
      // One that has taken its effect again meanwhile has another lease.
      if (lost.contains(leases.get(i)) && attempt.lease().equals(leases.get(i))) {
        attempt.interrupt();
      }
    }
  }
}
