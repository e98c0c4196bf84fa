package dev.signalbox.definition.check;

import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.Fact;
import dev.signalbox.kernel.machine.Invariant;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.Transition;
import dev.signalbox.kernel.machine.Trigger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Whether every state can be entered and left, and whether anything can go on for ever. */
final class FlowChecks {
  private final Inspection in;
  private final Outline outline;
  private final Reach reach;
  private final Set<State> performing = Collections.newSetFromMap(new IdentityHashMap<>());
  private final Set<State> leftByRegion = Collections.newSetFromMap(new IdentityHashMap<>());

  FlowChecks(Inspection in) {
    this.in = in;
    this.outline = in.outline();
    this.reach = new Reach(outline);
    in.content().acts().forEach(this::noteWork);
    noteRegionsThatLeave();
  }

  void run() {
    for (State state : outline.states()) {
      if (!reach.contains(state)) {
        unreachable(state);
      } else if (isLeaf(state)) {
        if (!canBeLeft(state)) {
          deadEnd(state);
        } else if (in.isStrict() && state.kind() == State.Kind.STATE && canWaitForEver(state)) {
          noDeadline(state);
        }
      }
    }
    endlessLoops();
  }

  private void unreachable(State state) {
    State parent = outline.parent(state);
    if (parent != null && parent != outline.root() && !reach.contains(parent)) {
      return; // The parent is reported; its states are unreachable with it.
    }
    in.warning(
        "unreachable-state",
        state,
        "Expected a way to '%s', but no transition leads to it.".formatted(state.id()),
        "Add a transition to it, or remove it.");
  }

  private boolean isLeaf(State state) {
    return switch (state.kind()) {
      case STATE -> state.children().isEmpty();
      case FINAL -> !endsTheMachine(state);
      case PARALLEL, SHALLOW_HISTORY, DEEP_HISTORY, CHOICE, FORK, JOIN -> false;
    };
  }

  /** Whether the machine ends with the final state, be it once its other regions have ended too. */
  private boolean endsTheMachine(State end) {
    State ended = outline.parent(end);
    while (ended != null && ended != outline.root()) {
      State around = outline.parent(ended);
      ended = around != null && around.kind() == State.Kind.PARALLEL ? around : null;
    }
    return ended != null;
  }

  /** Whether a transition of the state, of one around it, or of another region leaves the state. */
  private boolean canBeLeft(State state) {
    for (State from : outline.pathUp(state)) {
      if (from.waits() != null || leftByRegion.contains(from) || isTrigger(from)) {
        return true;
      }
      for (Transition transition : from.transitions()) {
        if (transition.targets().stream().anyMatch(t -> !t.equals(state.id()))) {
          return true;
        }
      }
    }
    return false;
  }

  /** Parallel states that a transition of one of their regions leaves. */
  private void noteRegionsThatLeave() {
    for (State state : outline.states()) {
      for (Transition transition : state.transitions()) {
        for (State target : outline.targets(transition)) {
          for (State around : outline.ancestors(state)) {
            if (around.kind() == State.Kind.PARALLEL && !outline.isWithin(target, around)) {
              leftByRegion.add(around);
            }
          }
        }
      }
    }
  }

  private void deadEnd(State state) {
    if (state.kind() == State.Kind.FINAL) {
      State parent = outline.parent(state);
      String id = parent == null ? "" : parent.id();
      in.errorIfStrict(
          "dead-end",
          state,
          "Expected a way on after '%s', but it ends only '%s', and nothing leaves that."
              .formatted(state.id(), id),
          "Handle 'done.state." + id + "', or lead to a final state of the machine.");
      return;
    }
    in.errorIfStrict(
        "dead-end",
        state,
        "Expected a way out of '%s', but it has none and is not final.".formatted(state.id()),
        "Add a transition, declare it 'final: true', or give the reason under 'waits'.");
  }

  private boolean canWaitForEver(State state) {
    for (State from : outline.pathUp(state)) {
      if (from.waits() != null
          || !from.invokes().isEmpty()
          || performing.contains(from)
          || isTrigger(from)) {
        return false;
      }
      for (Transition transition : from.transitions()) {
        boolean passes =
            switch (transition.trigger()) {
              case Trigger.After _ -> true;
              case Trigger.Always _ -> transition.guard() == null;
              case Trigger.On _ -> false;
            };
        if (passes) {
          return false;
        }
      }
    }
    return true;
  }

  private void noDeadline(State state) {
    String awaited =
        outline.pathUp(state).stream()
            .flatMap(s -> s.transitions().stream())
            .map(t -> t.trigger().text())
            .filter(t -> !t.isEmpty())
            .distinct()
            .limit(4)
            .map(t -> "'" + t + "'")
            .collect(Collectors.joining(", "));
    in.warning(
        "no-deadline",
        state,
        "Expected a deadline for '%s', but it can wait for ever for %s."
            .formatted(state.id(), awaited.isEmpty() ? "a condition" : awaited),
        "Add 'after', or say under 'waits' why it may wait for ever.");
  }

  /** Whether an invariant starts a deadline when the state is entered. */
  private boolean isTrigger(State state) {
    return outline.machine().invariants().stream()
        .anyMatch(i ->
            i instanceof Invariant.LeadsTo leadsTo
                && leadsTo.within() != null
                && leadsTo.trigger() instanceof Fact.Enters(String id)
                && id.equals(state.id()));
  }

  /** Notes the states that are entered with an effect or a delayed event under way. */
  private void noteWork(Content.Act act) {
    boolean works =
        act.action() instanceof Action.Perform
            || (act.action() instanceof Action.Send send && send.delay() != null);
    if (!works) {
      return;
    }
    Transition transition = act.transition();
    if (transition == null) {
      performing.add(act.state());
    } else if (transition.targets().isEmpty()) {
      performing.add(act.state());
    } else {
      performing.addAll(outline.targets(transition));
    }
  }

  private void endlessLoops() {
    Set<State> known = Collections.newSetFromMap(new IdentityHashMap<>());
    for (State state : outline.states()) {
      List<State> path = new ArrayList<>();
      Set<State> onPath = Collections.newSetFromMap(new IdentityHashMap<>());
      State at = reach.contains(state) ? leaf(state) : null;
      while (at != null && known.add(at)) {
        path.add(at);
        onPath.add(at);
        Transition next = takenAtOnce(at);
        if (next == null) {
          at = null;
        } else if (next.targets().isEmpty()) {
          endlessLoop(next, List.of(at, at));
          at = null;
        } else {
          List<State> targets = outline.targets(next);
          State target = targets.size() == 1 ? leaf(targets.getFirst()) : null;
          if (target != null && onPath.contains(target)) {
            List<State> loop = new ArrayList<>(path.subList(path.indexOf(target), path.size()));
            loop.add(target);
            endlessLoop(next, loop);
          }
          at = target;
        }
      }
    }
  }

  /** The transition that is taken as soon as the state is active, whatever the data. */
  private @Nullable Transition takenAtOnce(State leaf) {
    for (State state : outline.pathUp(leaf)) {
      for (Transition transition : state.transitions()) {
        if (transition.trigger() instanceof Trigger.Always) {
          return transition.guard() == null ? transition : null;
        }
      }
    }
    return null;
  }

  /** The one leaf that entering the state leads to, or null when there are several or none. */
  private @Nullable State leaf(State state) {
    State at = state;
    for (int i = 0; i <= outline.states().size(); i++) {
      if (at.kind() == State.Kind.PARALLEL || at.kind() == State.Kind.FORK) {
        return null;
      }
      List<State> defaults = outline.defaults(at);
      if (defaults.isEmpty()) {
        return at;
      }
      if (defaults.size() > 1 || at.kind().isHistory()) {
        return null;
      }
      at = defaults.getFirst();
    }
    return null;
  }

  private void endlessLoop(Transition last, List<State> loop) {
    in.error(
        "endless-loop",
        last,
        "Expected the machine to come to rest, but it goes round without an event: %s."
            .formatted(loop.stream().map(State::id).collect(Collectors.joining(" -> "))),
        "Give one of the transitions an event, a deadline or a condition.");
  }

  /** Whether the machine never ends by design. */
  static boolean isEndless(Machine machine) {
    return machine.root().children().stream().noneMatch(s -> s.kind() == State.Kind.FINAL);
  }
}
