package dev.signalbox.services.sweep;

import dev.signalbox.runtime.Instance;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The liveness of the design: every live instance has an owner, a timer or an event it waits for.
 * An event that only the engine sends counts only while it can still come: a result while the
 * effect is there, the end of a child while there is one.
 */
public final class UnattendedSweep implements Sweep {
  @Override
  public String kind() {
    return "unattended";
  }

  @Override
  public @Nullable Finding look(Subject subject) {
    Instance view = subject.view();
    if (view == null || !subject.isLive() || subject.isFresh() || !view.deadlines().isEmpty()) {
      return null;
    }
    Set<String> replies = subject.around().replies(subject.machine());
    boolean awaitsChild = false;
    for (String event : view.awaited()) {
      if (isChild(event)) {
        awaitsChild = true;
      } else if (!event.startsWith("error.") && reply(event, replies) == null) {
        return null;
      }
    }
    if (subject.around().hasWork(subject.row())
        || (awaitsChild && subject.around().hasLiveChild(view.id()))
        || !subject.around().isStillIdle(subject.row())) {
      return null;
    }
    String lost = lost(view.awaited(), replies);
    return lost != null
        ? subject.finding(
            kind(),
            "it waits for the result of '%s', and the store has no such effect".formatted(lost),
            new Correction.GiveUp(lost))
        : subject.finding(
            kind(),
            "it has no timer, no effect and no child, and waits for no event that can come",
            new Correction.None());
  }

  private static boolean isChild(String event) {
    return event.startsWith("done.invoke") || event.equals("done.*") || event.equals("done");
  }

  /** The effect whose result the event is, or null. */
  private static @Nullable String reply(String event, Set<String> replies) {
    for (String reply : replies) {
      if (event.equals(reply + ".succeeded")
          || event.equals(reply + ".failed")
          || event.equals(reply + ".unknown")
          || event.equals(reply + ".*")) {
        return reply;
      }
    }
    return null;
  }

  private static @Nullable String lost(List<String> awaited, Set<String> replies) {
    for (String event : awaited) {
      String reply = reply(event, replies);
      if (reply != null && (event.endsWith(".unknown") || event.endsWith(".*"))) {
        return reply;
      }
    }
    return null;
  }
}
