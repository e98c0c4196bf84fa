package dev.signalbox.kernel.machine;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A way from a state to others.
 *
 * @param targets empty means the actions run and no state is left
 * @param internal whether a transition to the source's own descendants leaves the source alone
 * @param label the prose a person wrote for it, where the trigger's name is not that prose
 */
public record Transition(
    Trigger trigger,
    @Nullable Guard guard,
    List<String> targets,
    boolean internal,
    List<Action> actions,
    @Nullable String label) {

  public Transition {
    targets = List.copyOf(targets);
    actions = List.copyOf(actions);
  }

  public static Transition on(String event, String target) {
    return new Transition(Trigger.on(event), null, List.of(target), false, List.of(), null);
  }

  /**
   * A transition without trigger: an initial transition, or one taken as soon as its guard holds.
   */
  public static Transition to(List<String> targets) {
    return new Transition(new Trigger.Always(), null, targets, false, List.of(), null);
  }

  public static Transition to(String target) {
    return to(List.of(target));
  }

  public Transition when(@Nullable Guard newGuard) {
    return new Transition(trigger, newGuard, targets, internal, actions, label);
  }

  public Transition doing(List<Action> newActions) {
    return new Transition(trigger, guard, targets, internal, newActions, label);
  }

  public Transition labelled(@Nullable String newLabel) {
    return new Transition(trigger, guard, targets, internal, actions, newLabel);
  }
}
