package dev.signalbox.services.lock;

import dev.signalbox.runtime.Instance;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A lock as it stands.
 *
 * @param name of the resource
 * @param state AVAILABLE, LOCKED or RESERVED
 * @param holder who has it; empty when nobody has
 * @param reservedFor who may take it now; empty when it is not reserved for anyone
 * @param token of the newest holder; 0 before the first
 * @param until when it is broken, or when the reservation ends, in milliseconds since 1970; 0 when
 *     neither
 * @param queue who waits, the first one first
 */
public record Lock(
    String name,
    String state,
    String holder,
    String reservedFor,
    long token,
    long until,
    List<String> queue) {

  static final String MACHINE = "lock";

  /** The lock that an instance of its machine shows. */
  public static Lock of(Instance instance) {
    Map<String, @Nullable Object> context = instance.context();
    return new Lock(
        text(context.get("resource")),
        instance.states().contains("RESERVED") ? "RESERVED" : instance.leaf(),
        text(context.get("holder")),
        text(context.get("reserved_for")),
        context.get("token") instanceof Number token ? token.longValue() : 0,
        instance.deadlines().stream().mapToLong(Instance.Deadline::due).min().orElse(0),
        context.get("queue") instanceof List<?> queue
            ? queue.stream().map(String::valueOf).toList()
            : List.of());
  }

  /** Whether the holder could take it now. */
  boolean isFreeFor(String who) {
    return switch (state) {
      case "AVAILABLE" -> queue.isEmpty() || queue.getFirst().equals(who);
      case "RESERVED" -> reservedFor.isEmpty() || reservedFor.equals(who);
      default -> false;
    };
  }

  private static String text(@Nullable Object value) {
    return value instanceof String text ? text : "";
  }
}
