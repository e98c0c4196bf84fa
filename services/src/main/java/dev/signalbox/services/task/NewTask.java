package dev.signalbox.services.task;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A task to be submitted.
 *
 * @param kind what sort of work it is; a worker takes the kinds it knows
 * @param owner who wants it
 * @param input JSON values, or null
 * @param dependsOn tasks that must complete first
 * @param limit how long it may run; null is five minutes
 * @param queueLimit how long it may wait for a worker; null is what its priority allows
 * @param key the idempotency key: the same key gives the same task; or null
 * @param madeFrom the task of the dead letter that this one is made from, or empty
 */
public record NewTask(
    String kind,
    String owner,
    Priority priority,
    @Nullable Object input,
    List<String> dependsOn,
    @Nullable Duration limit,
    @Nullable Duration queueLimit,
    @Nullable String key,
    String madeFrom) {

  private static final int MOST_DEPENDENCIES = 100;
  private static final int LONGEST_NAME = 200;
  private static final Duration LONGEST = Duration.ofDays(30);

  public NewTask {
    dependsOn = List.copyOf(dependsOn);
    name("kind", kind);
    name("owner", owner);
    if (dependsOn.size() > MOST_DEPENDENCIES) {
      throw new IllegalArgumentException(
          "Expected at most %d dependencies, but found %d. Let a task in between wait for some."
              .formatted(MOST_DEPENDENCIES, dependsOn.size()));
    }
    time("limit", limit);
    time("queue limit", queueLimit);
  }

  private static void name(String what, String text) {
    if (text.isBlank() || text.length() > LONGEST_NAME) {
      throw new IllegalArgumentException(
          "Expected the task's %s to have 1 to %d characters, but found %d."
              .formatted(what, LONGEST_NAME, text.length()));
    }
  }

  private static void time(String what, @Nullable Duration time) {
    if (time != null && (time.compareTo(LONGEST) > 0 || time.toMillis() < 1)) {
      throw new IllegalArgumentException(
          "Expected the task's %s to be between a millisecond and 30 days, but found %s."
              .formatted(what, time));
    }
  }

  /** A task of normal priority, with the usual limits and no input. */
  public static NewTask of(String kind, String owner) {
    return new NewTask(kind, owner, Priority.NORMAL, null, List.of(), null, null, null, "");
  }

  public NewTask input(@Nullable Object json) {
    return new NewTask(kind, owner, priority, json, dependsOn, limit, queueLimit, key, madeFrom);
  }

  public NewTask priority(Priority wanted) {
    return new NewTask(kind, owner, wanted, input, dependsOn, limit, queueLimit, key, madeFrom);
  }

  /** It waits until these tasks are complete. */
  public NewTask after(String... tasks) {
    return new NewTask(
        kind, owner, priority, input, List.of(tasks), limit, queueLimit, key, madeFrom);
  }

  /** How long it may run. */
  public NewTask limit(Duration longest) {
    return new NewTask(kind, owner, priority, input, dependsOn, longest, queueLimit, key, madeFrom);
  }

  /** How long it may wait for a worker. */
  public NewTask queueLimit(Duration longest) {
    return new NewTask(kind, owner, priority, input, dependsOn, limit, longest, key, madeFrom);
  }

  public NewTask key(String given) {
    return new NewTask(kind, owner, priority, input, dependsOn, limit, queueLimit, given, madeFrom);
  }

  /** What the machine begins with; what is as usual is left to it. */
  Map<String, @Nullable Object> context() {
    Map<String, @Nullable Object> context = new LinkedHashMap<>();
    context.put("kind", kind);
    context.put("owner", owner);
    if (priority != Priority.NORMAL) {
      context.put("priority", priority.word());
    }
    if (input != null) {
      context.put("input", input);
    }
    if (!dependsOn.isEmpty()) {
      context.put("depends_on", dependsOn);
    }
    if (limit != null) {
      context.put("limit_ms", limit.toMillis());
    }
    if (queueLimit != null) {
      long millis = queueLimit.toMillis();
      context.put("queue_limits_ms", Map.of("high", millis, "normal", millis, "low", millis));
    }
    if (!madeFrom.isEmpty()) {
      context.put("made_from", madeFrom);
    }
    return context;
  }
}
