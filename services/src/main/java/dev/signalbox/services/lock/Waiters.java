package dev.signalbox.services.lock;

import dev.signalbox.runtime.CallerTrace;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Those who wait here for locks. What is done from here to a lock lets its waiters look at once;
 * what others do to it they see by looking again and again.
 */
final class Waiters {
  private static final long LOOK_SHARED = 100;
  private static final long LOOK_ALONE = 500;

  private final Locks locks;
  private final InstantSource clock;
  private final Map<String, List<Waiter>> byLock = new LinkedHashMap<>();
  private long hints;

  /** Somebody who waits. */
  private static final class Waiter {
    final Locked.Queued queued;
    final @Nullable Duration limit;
    final long until;
    final CallerTrace caller = CallerTrace.current();
    final CompletableFuture<Locked> answer = new CompletableFuture<>();
    long lookAt;
    long hinted;
    boolean asking;

    Waiter(Locked.Queued queued, @Nullable Duration limit, long until) {
      this.queued = queued;
      this.limit = limit;
      this.until = until;
    }
  }

  Waiters(Locks locks, InstantSource clock) {
    this.locks = locks;
    this.clock = clock;
  }

  synchronized CompletableFuture<Locked> add(
      Locked.Queued queued, @Nullable Duration limit, Duration patience) {
    Waiter waiter = new Waiter(queued, limit, clock.millis() + patience.toMillis());
    byLock.computeIfAbsent(queued.name(), _ -> new ArrayList<>()).add(waiter);
    return waiter.answer;
  }

  /** Something happened to the lock; says whether somebody here waits for it. */
  synchronized boolean hint(String name) {
    List<Waiter> waiting = byLock.get(name);
    if (waiting == null) {
      return false;
    }
    hints++;
    for (Waiter waiter : waiting) {
      waiter.lookAt = 0;
      waiter.hinted = hints;
    }
    return true;
  }

  long pass() {
    long now = clock.millis();
    Map<String, @Nullable Lock> looks = new LinkedHashMap<>();
    long before;
    synchronized (this) {
      before = hints;
      byLock.forEach((name, waiting) -> {
        if (waiting.stream().anyMatch(waiter -> !waiter.asking && waiter.lookAt <= now)) {
          looks.put(name, null);
        }
      });
    }
    // Read where nobody is kept waiting for it.
    looks.replaceAll((name, _) -> locks.find(name));
    List<Waiter> over = new ArrayList<>();
    List<Waiter> ask = new ArrayList<>();
    long next = sort(now, before, looks, ask, over);
    ask.forEach(waiter -> waiter.caller.run(() -> ask(waiter)));
    over.forEach(waiter -> waiter.caller.run(() -> leave(waiter)));
    return Math.max(0, next - now);
  }

  /** Finds those whose turn it is and those who have waited long enough; when to look again. */
  private synchronized long sort(
      long now,
      long hintsBefore,
      Map<String, @Nullable Lock> looks,
      List<Waiter> ask,
      List<Waiter> over) {
    long next = now + 1_000;
    for (Map.Entry<String, List<Waiter>> entry : byLock.entrySet()) {
      Lock lock = looks.get(entry.getKey());
      for (Iterator<Waiter> i = entry.getValue().iterator(); i.hasNext(); ) {
        Waiter waiter = i.next();
        if (waiter.asking) {
          continue;
        }
        // A hint that came while the store was read is for the next time.
        if (lock != null && waiter.hinted <= hintsBefore) {
          waiter.lookAt = now + (locks.isShared() ? LOOK_SHARED : LOOK_ALONE);
        }
        if (lock != null && isTheTurnOf(lock, waiter.queued.holder())) {
          waiter.asking = true;
          ask.add(waiter);
        } else if (waiter.until <= now) {
          i.remove();
          over.add(waiter);
        } else {
          next = Math.min(next, Math.min(waiter.until, waiter.lookAt));
        }
      }
    }
    byLock.values().removeIf(List::isEmpty);
    return next;
  }

  /** Also when it is neither queued nor reserved for: then its place was lost, and it asks anew. */
  private static boolean isTheTurnOf(Lock lock, String holder) {
    return lock.isFreeFor(holder) || !lock.queue().contains(holder);
  }

  private void ask(Waiter waiter) {
    Locked.Queued queued = waiter.queued;
    var _ =
        locks
            .ask(queued.name(), queued.holder(), waiter.limit)
            .whenComplete((answer, failure) -> {
              boolean queuedAgain;
              synchronized (this) {
                waiter.asking = false;
                queuedAgain = answer instanceof Locked.Queued;
                if (!queuedAgain) {
                  List<Waiter> waiting = byLock.get(queued.name());
                  if (waiting != null) {
                    waiting.remove(waiter);
                  }
                }
              }
              if (failure != null) {
                waiter.answer.completeExceptionally(failure);
              } else if (!queuedAgain) {
                waiter.answer.complete(answer);
              }
            });
  }

  private void leave(Waiter waiter) {
    Locked.Queued queued = waiter.queued;
    var _ =
        locks
            .leave(queued.name(), queued.holder())
            .whenComplete((_, _) -> waiter.answer.complete(queued));
  }

  /** Lets everybody here leave the queue. */
  void close() {
    List<Waiter> all = new ArrayList<>();
    synchronized (this) {
      byLock.values().forEach(all::addAll);
      byLock.clear();
    }
    all.stream().filter(waiter -> !waiter.answer.isDone()).forEach(this::leave);
  }
}
