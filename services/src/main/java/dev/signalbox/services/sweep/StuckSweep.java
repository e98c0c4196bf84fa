package dev.signalbox.services.sweep;

import dev.signalbox.definition.Source;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.runtime.Instance;
import dev.signalbox.services.rule.RuleFile;
import dev.signalbox.services.rule.RuleItem;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Instances that are longer in a state than allowed, and those whose timer is long due and has not
 * fired. A timer is brought back by what the journal says of it.
 */
public final class StuckSweep implements Sweep {
  /** The event that a stuck instance is told with, where nothing else is said. */
  public static final String EVENT = "stuck";

  /**
   * How long an instance may be in a state.
   *
   * @param event what it is sent when its machine waits for it; otherwise it is only reported
   */
  public record Limit(String name, String machine, String state, Duration longest, String event) {}

  /** A session that its own timer should have ended; turns and tools as their machines say. */
  public static final List<Limit> STANDARD =
      List.of(
          new Limit(
              "initializing", "research.session", "INITIALIZING", Duration.ofMinutes(2), EVENT));

  private final List<Limit> limits;

  public StuckSweep(List<Limit> limits) {
    this.limits = List.copyOf(limits);
  }

  /**
   * Limits from a YAML text: a list below {@code stuck}, each with name, machine, state, longest
   * and, if not {@code stuck}, event.
   *
   * @throws dev.signalbox.definition.DefinitionException with every problem
   */
  public static List<Limit> read(Source source) {
    return RuleFile.read(source, "stuck", StuckSweep::limit);
  }

  private static Limit limit(RuleItem item) {
    String event = item.text("event");
    return new Limit(
        item.named(),
        item.required("machine"),
        item.required("state"),
        item.duration("longest", Duration.ofHours(1)),
        event == null ? EVENT : event);
  }

  @Override
  public String kind() {
    return "stuck";
  }

  @Override
  public @Nullable Finding look(Subject subject) {
    Instance view = subject.view();
    if (view == null || !subject.isLive()) {
      return null;
    }
    long now = subject.around().now();
    for (Limit limit : limits) {
      if (limit.machine().equals(view.machine())
          && view.states().contains(limit.state())
          && now - view.since() > limit.longest().toMillis()) {
        return subject.finding(
            kind(),
            "it has been in %s for %d s, and %d s are allowed"
                .formatted(
                    limit.state(), (now - view.since()) / 1_000, limit.longest().toSeconds()),
            view.awaited().contains(limit.event())
                ? new Correction.Send(limit.event())
                : new Correction.None());
      }
    }
    InstanceRow row = subject.row();
    long late = now - row.due();
    return row.due() != InstanceRow.NEVER && late > subject.around().settings().overdue().toMillis()
        ? subject.finding(
            kind(),
            "its timer was due %d s ago and has not fired".formatted(late / 1_000),
            new Correction.Restore())
        : null;
  }
}
