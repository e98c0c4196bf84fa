package dev.signalbox.kernel.machine;

import java.time.Duration;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How often an effect is tried, how long it waits in between, and after which failures.
 *
 * @param attempts how often its handler is called at most, from 1
 * @param backoff before the second attempt, in whole milliseconds
 * @param factor by which the wait grows from one attempt to the next, from 1
 * @param most the longest wait, in whole milliseconds
 * @param on the failures after which it is tried again, each once and in their order; after any
 *     other it has ended
 */
public record Retry(int attempts, Duration backoff, int factor, Duration most, List<Failure> on) {
  public static final int ATTEMPTS = 10;
  public static final Duration BACKOFF = Duration.ofSeconds(1);
  public static final int FACTOR = 2;
  public static final Duration MOST = Duration.ofHours(1);

  /** The largest number of attempts that can be declared. */
  public static final int MOST_ATTEMPTS = 10_000;

  /** The largest factor that can be declared. */
  public static final int MOST_FACTOR = 100;

  /** How an attempt can fail. */
  public enum Failure {
    /** The handler says that it has begun nothing. */
    NOT_STARTED,
    /** The handler threw anything else, so nobody knows what it has done. */
    THROWN,
    /** The attempt ended without a word, as when its process ends. */
    CUT_OFF;

    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }

    public static Optional<Failure> of(String word) {
      return List.of(values()).stream().filter(f -> f.word().equals(word)).findFirst();
    }

    /** After which failures an effect is tried again unless it says otherwise. */
    public static List<Failure> usual(boolean idempotent) {
      return idempotent ? List.of(values()) : List.of(NOT_STARTED);
    }
  }

  public Retry {
    backoff = Duration.ofMillis(backoff.toMillis());
    most = Duration.ofMillis(most.toMillis());
    on = on.isEmpty() ? List.of() : List.copyOf(EnumSet.copyOf(on));
  }

  /** The usual growth of the wait, after the usual failures. */
  public static Retry of(int attempts, Duration backoff, boolean idempotent) {
    return new Retry(attempts, backoff, FACTOR, MOST, Failure.usual(idempotent));
  }

  /**
   * How long the effect waits after an attempt.
   *
   * @param attempt its number, from 1
   */
  public Duration delay(int attempt) {
    long longest = most.toMillis();
    long delay = Math.min(backoff.toMillis(), longest);
    if (factor > 1) {
      for (int i = 1; i < attempt && delay > 0 && delay < longest; i++) {
        delay = delay > longest / factor ? longest : delay * factor;
      }
    }
    return Duration.ofMillis(delay);
  }

  /** The declaration as JSON. */
  public Map<String, Object> fields() {
    Map<String, Object> fields = new TreeMap<>();
    fields.put("attempts", (long) attempts);
    fields.put("backoff", Durations.text(backoff));
    fields.put("factor", (long) factor);
    fields.put("most", Durations.text(most));
    fields.put("on", on.stream().map(Failure::word).toList());
    return fields;
  }

  /** The declaration that {@link #fields} told, or null when it is none. */
  public static @Nullable Retry of(@Nullable Object fields) {
    if (!(fields instanceof Map<?, ?> map)
        || !(map.get("attempts") instanceof Long attempts)
        || !(map.get("backoff") instanceof String backoff)
        || !(map.get("factor") instanceof Long factor)
        || !(map.get("most") instanceof String most)
        || !(map.get("on") instanceof Collection<?> on)) {
      return null;
    }
    Optional<Duration> first = Durations.parse(backoff);
    Optional<Duration> last = Durations.parse(most);
    if (first.isEmpty() || last.isEmpty()) {
      return null;
    }
    List<Failure> failures =
        on.stream().flatMap(word -> Failure.of(String.valueOf(word)).stream()).toList();
    return new Retry(
        Math.toIntExact(attempts), first.get(), Math.toIntExact(factor), last.get(), failures);
  }
}
