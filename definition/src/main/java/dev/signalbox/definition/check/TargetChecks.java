package dev.signalbox.definition.check;

import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.Transition;
import dev.signalbox.kernel.machine.Trigger;
import java.util.ArrayList;
import java.util.List;

/** Whether every transition leads to states that exist and can be entered together. */
final class TargetChecks {
  private final Inspection in;
  private final Outline outline;

  TargetChecks(Inspection in) {
    this.in = in;
    this.outline = in.outline();
  }

  void run() {
    List<State> all = new ArrayList<>(List.of(outline.root()));
    all.addAll(outline.states());
    for (State state : all) {
      Transition initial = state.initial();
      if (initial != null) {
        targetsExist(initial, state);
        initial(initial, state);
      }
      for (Transition transition : state.transitions()) {
        targetsExist(transition, state);
        targetsFit(transition);
      }
      switch (state.kind()) {
        case FORK -> fork(state);
        case JOIN -> join(state);
        case STATE, PARALLEL, FINAL, SHALLOW_HISTORY, DEEP_HISTORY, CHOICE -> {}
      }
    }
  }

  private void targetsExist(Transition transition, State source) {
    for (String target : transition.targets()) {
      if (outline.find(target) == null) {
        in.error(
            "unknown-target",
            transition,
            "Expected %s to lead to a state, but there is no state '%s'."
                .formatted(describe(transition, source), target),
            Inspection.suggest(target, outline.ids(), "Define the state, or correct the name."));
      }
    }
  }

  private void initial(Transition initial, State state) {
    if (state.kind().isHistory()) {
      targetsFit(initial);
      return;
    }
    if (initial.targets().isEmpty()) {
      in.error(
          "bad-initial",
          initial,
          "Expected the initial state of %s to be named, but it is not."
              .formatted(outline.describe(state)),
          "Name a state inside " + outline.describe(state) + ".");
    }
    for (State target : outline.targets(initial)) {
      if (!outline.isBelow(target, state)) {
        in.error(
            "bad-initial",
            initial,
            "Expected the initial state of %s to lie inside it, but '%s' does not."
                .formatted(outline.describe(state), target.id()),
            "Choose one of its own states"
                + (state.children().isEmpty()
                    ? "."
                    : ", as '" + state.children().getFirst().id() + "'."));
      }
    }
    if (initial.guard() != null || !(initial.trigger() instanceof Trigger.Always)) {
      in.error(
          "bad-initial",
          initial,
          "Expected the initial transition of %s to have no event and no condition, but it has."
              .formatted(outline.describe(state)),
          "Use a choice point as the initial state where it depends on something.");
    }
    targetsFit(initial);
  }

  private void targetsFit(Transition transition) {
    List<State> targets = outline.targets(transition);
    for (int i = 0; i < targets.size(); i++) {
      for (int j = i + 1; j < targets.size(); j++) {
        State one = targets.get(i);
        State other = targets.get(j);
        if (one == other || !outline.canBeTogether(one, other)) {
          in.error(
              "conflicting-targets",
              transition,
              "Expected the targets '%s' and '%s' to lie in different regions of a parallel state,"
                      .formatted(one.id(), other.id())
                  + " but they do not.",
              "An instance cannot be in both at once; choose one.");
        }
      }
    }
  }

  private void fork(State fork) {
    List<State> targets = new ArrayList<>();
    fork.transitions().forEach(t -> targets.addAll(outline.targets(t)));
    if (targets.size() < 2) {
      in.error(
          "bad-fork",
          fork,
          "Expected the fork '%s' to lead to two states or more, but it leads to %d."
              .formatted(fork.id(), targets.size()),
          "Add the other branches, or remove the fork.");
      return;
    }
    if (!inDifferentRegions(targets)) {
      in.error(
          "bad-fork",
          fork,
          "Expected the targets of the fork '%s' to lie in different regions of one parallel state,"
                  .formatted(fork.id())
              + " but they do not.",
          "Put the branches into the regions of a parallel state.");
    }
  }

  private void join(State join) {
    List<State> sources = new ArrayList<>();
    for (State state : outline.states()) {
      for (Transition transition : state.transitions()) {
        if (transition.targets().contains(join.id())) {
          sources.add(state);
        }
      }
    }
    if (join.transitions().size() != 1) {
      in.error(
          "bad-join",
          join,
          "Expected the join '%s' to have one way out, but it has %d."
              .formatted(join.id(), join.transitions().size()),
          "Use a choice point behind it where the way depends on something.");
    }
    if (sources.size() < 2 || !inDifferentRegions(sources)) {
      in.error(
          "bad-join",
          join,
          "Expected the join '%s' to be reached from different regions of one parallel state, but it"
                  .formatted(join.id())
              + " is not.",
          "Let a last state of each region lead to it.");
    }
  }

  private boolean inDifferentRegions(List<State> states) {
    for (int i = 0; i < states.size(); i++) {
      for (int j = i + 1; j < states.size(); j++) {
        State one = states.get(i);
        State other = states.get(j);
        if (one == other
            || outline.isWithin(one, other)
            || outline.isWithin(other, one)
            || !outline.canBeTogether(one, other)) {
          return false;
        }
      }
    }
    return true;
  }

  /** The transition as a person would point at it: its trigger and its source. */
  private String describe(Transition transition, State source) {
    if (transition == source.initial()) {
      return source.kind().isHistory()
          ? "the default of '" + source.id() + "'"
          : "the initial transition of " + outline.describe(source);
    }
    String trigger = transition.trigger().text();
    String from = " from " + outline.describe(source);
    return trigger.isEmpty() ? "the transition" + from : "'" + trigger + "'" + from;
  }
}
