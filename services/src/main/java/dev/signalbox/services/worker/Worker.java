package dev.signalbox.services.worker;

import dev.signalbox.runtime.Instance;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A worker as it stands.
 *
 * @param pool what it belongs to, or empty
 * @param remote whether it is in another process
 * @param kinds of tasks that it takes; empty for all
 * @param tasks that it has in hand
 * @param lastHeartbeat in milliseconds since 1970; 0 before it was ready
 */
public record Worker(
    String id,
    String name,
    String pool,
    boolean remote,
    String state,
    List<String> kinds,
    List<String> tasks,
    long restarts,
    long lastHeartbeat,
    String error,
    long since) {

  static final String MACHINE = "worker";

  /** The worker that an instance of its machine shows. */
  public static Worker of(Instance instance) {
    Map<String, @Nullable Object> context = instance.context();
    return new Worker(
        instance.id(),
        text(context.get("name")),
        text(context.get("pool")),
        text(context.get("place")).equals("remote"),
        instance.leaf(),
        texts(context.get("kinds")),
        texts(context.get("tasks")),
        number(context.get("restarts")),
        number(context.get("last_heartbeat")),
        text(context.get("error")),
        instance.since());
  }

  /** Whether it may have tasks in hand. */
  public boolean isAlive() {
    return switch (state) {
      case "STARTING", "READY", "BUSY", "SHUTTING_DOWN" -> true;
      default -> false;
    };
  }

  private static String text(@Nullable Object value) {
    return value instanceof String text ? text : "";
  }

  private static long number(@Nullable Object value) {
    return value instanceof Number number ? number.longValue() : 0;
  }

  private static List<String> texts(@Nullable Object value) {
    return value instanceof List<?> list ? list.stream().map(String::valueOf).toList() : List.of();
  }
}
