package dev.signalbox.definition.check;

import dev.signalbox.definition.play.Stimulus;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.Transition;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What every machine must show in the exploration, whether or not it declares it. */
final class BehaviourChecks {
  private static final int MOST_REPORTS = 5;

  private final Inspection in;
  private final ModelChecker model;
  private final Exploration found;
  private final Set<String> deadEnds = new HashSet<>();

  BehaviourChecks(Inspection in, ModelChecker model) {
    this.in = in;
    this.model = model;
    this.found = model.exploration();
  }

  void run() {
    neverStarts();
    endlessLoops();
    deadlocks();
    if (found.isComplete()) {
      noWayOut();
      neverReached();
      neverTaken();
    }
  }

  private void neverStarts() {
    if (found.vertices.isEmpty() && found.isComplete()) {
      in.errorIfStrict(
          "never-starts",
          in.machine(),
          "Expected a start to be possible, but every one is refused: %s"
              .formatted(found.refusals.isEmpty() ? "." : found.refusals.iterator().next()),
          "Look at the first values of the context, at what the first states do, and at the"
              + " invariants that must hold from the start.");
    } else if (!found.vertices.isEmpty() && !model.starts()) {
      in.warning(
          "no-start-found",
          in.machine(),
          "Expected a start to be possible, but every one that was tried is refused.",
          "Look at the first values of the context, at what the first states do, and at the"
              + " invariants that must hold from the start.");
    }
  }

  private void endlessLoops() {
    for (Exploration.Finding finding : found.endless) {
      Optional<List<Stimulus>> sequence = model.realiser().reachLimit(finding);
      if (sequence.isPresent()) {
        in.error(
            "endless-loop",
            in.machine(),
            "Expected every step to come to rest, but one does not: %s."
                .formatted(Stimulus.text(sequence.get())),
            "A transition without an event is taken again and again; give it a condition that"
                + " ends.");
        return;
      }
    }
    if (!found.endless.isEmpty()) {
      found.cuts.add(
          "a step takes more than %d microsteps: %s"
              .formatted(AbstractMachine.MICROSTEPS, ModelChecker.text(found.endless.getFirst())));
    }
  }

  private void deadlocks() {
    int reports = 0;
    for (Vertex vertex : found.vertices) {
      if (reports == MOST_REPORTS) {
        return;
      }
      if (!isDeadlock(vertex) || !deadEnds.add(ModelChecker.leaves(vertex))) {
        continue;
      }
      Optional<Realiser.Realised> realised =
          model
              .realiser()
              .reach(
                  vertex,
                  scene ->
                      !scene.snapshot().done() && scene.snapshot().memory().timers().isEmpty());
      if (realised.isPresent()) {
        reports++;
        in.errorIfStrict(
            "deadlock",
            place(vertex),
            "Expected the machine to go on from %s, but nothing can happen there after: %s."
                .formatted(ModelChecker.leaves(vertex), Stimulus.text(realised.get().sequence())),
            "Add a way on, make the state final, or say under 'waits' why it may stay.");
      }
    }
  }

  private boolean isDeadlock(Vertex vertex) {
    return found.isFinished(vertex)
        && !vertex.snapshot().done()
        && vertex.edgeCount() == 0
        && vertex.snapshot().memory().timers().isEmpty()
        && vertex.snapshot().memory().children().isEmpty()
        && vertex.pending().isNothing()
        && vertex.snapshot().configuration().states().stream().noneMatch(this::isExplained);
  }

  /** Whether the state says why it may wait, or the structural checks have told its fault. */
  private boolean isExplained(String id) {
    State state = in.outline().find(id);
    return state == null || state.waits() != null || isReported("dead-end", state);
  }

  private boolean isReported(String code, Object element) {
    return in.problems().list().stream()
        .anyMatch(p -> p.code().equals(code) && p.place().equals(in.placeOf(element)));
  }

  private Object place(Vertex vertex) {
    List<String> leaves = vertex.snapshot().configuration().leaves();
    State state = leaves.isEmpty() ? null : in.outline().find(leaves.getFirst());
    return state == null ? in.machine() : state;
  }

  private void noWayOut() {
    if (FlowChecks.isEndless(in.machine())) {
      return;
    }
    boolean[] ends = new boolean[found.vertices.size()];
    List<List<Integer>> incoming = new ArrayList<>();
    List<Integer> queue = new ArrayList<>();
    found.vertices.forEach(_ -> incoming.add(new ArrayList<>(2)));
    for (Vertex vertex : found.vertices) {
      for (int e = 0; e < vertex.edgeCount(); e++) {
        incoming.get(vertex.target(e)).add(vertex.id);
      }
      if (vertex.snapshot().done()) {
        ends[vertex.id] = true;
        queue.add(vertex.id);
      }
    }
    for (int i = 0; i < queue.size(); i++) {
      for (int before : incoming.get(queue.get(i))) {
        if (!ends[before]) {
          ends[before] = true;
          queue.add(before);
        }
      }
    }
    report(found.vertices.stream().filter(v -> !ends[v.id]).toList());
  }

  private void report(List<Vertex> trapped) {
    Set<String> told = new HashSet<>(deadEnds);
    int trials = 0;
    for (Vertex vertex : trapped) {
      boolean explained =
          vertex.snapshot().configuration().states().stream()
              .map(in.outline()::find)
              .anyMatch(s -> s != null && isReported("dead-end", s));
      if (explained || !told.add(ModelChecker.leaves(vertex)) || trials++ == MOST_REPORTS) {
        continue;
      }
      Optional<Realiser.Realised> realised = model.realiser().reach(vertex, _ -> true);
      if (realised.isPresent()) {
        in.warning(
            "no-way-out",
            place(vertex),
            "Expected a way from %s to a final state, but there is none after: %s."
                .formatted(ModelChecker.leaves(vertex), Stimulus.text(realised.get().sequence())),
            "Add a way to the end.");
      }
    }
  }

  private void neverReached() {
    for (State state : in.outline().states()) {
      boolean hidden = state.kind().isHistory() || isReported("unreachable-state", state);
      State parent = in.outline().parent(state);
      boolean inside =
          parent != null && parent != in.outline().root() && !found.entered.contains(parent.id());
      if (!hidden && !inside && !found.entered.contains(state.id())) {
        in.warning(
            "never-reached",
            state,
            "Expected '%s' to be entered in some case, but the conditions never let that happen."
                .formatted(state.id()),
            "Look at the conditions of the transitions that lead to it.");
      }
    }
  }

  private void neverTaken() {
    for (Edges.Owned owned : model.edges().all()) {
      Transition transition = owned.transition();
      boolean entered =
          owned.state() == in.outline().root() || found.entered.contains(owned.state().id());
      if (entered && !found.taken.containsKey(transition) && !isTold(transition)) {
        in.warning(
            "never-taken",
            transition,
            "Expected '%s' in %s to be taken in some case, but that never happens."
                .formatted(text(transition), in.outline().describe(owned.state())),
            "Another transition is always taken first, or its condition never holds there.");
      }
    }
  }

  private boolean isTold(Transition transition) {
    Object guard = condition(transition);
    return isReported("never-taken", transition)
        || (guard != null && isReported("guard-never-true", guard));
  }

  private static @Nullable Object condition(Transition transition) {
    return transition.guard() == null ? null : transition.guard().condition();
  }

  private static String text(Transition transition) {
    String trigger = transition.trigger().text();
    return trigger.isEmpty() ? "-> " + String.join(", ", transition.targets()) : trigger;
  }
}
