package dev.signalbox.definition.check;

import dev.signalbox.kernel.Edge;
import dev.signalbox.kernel.GuardResult;
import dev.signalbox.kernel.Microstep;
import dev.signalbox.kernel.Step;
import dev.signalbox.kernel.machine.Guard;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.Transition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** From the edges that a step names back to the transitions of the definition. */
final class Edges {
  private final Map<Edge, List<Transition>> byEdge = new HashMap<>();
  private final Map<String, List<Transition>> forks = new HashMap<>();
  private final List<Owned> all = new ArrayList<>();

  /** A transition and the state it belongs to. */
  record Owned(State state, Transition transition) {}

  Edges(Outline outline) {
    List<State> states = new ArrayList<>(List.of(outline.root()));
    states.addAll(outline.states());
    for (State state : states) {
      for (Transition transition : state.transitions()) {
        Edge edge = new Edge(state.id(), transition.trigger().text(), transition.targets());
        byEdge.computeIfAbsent(edge, _ -> new ArrayList<>()).add(transition);
        all.add(new Owned(state, transition));
        if (state.kind() == State.Kind.FORK) {
          forks.computeIfAbsent(state.id(), _ -> new ArrayList<>()).add(transition);
        }
      }
    }
  }

  /** Every transition but the initial ones, in document order. */
  List<Owned> all() {
    return all;
  }

  /** Tells each transition that the step took. */
  void taken(Step step, Consumer<Transition> tell) {
    for (Microstep microstep : step.microsteps()) {
      for (Edge edge : microstep.edges()) {
        List<Transition> fork = forks.get(edge.from());
        if (fork != null) {
          fork.forEach(tell);
        } else {
          taken(edge, step, tell);
        }
      }
    }
  }

  private void taken(Edge edge, Step step, Consumer<Transition> tell) {
    List<Transition> candidates = byEdge.getOrDefault(edge, List.of());
    if (candidates.size() == 1) {
      tell.accept(candidates.getFirst());
      return;
    }
    // Transitions that differ in their guards alone: the guard that said yes tells which it was.
    boolean told = false;
    for (GuardResult result : step.guards()) {
      if (result.verdict() == GuardResult.Verdict.YES && result.edge().equals(edge)) {
        for (Transition candidate : candidates) {
          Guard guard = candidate.guard();
          if (guard == result.guard()) {
            tell.accept(candidate);
            told = true;
          }
        }
      }
    }
    if (!told) {
      candidates.stream().filter(c -> c.guard() == null).forEach(tell);
    }
  }
}
