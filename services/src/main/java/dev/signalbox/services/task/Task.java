package dev.signalbox.services.task;

import dev.signalbox.runtime.Instance;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A task as it stands.
 *
 * @param state where its machine is: QUEUED, RUNNING, COMPLETED …
 * @param outcome completed, failed, cancelled or expired; empty while it is open
 * @param worker who has or had the lease; empty before the first
 * @param fence of the newest lease; 0 before the first
 * @param executions how often it was started
 * @param notBefore when the next try may begin, in milliseconds since 1970
 * @param cause why it failed the last time; null when it did not
 * @param madeFrom the task that this one was made from, or empty
 * @param since when it came into its state, in milliseconds since 1970
 */
public record Task(
    String id,
    String kind,
    String owner,
    Priority priority,
    String state,
    String outcome,
    @Nullable Object input,
    @Nullable Object result,
    List<String> dependsOn,
    Duration limit,
    Duration queueLimit,
    String worker,
    long fence,
    long executions,
    long retries,
    long notBefore,
    long lastHeartbeat,
    @Nullable Cause cause,
    String error,
    String madeFrom,
    long since) {

  static final String MACHINE = "task";

  /** The task that an instance of its machine shows. */
  public static Task of(Instance instance) {
    Map<String, @Nullable Object> context = instance.context();
    String urgent = text(context, "priority");
    Priority priority = urgent.isEmpty() ? Priority.NORMAL : Priority.of(urgent);
    Object limits = context.get("queue_limits_ms");
    Object queueLimit = limits instanceof Map<?, ?> map ? map.get(priority.word()) : null;
    String cause = text(context, "cause");
    return new Task(
        instance.id(),
        text(context, "kind"),
        text(context, "owner"),
        priority,
        instance.leaf(),
        text(context, "outcome"),
        context.get("input"),
        context.get("result"),
        texts(context.get("depends_on")),
        Duration.ofMillis(number(context.get("limit_ms"))),
        Duration.ofMillis(number(queueLimit)),
        text(context, "worker"),
        number(context.get("fence")),
        number(context.get("executions")),
        number(context.get("retries")),
        number(context.get("not_before")),
        number(context.get("last_heartbeat")),
        cause.isEmpty() ? null : Cause.of(cause),
        text(context, "error"),
        text(context, "made_from"),
        instance.since());
  }

  /** Whether it can be leased, now or after a while. */
  boolean isWaiting() {
    return state.equals("QUEUED") || state.equals("RETRY_QUEUED");
  }

  /** Whether some worker has it. */
  public boolean isLeased() {
    return state.equals("ASSIGNED") || state.equals("RUNNING");
  }

  private static String text(Map<String, @Nullable Object> context, String field) {
    return context.get(field) instanceof String text ? text : "";
  }

  private static long number(@Nullable Object value) {
    return value instanceof Number number ? number.longValue() : 0;
  }

  private static List<String> texts(@Nullable Object value) {
    return value instanceof List<?> list ? list.stream().map(String::valueOf).toList() : List.of();
  }
}
