package dev.signalbox.services.task;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The tasks that wait for a worker, as far as this node knows: by priority, and then who came
 * first. A task that has waited for an hour counts as one of the next higher priority, and so on,
 * so that none waits for ever behind more important ones.
 *
 * <p>It holds no more than it may, and as many that are tried again. When there are more, the
 * youngest of the lowest priority are left to the store, and {@link #hasMore} says so. For one
 * thread at a time.
 */
final class Backlog {
  /** How long a retry is kept for another worker than the one that failed. */
  private static final long KEPT_FOR_OTHERS = Duration.ofSeconds(30).toMillis();

  private final int most;
  private final Map<Priority, Map<String, NavigableMap<Long, Ready>>> ready =
      new EnumMap<>(Priority.class);
  private final PriorityQueue<Ready> delayed =
      new PriorityQueue<>(Comparator.comparingLong(Ready::notBefore));
  private final Map<String, Placed> byId = new HashMap<>();
  private long serial;
  private int retries;
  private boolean more;
  private boolean moreRetries;

  /** A task and its place among those that wait. */
  private record Placed(Ready task, long place) {}

  Backlog(int most) {
    this.most = most;
    for (Priority priority : Priority.values()) {
      ready.put(priority, new HashMap<>());
    }
  }

  int size() {
    return byId.size();
  }

  /** Tasks that wait for the first time. */
  int firsts() {
    return byId.size() - retries;
  }

  boolean has(String task) {
    return byId.containsKey(task);
  }

  /** Whether the store has waiting tasks that are not here for want of room. */
  boolean hasMore() {
    return more;
  }

  /** The store was not read to its end. */
  void noteMore() {
    more = true;
  }

  /** Whether some of these are tasks that are tried again. */
  boolean hasMoreRetries() {
    return moreRetries;
  }

  /** The store is about to be read. */
  void forgetMore() {
    more = false;
    moreRetries = false;
  }

  /** Adds a task, or what is newer about it. */
  void add(Ready task, long now) {
    remove(task.id());
    if ((task.isRetry() ? retries : firsts()) >= most && !makeRoom(task)) {
      more = true;
      moreRetries |= task.isRetry();
      return;
    }
    Placed placed = new Placed(task, place(task));
    byId.put(task.id(), placed);
    retries += task.isRetry() ? 1 : 0;
    if (task.notBefore() > now) {
      delayed.add(task);
    } else {
      line(task).put(placed.place, task);
    }
  }

  /** By its turn; within a millisecond, in the order of coming here. */
  private long place(Ready task) {
    return (task.turn() << 20) | (serial++ & 0xFFFFF);
  }

  /** Lets the youngest of a lower priority go; false when there is none. */
  private boolean makeRoom(Ready task) {
    more = true;
    for (Priority lower : task.priority().lower()) {
      for (NavigableMap<Long, Ready> line : lines(lower).values()) {
        if (!line.isEmpty()) {
          remove(line.lastEntry().getValue().id());
          return true;
        }
      }
    }
    return false;
  }

  private NavigableMap<Long, Ready> line(Ready task) {
    return lines(task.priority()).computeIfAbsent(task.kind(), _ -> new TreeMap<>());
  }

  private Map<String, NavigableMap<Long, Ready>> lines(Priority priority) {
    Map<String, NavigableMap<Long, Ready>> lines = ready.get(priority);
    if (lines == null) {
      throw new IllegalStateException("Every priority has its lines.");
    }
    return lines;
  }

  void remove(String id) {
    Placed known = byId.remove(id);
    if (known == null) {
      return;
    }
    retries -= known.task.isRetry() ? 1 : 0;
    if (line(known.task).remove(known.place) == null) {
      delayed.remove(known.task);
    }
  }

  Set<String> ids() {
    return Set.copyOf(byId.keySet());
  }

  /** Whether the task is here because it was found in the store, up to that number. */
  boolean isFound(String id, long upTo) {
    Placed known = byId.get(id);
    return known != null && known.task.isFound() && known.task.number() <= upTo;
  }

  /** When the next task that waits for its time may be leased; never, when there is none. */
  long nextDelayed() {
    Ready next = delayed.peek();
    return next == null ? Long.MAX_VALUE : next.notBefore();
  }

  /** Moves tasks whose time has come to those that may be leased; says whether there were any. */
  boolean release(long now) {
    boolean released = false;
    while (nextDelayed() <= now) {
      Ready task = delayed.remove();
      Placed placed = byId.get(task.id());
      if (placed != null) {
        line(task).put(placed.place, task);
        released = true;
      }
    }
    return released;
  }

  /**
   * Takes out the task whose turn it is.
   *
   * @param kinds that may be taken; empty for all
   * @param othersTake whether another worker is there for the kind
   */
  @Nullable Ready take(
      String worker, Collection<String> kinds, long now, Predicate<String> othersTake) {
    Ready best = null;
    for (Priority priority : Priority.values()) {
      Map<String, NavigableMap<Long, Ready>> lines = lines(priority);
      for (String kind : kinds.isEmpty() ? lines.keySet() : kinds) {
        NavigableMap<Long, Ready> line = lines.get(kind);
        Ready first = line == null ? null : first(line, worker, now, othersTake);
        if (first != null && (best == null || isBefore(first, best, now))) {
          best = first;
        }
      }
    }
    if (best != null) {
      remove(best.id());
    }
    return best;
  }

  private @Nullable Ready first(
      NavigableMap<Long, Ready> line, String worker, long now, Predicate<String> othersTake) {
    List<Ready> gone = new ArrayList<>(0);
    Ready found = null;
    for (Ready task : line.values()) {
      if (task.expiresAt() <= now) {
        gone.add(task);
      } else if (!task.lastWorker().equals(worker)
          || now >= task.notBefore() + KEPT_FOR_OTHERS
          || !othersTake.test(task.kind())) {
        found = task;
        break;
      }
    }
    gone.forEach(task -> remove(task.id()));
    return found;
  }

  private static boolean isBefore(Ready one, Ready other, long now) {
    int level = one.level(now);
    int otherLevel = other.level(now);
    return level != otherLevel ? level < otherLevel : one.turn() < other.turn();
  }
}
