package dev.signalbox.server.api;

import dev.signalbox.kernel.Edge;
import dev.signalbox.runtime.Feed;
import dev.signalbox.runtime.FeedEntry;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * What happened in the last minutes, as the journal tells it: which transitions were taken, and how
 * much of each kind there was every ten seconds. It reads the feed when it is asked and does
 * nothing otherwise. What is further back than it reads at once is left out, so under a heavy load
 * it knows less of the past; it is for looking, the metrics are for counting. Any thread may ask.
 */
final class Activity {
  /** How far back the flow over transitions goes, in milliseconds. */
  static final long FLOW = 300_000;

  /** How far back anything goes. */
  static final long WINDOW = 900_000;

  /** How long one reading is. */
  static final long SPAN = 10_000;

  /** How many positions one reading takes up. */
  private static final int MOST = 10_000;

  private static final int PAGE = 1_000;

  private final Feed feed;
  private final Deque<Bucket> buckets = new ArrayDeque<>();
  private long position = -1;

  /** Whether everything since the beginning of the window was read. */
  private boolean isWhole = true;

  Activity(Feed feed) {
    this.feed = feed;
  }

  /** What happened in ten seconds, of each machine apart, so that callers hear of theirs alone. */
  static final class Bucket {
    final long start;
    private final Map<String, Map<String, Long>> counts = new HashMap<>();
    private final Map<Version, Map<Edge, Long>> taken = new HashMap<>();

    private Bucket(long start) {
      this.start = start;
    }

    /**
     * How many entries there were of the kind; {@code ended} counts instances that ended, {@code
     * steps} those of any kind.
     *
     * @param machines whose entries count, by name
     */
    long count(String kind, Predicate<String> machines) {
      return counts.entrySet().stream()
          .filter(of -> machines.test(of.getKey()))
          .mapToLong(of -> of.getValue().getOrDefault(kind, 0L))
          .sum();
    }

    private void count(String machine, String kind) {
      counts.computeIfAbsent(machine, _ -> new HashMap<>()).merge(kind, 1L, Long::sum);
    }
  }

  /** A machine as it moves: another version has other states and transitions. */
  record Version(String machine, int version) {}

  /** The transitions taken lately, with the steps and refusals of that time. */
  record Flow(Map<Version, Map<Edge, Long>> taken, long steps, long refusals) {}

  /**
   * Reads on and adds up what flowed.
   *
   * @param machines of which it is told, by name
   */
  synchronized Flow flow(long now, Predicate<String> machines) {
    Map<Version, Map<Edge, Long>> taken = new HashMap<>();
    long steps = 0;
    long refusals = 0;
    read(now);
    for (Bucket bucket : buckets) {
      if (bucket.start >= now - FLOW) {
        steps += bucket.count("steps", machines);
        refusals += bucket.count("refusal", machines);
        bucket.taken.forEach((version, edges) -> {
          if (machines.test(version.machine())) {
            Map<Edge, Long> all = taken.computeIfAbsent(version, _ -> new HashMap<>());
            edges.forEach((edge, count) -> all.merge(edge, count, Long::sum));
          }
        });
      }
    }
    return new Flow(taken, steps, refusals);
  }

  /**
   * Reads on and gives every span that is over, the oldest first and the empty ones too: of the
   * whole window, or from where it knows everything.
   */
  synchronized List<Bucket> spans(long now) {
    read(now);
    long current = now / SPAN * SPAN;
    long from =
        isWhole ? current - WINDOW : buckets.isEmpty() ? current : buckets.getFirst().start + SPAN;
    List<Bucket> spans = new ArrayList<>();
    Iterator<Bucket> known = buckets.iterator();
    Bucket next = known.hasNext() ? known.next() : null;
    for (long start = from; start < current; start += SPAN) {
      while (next != null && next.start < start) {
        next = known.hasNext() ? known.next() : null;
      }
      spans.add(next != null && next.start == start ? next : new Bucket(start));
    }
    return spans;
  }

  private void read(long now) {
    long end = feed.end();
    if (position < end - MOST) {
      isWhole = false;
      buckets.clear();
      position = end - MOST;
    }
    position = Math.max(position, 0);
    while (position < end) {
      List<FeedEntry> entries = feed.read(position, PAGE);
      if (entries.isEmpty()) {
        break;
      }
      for (FeedEntry entry : entries) {
        position = entry.position();
        if (entry.at() > now - WINDOW) {
          count(entry);
        } else {
          isWhole = true;
        }
      }
    }
    while (!buckets.isEmpty() && buckets.getFirst().start < now / SPAN * SPAN - WINDOW) {
      buckets.removeFirst();
      isWhole = true;
    }
  }

  private void count(FeedEntry entry) {
    Bucket bucket = bucket(entry.at() / SPAN * SPAN);
    bucket.count(entry.machine(), entry.kind());
    if (entry.isRefusal()) {
      return;
    }
    bucket.count(entry.machine(), "steps");
    if (entry.isEnd()) {
      bucket.count(entry.machine(), "ended");
    }
    Map<Edge, Long> taken =
        bucket.taken.computeIfAbsent(
            new Version(entry.machine(), entry.version()), _ -> new HashMap<>());
    Trail.taken(entry.body()).forEach(edge -> taken.merge(edge, 1L, Long::sum));
  }

  /** Moments of entries hardly ever go back, so the newest bucket is almost always the one. */
  private Bucket bucket(long start) {
    if (buckets.isEmpty() || buckets.getLast().start < start) {
      buckets.addLast(new Bucket(start));
    }
    return buckets.getLast();
  }
}
