package dev.signalbox.definition.check;

import dev.signalbox.kernel.machine.Limits;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.Transition;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Whether the states make a sound tree: ids, sizes, and what each kind of state may hold. */
final class TreeChecks {
  private final Inspection in;
  private final Outline outline;

  TreeChecks(Inspection in) {
    this.in = in;
    this.outline = in.outline();
  }

  void run() {
    limits();
    ids();
    if (outline.root().kind() == State.Kind.PARALLEL) {
      parallel(outline.root());
    }
    for (State state : outline.states()) {
      switch (state.kind()) {
        case FINAL -> finalState(state);
        case SHALLOW_HISTORY, DEEP_HISTORY -> history(state);
        case PARALLEL -> parallel(state);
        case CHOICE -> choice(state);
        case FORK, JOIN, STATE -> {}
      }
    }
  }

  private void limits() {
    if (outline.states().isEmpty()) {
      in.error(
          "no-states",
          in.machine(),
          "Expected at least one state, but the machine has none.",
          "Add a state under 'states'.");
    }
    if (outline.states().size() > Limits.STATES) {
      in.error(
          "too-many-states",
          in.machine(),
          "Expected at most %,d states, but the machine has %,d."
              .formatted(Limits.STATES, outline.states().size()),
          "Move a part of it into a machine of its own and invoke it.");
    }
    for (State state : outline.states()) {
      if (outline.depth(state) == Limits.DEPTH + 1) {
        in.error(
            "too-deep",
            state,
            "Expected at most %d levels of states, but '%s' is deeper."
                .formatted(Limits.DEPTH, state.id()),
            "Move the inner states into a machine of their own and invoke it.");
      }
    }
  }

  private void ids() {
    Map<String, State> seen = new HashMap<>();
    for (State state : outline.states()) {
      State first = seen.putIfAbsent(state.id(), state);
      if (first != null) {
        in.error(
            "duplicate-state",
            state,
            "Expected every state to have an id of its own, but '%s' names another state at line %d."
                .formatted(state.id(), in.placeOf(first).line()),
            "Rename one of the two; ids are unique in the whole machine.");
      }
    }
  }

  private void finalState(State state) {
    if (!state.transitions().isEmpty()) {
      in.error(
          "final-with-exit",
          state.transitions().getFirst(),
          "Expected the final state '%s' to have no transitions, but it has %s."
              .formatted(state.id(), count(state.transitions().size(), "transition")),
          "Remove them, or remove 'final'.");
    }
    if (!state.children().isEmpty()) {
      in.error(
          "final-with-children",
          state,
          "Expected the final state '%s' to have no states inside, but it has %s."
              .formatted(state.id(), count(state.children().size(), "state")),
          "Make one of the inner states final instead.");
    }
    if (!state.invokes().isEmpty()) {
      in.error(
          "final-with-invoke",
          state,
          "Expected the final state '%s' to invoke nothing, but it does.".formatted(state.id()),
          "Invoke the child in a state before it.");
    }
  }

  private void history(State state) {
    State parent = outline.parent(state);
    if (parent == null || parent == outline.root() || hasNoHistory(parent)) {
      in.error(
          "bad-history",
          state,
          "Expected the history state '%s' to stand in a state with other states, but it does not."
              .formatted(state.id()),
          "Put it inside the state whose history it keeps.");
    }
    if (!state.transitions().isEmpty()
        || !state.children().isEmpty()
        || !state.entry().isEmpty()
        || !state.exit().isEmpty()
        || !state.invokes().isEmpty()) {
      in.error(
          "bad-history",
          state,
          "Expected the history state '%s' to hold only its default, but it holds more."
              .formatted(state.id()),
          "It stands for other states and is never active itself.");
    }
    Transition initial = state.initial();
    if (initial == null) {
      in.error(
          "bad-history",
          state,
          "Expected the history state '%s' to say what is entered the first time, but it does not."
              .formatted(state.id()),
          "Name a state under 'default'.");
    }
    if (parent != null && initial != null) {
      for (State target : outline.targets(initial)) {
        if (!outline.isBelow(target, parent)) {
          in.error(
              "bad-history",
              initial,
              "Expected the default of the history state '%s' to be a state inside %s, but '%s' is"
                      .formatted(state.id(), outline.describe(parent), target.id())
                  + " not.",
              "Choose a state inside " + outline.describe(parent) + ".");
        }
      }
    }
  }

  private static boolean hasNoHistory(State parent) {
    List<State> others = parent.children().stream().filter(c -> !c.kind().isHistory()).toList();
    return others.isEmpty();
  }

  private void parallel(State state) {
    long regions = state.children().stream().filter(c -> !c.kind().isHistory()).count();
    if (regions < 2) {
      in.warning(
          "few-regions",
          state,
          "Expected the parallel state '%s' to have two regions or more, but it has %d."
              .formatted(state.id(), regions),
          "Add a region, or remove 'parallel'.");
    }
    for (State region : state.children()) {
      if (region.kind() == State.Kind.FINAL) {
        in.warning(
            "final-region",
            region,
            "Expected the regions of '%s' to be states that can do something, but '%s' is final."
                .formatted(state.id(), region.id()),
            "A region ends by a final state inside it.");
      }
    }
  }

  private void choice(State state) {
    if (state.transitions().isEmpty()) {
      in.error(
          "bad-choice",
          state,
          "Expected the choice '%s' to have a way out, but it has none.".formatted(state.id()),
          "Add transitions under 'always'.");
    } else if (state.transitions().stream().allMatch(t -> t.guard() != null)) {
      in.warning(
          "choice-without-else",
          state,
          "Expected the choice '%s' to have a last way without a condition, but all of them have one."
              .formatted(state.id()),
          "Where no condition holds, the instance stays at the choice; add a way without 'when'.");
    }
  }

  static String count(int number, String noun) {
    return number == 1 ? "one " + noun : number + " " + noun + "s";
  }
}
