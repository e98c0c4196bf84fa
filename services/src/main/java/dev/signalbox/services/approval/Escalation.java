package dev.signalbox.services.approval;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What happens while nobody answers; times are counted from the request.
 *
 * @param remindEvery a reminder each time that long has passed; null for none
 * @param reassignAfter then it is put to others; null for never
 * @param reassignTo those others
 * @param escalateAfter then it is called off as escalated; null for never
 */
public record Escalation(
    @Nullable Duration remindEvery,
    @Nullable Duration reassignAfter,
    List<String> reassignTo,
    @Nullable Duration escalateAfter) {

  /** Nothing but the expiry. */
  public static final Escalation NONE = new Escalation(null, null, List.of(), null);

  public Escalation {
    reassignTo = Limits.people(reassignTo, "those it is reassigned to");
    if (remindEvery != null) {
      Limits.duration(remindEvery, "a time between reminders");
    }
    if (reassignAfter != null) {
      Limits.duration(reassignAfter, "a time before it is reassigned");
    }
    if (escalateAfter != null) {
      Limits.duration(escalateAfter, "a time before it is escalated");
    }
    if (reassignAfter != null && reassignTo.isEmpty()) {
      throw new IllegalArgumentException(
          "Expected somebody to reassign it to after %s, but there is nobody."
              .formatted(reassignAfter));
    }
  }

  public Escalation remindingEvery(Duration time) {
    return new Escalation(time, reassignAfter, reassignTo, escalateAfter);
  }

  public Escalation reassigningAfter(Duration time, List<String> others) {
    return new Escalation(remindEvery, time, others, escalateAfter);
  }

  public Escalation escalatingAfter(Duration time) {
    return new Escalation(remindEvery, reassignAfter, reassignTo, time);
  }

  static long millis(@Nullable Duration duration) {
    return duration == null ? 0 : duration.toMillis();
  }
}
