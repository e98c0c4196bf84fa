package dev.signalbox.definition.sketch;

import dev.signalbox.definition.Place;
import dev.signalbox.definition.Problems;
import dev.signalbox.kernel.machine.Limits;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.Transition;
import dev.signalbox.kernel.machine.Trigger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Names everything in a machine that a drawing cannot say, one warning for each element. */
public final class Unsaid {
  private final String format;
  private final String code;
  private final Problems problems;

  /**
   * @param format the format's name as people write it
   */
  public Unsaid(String format, Problems problems) {
    this.format = format;
    this.code = "beyond-" + format.toLowerCase(java.util.Locale.ROOT);
    this.problems = problems;
  }

  /** Reports what no drawn format can say. */
  public void report(Machine machine) {
    List<String> lost = new ArrayList<>();
    note(lost, machine.version() != 1, "version " + machine.version());
    note(lost, machine.mode() != Machine.Mode.STRICT, "the mode scxml");
    note(lost, !machine.context().isEmpty(), "the context");
    note(lost, !machine.events().isEmpty(), "what it declares of events");
    note(lost, !machine.invariants().isEmpty(), "the invariants");
    note(lost, !machine.limits().equals(Limits.DEFAULT), "the limits");
    say("the machine '%s'".formatted(machine.name()), lost);
    state(machine.root());
  }

  /** Adds a warning that something of an element is not written. */
  public void say(String element, List<String> lost) {
    if (!lost.isEmpty()) {
      problems.warning(
          code,
          Place.START,
          "Expected to write all of %s, but %s has no words for: %s."
              .formatted(element, format, String.join(", ", lost)),
          "YAML and SCXML keep all of it.");
    }
  }

  private void state(State state) {
    List<String> lost = new ArrayList<>();
    note(lost, !state.entry().isEmpty(), "entry actions");
    note(lost, !state.exit().isEmpty(), "exit actions");
    note(lost, !state.invokes().isEmpty(), "invoked machines");
    note(lost, !state.data().isEmpty(), "data");
    note(lost, state.done() != null, "the data of its done event");
    note(lost, state.tools() != null, "its tools");
    note(lost, state.waits() != null, "why it waits");
    note(
        lost,
        state.kind() == State.Kind.PARALLEL && state.children().size() < 2,
        "that it is parallel");
    note(lost, isRoot(state) && !state.transitions().isEmpty(), "its own transitions");
    say(isRoot(state) ? "the root" : "the state '%s'".formatted(state.id()), lost);
    Transition initial = state.initial();
    if (initial != null && !initial.actions().isEmpty()) {
      say("the start of '%s'".formatted(state.id()), List.of("actions"));
    }
    state.transitions().forEach(t -> transition(state, t));
    state.children().forEach(this::state);
  }

  private void transition(State source, Transition transition) {
    List<String> lost = new ArrayList<>();
    note(lost, transition.guard() != null, "a guard that can be evaluated");
    note(lost, !transition.actions().isEmpty(), "actions");
    note(lost, transition.internal(), "that it is internal");
    note(lost, transition.targets().isEmpty(), "that it leaves no state");
    switch (transition.trigger()) {
      case Trigger.Always _ -> note(lost, transition.label() != null, "that it waits for no event");
      case Trigger.On _ -> {}
      case Trigger.After(Operand delay, String event, boolean cumulative) -> {
        note(lost, cumulative, "that its clock is cumulative");
        boolean plain = delay instanceof Operand.Literal(var value) && value instanceof Duration;
        note(lost, event != null || !plain, "its delay");
      }
    }
    if (!lost.isEmpty()) {
      String trigger = transition.trigger().text();
      say(
          "the transition '%s' of '%s'"
              .formatted(trigger.isEmpty() ? "always" : trigger, source.id()),
          lost);
    }
  }

  private static boolean isRoot(State state) {
    return state.id().equals(Machine.ROOT);
  }

  private static void note(List<String> lost, boolean condition, String what) {
    if (condition) {
      lost.add(what);
    }
  }
}
