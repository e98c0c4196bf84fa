package dev.signalbox.definition.check;

import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.Transition;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The states of a machine with their place in the tree. Works on unsound machines too: of two
 * states with the same id, the first has the name. States are told apart by identity, since two
 * equal ones may stand at different places.
 */
final class Outline {
  private final Machine machine;
  private final List<State> states = new ArrayList<>();
  private final Map<String, State> byId = new LinkedHashMap<>();
  private final IdentityHashMap<State, State> parents = new IdentityHashMap<>();
  private final IdentityHashMap<State, Integer> depths = new IdentityHashMap<>();

  Outline(Machine machine) {
    this.machine = machine;
    depths.put(machine.root(), 0);
    Deque<State> open = new ArrayDeque<>();
    open.push(machine.root());
    while (!open.isEmpty()) {
      State state = open.pop();
      if (state != machine.root()) {
        states.add(state);
        byId.putIfAbsent(state.id(), state);
      }
      for (State child : state.children().reversed()) {
        parents.put(child, state);
        depths.put(child, depth(state) + 1);
        open.push(child);
      }
    }
  }

  Machine machine() {
    return machine;
  }

  State root() {
    return machine.root();
  }

  /** Every state but the root, in document order. */
  List<State> states() {
    return Collections.unmodifiableList(states);
  }

  @Nullable State find(String id) {
    return byId.get(id);
  }

  Collection<String> ids() {
    return Collections.unmodifiableSet(byId.keySet());
  }

  /** The levels above the state; 0 for the root. */
  int depth(State state) {
    return depths.getOrDefault(state, 0);
  }

  @Nullable State parent(State state) {
    return parents.get(state);
  }

  /** The states around the state, the nearest first, the root last. */
  List<State> ancestors(State state) {
    List<State> found = new ArrayList<>();
    for (State s = parents.get(state); s != null; s = parents.get(s)) {
      found.add(s);
    }
    return found;
  }

  /** The state and those around it, the root included. */
  List<State> pathUp(State state) {
    List<State> found = new ArrayList<>(List.of(state));
    found.addAll(ancestors(state));
    return found;
  }

  /** The states below the state, in document order. */
  List<State> descendants(State state) {
    List<State> found = new ArrayList<>();
    Deque<State> open = new ArrayDeque<>(state.children());
    while (!open.isEmpty()) {
      State next = open.pop();
      found.add(next);
      next.children().reversed().forEach(open::push);
    }
    return found;
  }

  /** Whether the state lies below the other one. */
  boolean isBelow(State state, State other) {
    for (State s = parents.get(state); s != null; s = parents.get(s)) {
      if (s == other) {
        return true;
      }
    }
    return false;
  }

  boolean isWithin(State state, State other) {
    return state == other || isBelow(state, other);
  }

  /** The nearest state that lies around all of them. */
  State commonAncestor(List<State> of) {
    State candidate = of.getFirst();
    for (State state : of) {
      while (candidate != root() && !isWithin(state, candidate)) {
        candidate = parentOrRoot(candidate);
      }
    }
    return candidate;
  }

  private State parentOrRoot(State state) {
    State parent = parents.get(state);
    return parent == null ? root() : parent;
  }

  /** Whether an instance can have both states active at once. */
  boolean canBeTogether(State one, State other) {
    if (isWithin(one, other) || isWithin(other, one)) {
      return true;
    }
    return commonAncestor(List.of(one, other)).kind() == State.Kind.PARALLEL;
  }

  /** The targets that exist. */
  List<State> targets(Transition transition) {
    List<State> found = new ArrayList<>();
    for (String target : transition.targets()) {
      State state = byId.get(target);
      if (state != null) {
        found.add(state);
      }
    }
    return found;
  }

  /** What is entered when the state is entered by default: the initial targets, or all regions. */
  List<State> defaults(State state) {
    if (state.kind() == State.Kind.PARALLEL) {
      return state.children().stream().filter(c -> !c.kind().isHistory()).toList();
    }
    Transition initial = state.initial();
    if (initial != null) {
      return targets(initial);
    }
    if (!state.isCompound()) {
      return List.of();
    }
    return state.children().stream().filter(c -> !c.kind().isHistory()).limit(1).toList();
  }

  /** How people find the state: its id, or the machine for the root. */
  String describe(State state) {
    return state == root() ? "the machine" : "'" + state.id() + "'";
  }
}
