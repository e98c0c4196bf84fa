package dev.signalbox.definition.check;

import dev.signalbox.kernel.machine.Guard;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.Transition;
import dev.signalbox.kernel.machine.Trigger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Whether conditions can be true, can be false, and leave something to those behind them. */
final class GuardChecks {
  /** More transitions than this in one state are compared with their neighbours only. */
  private static final int MOST = 60;

  private final Inspection in;
  private final Syntax syntax;
  private final Typing typing;

  GuardChecks(Inspection in, Syntax syntax) {
    this.in = in;
    this.syntax = syntax;
    this.typing = new Typing(in.machine());
  }

  void run() {
    for (Content.Use use : in.content().uses()) {
      boolean chooses = use.role() == Content.Role.GUARD || use.role() == Content.Role.BRANCH;
      if (chooses && !in.faulty().contains(use.expr())) {
        constant(use);
      }
    }
    if (in.isStrict()) {
      behindOthers(in.outline().root());
      in.outline().states().forEach(this::behindOthers);
    }
  }

  private void constant(Content.Use use) {
    Optional<Formula> read = syntax.parse(use.expr().text()).map(Formula::of);
    if (read.isEmpty()) {
      return;
    }
    Solver solver = solver(use.events());
    if (!solver.canHold(List.of(read.get()))) {
      in.errorIfStrict(
          "guard-never-true",
          use.expr(),
          "Expected a condition that can be true, but '%s' never is."
              .formatted(use.expr().text().strip()),
          "What it compares excludes itself or the declared values.");
    } else if (in.isStrict() && !solver.canHold(List.of(read.get().not()))) {
      in.warning(
          "guard-always-true",
          use.expr(),
          "Expected a condition that can be false, but '%s' never is."
              .formatted(use.expr().text().strip()),
          "Remove the condition, or correct it.");
    }
  }

  private Solver solver(List<String> events) {
    String event = events.size() == 1 ? events.getFirst() : null;
    return new Solver(term -> typing.domain(term, event));
  }

  /** Conditions that hold only where an earlier one of the same state and event holds. */
  private void behindOthers(State state) {
    List<Transition> transitions = state.transitions();
    for (int later = 1; later < Math.min(transitions.size(), MOST); later++) {
      Transition second = transitions.get(later);
      Formula last = formula(second.guard());
      if (last == null) {
        continue;
      }
      List<Formula> together = new ArrayList<>(List.of(last));
      for (Transition first : transitions.subList(0, later)) {
        Formula before = formula(first.guard());
        if (before != null && covers(first.trigger(), second.trigger())) {
          together.add(before.not());
        }
      }
      Solver solver = solver(events(second.trigger()));
      if (together.size() > 1
          && solver.canHold(List.of(last))
          && !solver.canHold(together)
          && !isSame(transitions.subList(0, later), second)) {
        in.error(
            "never-taken",
            second,
            "Expected '%s' in %s to be possible, but an earlier condition always holds when this one"
                    .formatted(second.trigger().text(), in.outline().describe(state))
                + " does.",
            "The first transition whose condition holds is taken; put the stricter one first.");
      }
    }
  }

  /** Whether an earlier transition has the very same condition, which another check reports. */
  private static boolean isSame(List<Transition> earlier, Transition second) {
    Guard guard = second.guard();
    return earlier.stream()
        .map(Transition::guard)
        .anyMatch(g ->
            g != null && guard != null && g.condition().text().equals(guard.condition().text()));
  }

  private @Nullable Formula formula(@Nullable Guard guard) {
    return guard == null
        ? null
        : syntax.parse(guard.condition().text()).map(Formula::of).orElse(null);
  }

  private static boolean covers(Trigger first, Trigger second) {
    return switch (second) {
      case Trigger.Always _ -> first instanceof Trigger.Always;
      case Trigger.On on ->
          first instanceof Trigger.On before
              && Descriptors.cover(before.descriptors(), on.descriptors());
      case Trigger.After _ -> false;
    };
  }

  private static List<String> events(Trigger trigger) {
    return trigger instanceof Trigger.On on ? on.descriptors() : List.of();
  }
}
