package dev.signalbox.testkit;

import dev.signalbox.kernel.Kernel;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Follows time: a timer fires once and not too early, who stands still takes no step, and goes on
 * with what was left of its timers.
 */
final class TimerAudit {
  /** What may happen to an instance that stands still. */
  private static final Set<Object> ALLOWED = Set.of("cancel", "migrate", "correct", "erase");

  private final Consumer<String> found;
  private final Map<String, Map<String, Long>> dues = new HashMap<>();

  /** Who stands still, and since when its clocks do; negative when they run. */
  private final Map<String, Long> still = new HashMap<>();

  private long fired;

  TimerAudit(Consumer<String> found) {
    this.found = found;
  }

  /** How many timers fired. */
  long fired() {
    return fired;
  }

  /** These instances are not in the store any more. */
  void forget(Collection<String> gone) {
    dues.keySet().removeAll(gone);
    still.keySet().removeAll(gone);
  }

  /** Sees a step of an instance. */
  void step(String instance, Map<?, ?> body) {
    long at = (Long) Objects.requireNonNull(body.get("at"));
    Object kind = Objects.requireNonNull(body.get("kind"));
    if (kind.equals("pause")) {
      still.put(instance, "stopped".equals(body.get("timers")) ? at : -1L);
    } else if (kind.equals("resume")) {
      goOn(instance, at, body.get("timers"));
    } else if (still.containsKey(instance) && !ALLOWED.contains(kind) && !isCancelled(body)) {
      found.accept("%s stood still, and took a %s at %d".formatted(instance, kind, at));
    }
    if (Boolean.TRUE.equals(body.get("ended"))) {
      still.remove(instance);
    }
    if (body.get("timers") instanceof List<?> changes) {
      changes.forEach(change -> timer(instance, at, (Map<?, ?>) change));
    }
  }

  private static boolean isCancelled(Map<?, ?> body) {
    return body.get("event") instanceof Map<?, ?> event && Kernel.CANCEL.equals(event.get("name"));
  }

  private void goOn(String instance, long at, @Nullable Object timers) {
    Long since = still.remove(instance);
    long left = since == null || since < 0 ? 0 : at - since;
    if (!(timers instanceof Map<?, ?> told) || !Long.valueOf(left).equals(told.get("shifted"))) {
      found.accept(
          "the clocks of %s stood still for %d ms, and it went on with %s"
              .formatted(instance, left, timers));
    }
    dues.computeIfAbsent(instance, _ -> new HashMap<>()).replaceAll((_, due) -> due + left);
  }

  private void timer(String instance, long at, Map<?, ?> change) {
    Map<String, Long> pending = dues.computeIfAbsent(instance, _ -> new HashMap<>());
    if (change.get("scheduled") instanceof Map<?, ?> scheduled) {
      pending.put(
          String.valueOf(scheduled.get("id")), (Long) Objects.requireNonNull(scheduled.get("due")));
    } else if (change.get("fired") instanceof String id) {
      fired++;
      Long due = pending.remove(id);
      if (due == null) {
        found.accept("timer %s of %s fired, and was not pending".formatted(id, instance));
      } else if (at < due) {
        found.accept("timer %s of %s fired %d ms too early".formatted(id, instance, due - at));
      }
    } else if (change.get("cancelled") instanceof String id) {
      pending.remove(id);
    }
  }
}
