package dev.signalbox.definition.check;

import dev.signalbox.kernel.machine.Invariant;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.Transition;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Set;

/**
 * The states that some sequence of transitions can enter when every guard may hold and every event
 * may come. What is not in it can never be active.
 */
final class Reach {
  private final Outline outline;
  private final Set<State> entered = Collections.newSetFromMap(new IdentityHashMap<>());

  /** States that were entered as a target or by default, not only around one that was. */
  private final Set<State> aimed = Collections.newSetFromMap(new IdentityHashMap<>());

  private final Deque<State> open = new ArrayDeque<>();

  Reach(Outline outline) {
    this.outline = outline;
    mark(outline.root());
    outline.defaults(outline.root()).forEach(this::enter);
    for (Invariant invariant : outline.machine().invariants()) {
      if (invariant instanceof Invariant.LeadsTo leadsTo && leadsTo.target() != null) {
        State target = outline.find(leadsTo.target());
        if (target != null) {
          enter(target);
        }
      }
    }
    while (!open.isEmpty()) {
      for (Transition transition : open.pop().transitions()) {
        outline.targets(transition).forEach(this::enter);
      }
    }
  }

  boolean contains(State state) {
    return entered.contains(state);
  }

  /** Enters the state, those around it, the other regions of those, and its defaults. */
  private void enter(State target) {
    Deque<State> pending = new ArrayDeque<>();
    pending.push(target);
    while (!pending.isEmpty()) {
      State state = pending.pop();
      if (!aimed.add(state)) {
        continue;
      }
      mark(state);
      pending.addAll(outline.defaults(state));
      State below = state;
      for (State around : outline.ancestors(state)) {
        mark(around);
        if (around.kind() == State.Kind.PARALLEL) {
          for (State region : outline.defaults(around)) {
            if (region != below) {
              pending.push(region);
            }
          }
        }
        below = around;
      }
    }
  }

  private void mark(State state) {
    if (entered.add(state)) {
      open.push(state);
    }
  }
}
