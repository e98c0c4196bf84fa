package dev.signalbox.services.task;

import dev.signalbox.journal.InstanceRow;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.CallerTrace;
import dev.signalbox.runtime.Host;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Brings workers that ask and tasks that wait together. It decides in memory who gets what; a
 * {@link LeaseGiver} then asks the machines.
 *
 * <p>Any thread. The lock is held while memory is changed, never while something is waited for.
 */
final class Dispatcher {
  static final Actor QUEUE = new Actor(Actor.Kind.SYSTEM, "queue", List.of("queue"));

  /** How long a worker that asked counts as one that is there. */
  private static final long PRESENT = Duration.ofMinutes(5).toMillis();

  /** No task. */
  static final long NONE = -1;

  private static final long COURTESY = 1_000;
  private static final long SPREAD = 2_000;

  private final Host host;
  private final LeaseGiver giver;
  private final ReentrantLock lock = new ReentrantLock();
  private final Backlog backlog;
  private final Deque<Claim> claims = new ArrayDeque<>();
  private final Map<String, Presence> workers = new HashMap<>();

  /** Where several nodes share the store, each prefers other tasks among those it found there. */
  private final boolean shared;

  private final int taste = System.identityHashCode(this);

  /** What was taken since the reading of the store began, so that an old row brings none back. */
  private @Nullable Set<String> takenMeanwhile;

  /** What was here when the reading of the store began. */
  private Set<String> knownBefore = Set.of();

  /** What is being leased, and not yet in the store as such. */
  private final Set<String> onTheirWay = new HashSet<>();

  private record Presence(Collection<String> kinds, long at) {}

  Dispatcher(Host host, int most, Consumer<String> lookAgain) {
    this.host = host;
    this.backlog = new Backlog(most);
    this.giver = new LeaseGiver(host, lookAgain, this::arrived, this::retake);
    this.shared = host.journal().isShared();
  }

  static Actor worker(String name) {
    return new Actor(Actor.Kind.SYSTEM, name, List.of("worker"));
  }

  CompletableFuture<Polled> take(
      String worker,
      Collection<String> kinds,
      int most,
      boolean start,
      Duration wait,
      Companion companion) {
    CompletableFuture<Polled> answer = new CompletableFuture<>();
    long now = host.clock().millis();
    Claim claim =
        new Claim(
            worker,
            List.copyOf(kinds),
            most,
            start,
            now + wait.toMillis(),
            companion,
            CallerTrace.current(),
            answer);
    List<Grant> grants;
    lock.lock();
    try {
      workers.put(worker, new Presence(claim.kinds(), now));
      claims.add(claim);
      grants = match();
      if (claims.peekLast() == claim) {
        companion.waiting();
        if (wait.isZero()) {
          claims.removeLast();
          claim.answer(List.of());
        }
      }
    } finally {
      lock.unlock();
    }
    grants.forEach(giver::give);
    return answer;
  }

  /** The worker is gone: nothing more is given to it, and its retries may go to anyone. */
  void forget(String worker) {
    List<Claim> dropped = new ArrayList<>();
    lock.lock();
    try {
      workers.remove(worker);
      for (Iterator<Claim> i = claims.iterator(); i.hasNext(); ) {
        Claim claim = i.next();
        if (claim.worker().equals(worker)) {
          i.remove();
          dropped.add(claim);
        }
      }
    } finally {
      lock.unlock();
    }
    dropped.forEach(claim -> claim.answer(List.of()));
  }

  /** A task may be leased, now or when its time has come. */
  void offer(Ready task) {
    long _ = offer(List.of(task), false);
  }

  /**
   * Tasks as the store had them when it was read.
   *
   * @return the number of the first for which there was no room, or {@link #NONE}
   */
  long offerRead(List<Ready> tasks) {
    return offer(tasks, true);
  }

  private long offer(List<Ready> tasks, boolean read) {
    List<Grant> grants;
    long without = NONE;
    lock.lock();
    try {
      long now = host.clock().millis();
      for (Ready task : tasks) {
        boolean old = read ? isKnown(task.id()) : onTheirWay.contains(task.id());
        if (!old) {
          backlog.add(read && shared ? task.later(courtesy(task)) : task, now);
          if (without == NONE && !backlog.has(task.id())) {
            without = task.number();
          }
        }
      }
      grants = match();
    } finally {
      lock.unlock();
    }
    grants.forEach(giver::give);
    return without;
  }

  /** Whether the task is here, on its way, or was taken since the reading of the store began. */
  private boolean isKnown(String task) {
    return onTheirWay.contains(task)
        || backlog.has(task)
        || (takenMeanwhile != null && takenMeanwhile.contains(task));
  }

  /** Those of the rows that were read of which {@link #offerRead} would hear something new. */
  List<InstanceRow> unknown(List<InstanceRow> read) {
    lock.lock();
    try {
      return read.stream().filter(row -> !isKnown(row.id())).toList();
    } finally {
      lock.unlock();
    }
  }

  /**
   * How much later the turn of a task comes that this node only found: the node it was given to is
   * likely to lease it, and the others should not all try the same one next.
   */
  private long courtesy(Ready task) {
    int mixed = (task.id().hashCode() ^ taste) * 0x9E3779B9;
    return COURTESY + (mixed >>> 16) % SPREAD;
  }

  void remove(String task) {
    lock.lock();
    try {
      backlog.remove(task);
    } finally {
      lock.unlock();
    }
  }

  int size() {
    lock.lock();
    try {
      return backlog.size();
    } finally {
      lock.unlock();
    }
  }

  /** How many tasks wait here, and how many workers wait for some. */
  int waitingClaims() {
    lock.lock();
    try {
      return claims.size();
    } finally {
      lock.unlock();
    }
  }

  /** How many tasks wait here for the first time. */
  int firsts() {
    lock.lock();
    try {
      return backlog.firsts();
    } finally {
      lock.unlock();
    }
  }

  /** Whether the store has to be read, because it has more than fitted here. */
  boolean wantsMore(int below) {
    lock.lock();
    try {
      return backlog.hasMore() && backlog.firsts() < below;
    } finally {
      lock.unlock();
    }
  }

  /** Whether what did not fit are, in part, tasks that are tried again. */
  boolean wantsRetries() {
    lock.lock();
    try {
      return backlog.hasMoreRetries();
    } finally {
      lock.unlock();
    }
  }

  /**
   * The store is about to be read.
   *
   * @param fromTheStart whether everything that waits is read, not only what comes behind
   */
  void readingBegins(boolean fromTheStart) {
    lock.lock();
    try {
      backlog.forgetMore();
      takenMeanwhile = new HashSet<>(onTheirWay);
      knownBefore = shared && fromTheStart ? backlog.ids() : Set.of();
    } finally {
      lock.unlock();
    }
  }

  /**
   * What was here before and is not in the store as waiting any more went to others.
   *
   * @param seen the tasks that were read
   * @param complete whether that were all
   * @param upTo the last that was read if not; of what comes behind nothing is known
   */
  void readingEnds(Set<String> seen, boolean complete, long upTo) {
    lock.lock();
    try {
      for (String id : knownBefore) {
        if (!seen.contains(id) && (complete || backlog.isFound(id, upTo))) {
          backlog.remove(id);
        }
      }
      if (!complete) {
        backlog.noteMore();
      }
      knownBefore = Set.of();
      takenMeanwhile = null;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Does what the time asks for: tasks whose backoff is over are offered, and workers that have
   * waited long enough are answered.
   *
   * @return when it has to be done again
   */
  long pass() {
    long now = host.clock().millis();
    List<Claim> over = new ArrayList<>();
    List<Grant> grants;
    long next;
    lock.lock();
    try {
      backlog.release(now);
      grants = match();
      next = backlog.nextDelayed();
      for (Iterator<Claim> i = claims.iterator(); i.hasNext(); ) {
        Claim claim = i.next();
        if (claim.until() <= now) {
          i.remove();
          over.add(claim);
        } else {
          next = Math.min(next, claim.until());
        }
      }
      workers.values().removeIf(presence -> presence.at + PRESENT < now);
    } finally {
      lock.unlock();
    }
    grants.forEach(giver::give);
    over.forEach(claim -> claim.answer(List.of()));
    return next;
  }

  private List<Grant> match() {
    if (claims.isEmpty() || backlog.size() == 0) {
      return List.of();
    }
    long now = host.clock().millis();
    List<Grant> grants = new ArrayList<>();
    for (Iterator<Claim> i = claims.iterator(); i.hasNext() && backlog.size() > 0; ) {
      Claim claim = i.next();
      // Nobody takes many while others stand idle.
      int share = Math.max(1, backlog.size() / claims.size());
      List<Ready> tasks = new ArrayList<>();
      while (tasks.size() < Math.min(claim.most(), share)) {
        Ready task =
            backlog.take(
                claim.worker(), claim.kinds(), now, kind -> othersTake(claim.worker(), kind));
        if (task == null) {
          break;
        }
        tasks.add(task);
        onTheirWay.add(task.id());
        if (takenMeanwhile != null) {
          takenMeanwhile.add(task.id());
        }
      }
      if (!tasks.isEmpty()) {
        i.remove();
        grants.add(new Grant(claim, tasks));
      }
    }
    return grants;
  }

  private boolean othersTake(String worker, String kind) {
    return workers.entrySet().stream()
        .anyMatch(e ->
            !e.getKey().equals(worker)
                && (e.getValue().kinds.isEmpty() || e.getValue().kinds.contains(kind)));
  }

  /** The machines have answered for the tasks, whatever they said. */
  private void arrived(List<String> tasks) {
    lock.lock();
    try {
      tasks.forEach(onTheirWay::remove);
    } finally {
      lock.unlock();
    }
  }

  /** All of it went to others: the claim waits on. */
  private void retake(Claim claim) {
    List<Grant> grants;
    lock.lock();
    try {
      claims.addFirst(claim);
      grants = match();
    } finally {
      lock.unlock();
    }
    grants.forEach(giver::give);
  }
}
