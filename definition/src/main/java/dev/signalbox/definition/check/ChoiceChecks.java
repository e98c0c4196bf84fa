package dev.signalbox.definition.check;

import dev.signalbox.kernel.machine.Guard;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.Transition;
import dev.signalbox.kernel.machine.Trigger;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Whether it is clear which transition is taken, and whether each can be. */
final class ChoiceChecks {
  /** Regions with more transitions than this are compared by the model checker only. */
  private static final int MOST = 300;

  private final Inspection in;
  private final Outline outline;

  ChoiceChecks(Inspection in) {
    this.in = in;
    this.outline = in.outline();
  }

  void run() {
    shadowed(outline.root());
    for (State state : outline.states()) {
      shadowed(state);
      if (state.kind() == State.Kind.PARALLEL) {
        conflicts(state);
      }
    }
  }

  private void shadowed(State state) {
    List<Transition> transitions = state.transitions();
    for (int later = 1; later < Math.min(transitions.size(), MOST); later++) {
      Transition second = transitions.get(later);
      for (int earlier = 0; earlier < later; earlier++) {
        Transition first = transitions.get(earlier);
        if (sameCondition(first.guard(), second.guard()) && coversTrigger(first, second)) {
          neverTaken(state, first, second);
          break;
        }
      }
    }
  }

  private static boolean sameCondition(@Nullable Guard first, @Nullable Guard second) {
    return first == null
        || (second != null && first.condition().text().equals(second.condition().text()));
  }

  private static boolean coversTrigger(Transition first, Transition second) {
    return switch (second.trigger()) {
      case Trigger.Always _ -> first.trigger() instanceof Trigger.Always;
      case Trigger.On on ->
          first.trigger() instanceof Trigger.On before
              && Descriptors.cover(before.descriptors(), on.descriptors());
      case Trigger.After _ -> false;
    };
  }

  private void neverTaken(State state, Transition first, Transition second) {
    String trigger = second.trigger().text();
    in.errorIfStrict(
        "never-taken",
        second,
        "Expected %s in %s to be possible, but an earlier transition at line %d %s."
            .formatted(
                trigger.isEmpty() ? "the transition" : "'" + trigger + "'",
                outline.describe(state),
                in.placeOf(first).line(),
                first.guard() == null
                    ? "has no condition and is always taken first"
                    : "has the same condition and is taken first"),
        "The first transition whose condition holds is taken; remove one, or give the first a"
            + " condition.");
  }

  /**
   * Two regions that wait for the same event and cannot both act on it, since one of them leaves
   * the parallel state: SCXML then takes the first in the document, which few readers expect.
   */
  private void conflicts(State parallel) {
    List<List<Candidate>> regions = new ArrayList<>();
    for (State region : parallel.children()) {
      List<Candidate> candidates = new ArrayList<>();
      collect(region, candidates);
      outline.descendants(region).forEach(s -> collect(s, candidates));
      if (candidates.size() > MOST) {
        return;
      }
      regions.add(candidates);
    }
    Set<Transition> reported = new HashSet<>();
    for (int i = 0; i < regions.size(); i++) {
      for (int j = i + 1; j < regions.size(); j++) {
        for (Candidate one : regions.get(i)) {
          for (Candidate other : regions.get(j)) {
            if (conflict(parallel, one, other) && reported.add(other.transition)) {
              conflict(one, other);
            }
          }
        }
      }
    }
  }

  private record Candidate(State state, Transition transition, List<String> descriptors) {}

  private static void collect(State state, List<Candidate> candidates) {
    for (Transition transition : state.transitions()) {
      if (transition.trigger() instanceof Trigger.On on) {
        candidates.add(new Candidate(state, transition, on.descriptors()));
      }
    }
  }

  private boolean conflict(State parallel, Candidate one, Candidate other) {
    if (!Descriptors.overlap(one.descriptors, other.descriptors)) {
      return false;
    }
    boolean oneLeaves = leaves(one.transition, parallel);
    boolean otherLeaves = leaves(other.transition, parallel);
    boolean sameEnd =
        one.transition.targets().equals(other.transition.targets())
            && one.transition.actions().equals(other.transition.actions());
    return (oneLeaves || otherLeaves) && !(oneLeaves && otherLeaves && sameEnd);
  }

  private boolean leaves(Transition transition, State parallel) {
    return outline.targets(transition).stream().anyMatch(t -> !outline.isBelow(t, parallel));
  }

  private void conflict(Candidate one, Candidate other) {
    in.warning(
        "conflicting-regions",
        other.transition,
        "Expected '%s' in '%s' and '%s' in '%s' to be possible together, but one of them leaves the"
                .formatted(
                    other.transition.trigger().text(),
                    other.state.id(),
                    one.transition.trigger().text(),
                    one.state.id())
            + " parallel state around both.",
        "The first in the document is taken alone; put it on the parallel state, or give the events"
            + " different names.");
  }
}
