package dev.signalbox.services.sweep;

import dev.signalbox.kernel.Environment;
import dev.signalbox.runtime.Instance;
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
    Environment environment = subject.around().environment(view);
    boolean awaitsChild = false;
    for (String awaited : view.awaited()) {
      if (environment.isOpen(awaited)) {
        return null;
      }
      awaitsChild = awaitsChild || Environment.hearsChildEnd(awaited);
    }
    if (subject.around().hasWork(subject.row())
        || (awaitsChild && subject.around().hasLiveChild(view.id()))
        || !subject.around().isStillIdle(subject.row())) {
      return null;
    }
    String lost = environment.hearsUnknown(view.awaited());
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
}
