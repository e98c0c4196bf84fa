package dev.signalbox.services.sweep;

import dev.signalbox.journal.InstanceRow;
import dev.signalbox.runtime.Instance;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Instances whose parent has ended, and those that belong to one that has: an approval whose asker
 * is no more. A machine with the event {@code orphaned} is told; any other instance ends.
 */
public final class OrphanSweep implements Sweep {
  /** The event that an orphan is told with, where its machine has it. */
  public static final String EVENT = "orphaned";

  /**
   * A field that names the instance to which those of a machine belong.
   *
   * @param field holds the other's id
   */
  public record Belonging(String machine, String field) {}

  /** Approvals to what asked for them, hypotheses to their session. */
  public static final List<Belonging> STANDARD =
      List.of(new Belonging("approval", "owner"), new Belonging("research.hypothesis", "session"));

  private final List<Belonging> belongings;

  public OrphanSweep(List<Belonging> belongings) {
    this.belongings = List.copyOf(belongings);
  }

  @Override
  public String kind() {
    return "orphan";
  }

  @Override
  public @Nullable Finding look(Subject subject) {
    Instance view = subject.view();
    if (view == null || !subject.isLive()) {
      return null;
    }
    String parent = subject.row().parent();
    if (parent != null) {
      InstanceRow above = subject.around().row(parent);
      if ((above == null || isLongOver(subject, above)) && !hasNews(subject)) {
        return orphan(subject, view, "its parent '%s' has ended".formatted(parent), true);
      }
    }
    for (Belonging belonging : belongings) {
      if (belonging.machine().equals(view.machine())
          && view.context().get(belonging.field()) instanceof String owner
          && !owner.isEmpty()) {
        InstanceRow above = subject.around().row(owner);
        if (above != null && isLongOver(subject, above) && view.awaited().contains(EVENT)) {
          return orphan(subject, view, "'%s', which it is for, has ended".formatted(owner), false);
        }
      }
    }
    return null;
  }

  private static boolean isLongOver(Subject subject, InstanceRow above) {
    return above.status() == InstanceRow.Status.ENDED
        && above.at() <= subject.around().now() - subject.around().settings().grace().toMillis();
  }

  /** The parent's last message may be on its way. */
  private static boolean hasNews(Subject subject) {
    return subject.around().hasMail(subject.row().id());
  }

  private Finding orphan(Subject subject, Instance view, String reason, boolean mayEnd) {
    Correction correction =
        view.awaited().contains(EVENT)
            ? new Correction.Send(EVENT)
            : mayEnd ? new Correction.Cancel() : new Correction.None();
    return subject.finding(kind(), reason, correction);
  }
}
