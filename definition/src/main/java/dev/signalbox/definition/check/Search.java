package dev.signalbox.definition.check;

import dev.signalbox.definition.play.Stimulus;
import dev.signalbox.kernel.Chart;
import dev.signalbox.kernel.Snapshot;
import dev.signalbox.kernel.Step;
import dev.signalbox.kernel.machine.Invariant;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.Transition;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Looks for sequences by playing the machine with guessed data within a bound: first on from
 * whatever took a transition for the first time, then from the configurations that were tried
 * least. It finds what the exploration's own paths miss, because those may pass through states that
 * no data gives; that it finds nothing proves nothing.
 */
final class Search {
  private static final int MOST_STEPS = 12_000;
  private static final int MOST_SCENES_PER_CONFIGURATION = 150;

  private final Chart chart;
  private final NextScenes rehearsal;
  private final Edges edges;
  private final Set<String> fatal = new HashSet<>();

  private final Deque<Node> fresh = new ArrayDeque<>();
  private final Map<List<String>, Deque<Node>> others = new LinkedHashMap<>();
  private final Map<List<String>, Integer> tried = new HashMap<>();
  private final Set<NextScenes.Key> known = new HashSet<>();
  private final Map<List<String>, Integer> scenes = new HashMap<>();
  private final Map<String, Node> violations = new HashMap<>();
  private final IdentityHashMap<Transition, Node> taken = new IdentityHashMap<>();
  private final Map<String, Node> entered = new HashMap<>();
  private final Map<String, Node> stuck = new HashMap<>();
  private final List<String> responses = new ArrayList<>();
  private final Outline outline;
  private int steps;

  /** A scene that was reached, and by what. */
  private record Node(
      Scene scene, Pending pending, @Nullable Node parent, @Nullable Stimulus stimulus) {}

  Search(Chart chart, Outline outline, Machine machine, NextScenes rehearsal, Edges edges) {
    this.chart = chart;
    this.outline = outline;
    this.rehearsal = rehearsal;
    this.edges = edges;
    for (Invariant invariant : machine.invariants()) {
      if (invariant.severity() == Invariant.Severity.FATAL) {
        fatal.add(invariant.name());
      }
      if (invariant instanceof Invariant.LeadsTo) {
        responses.add(invariant.name());
      }
    }
  }

  /**
   * Searches from the declared start and from the given ones.
   *
   * @param inputs values for the context at the start
   */
  void run(List<Map<String, @Nullable Object>> inputs) {
    start(Map.of());
    inputs.stream().limit(6).forEach(this::start);
    inputs.stream().skip(Math.max(6, inputs.size() - 6)).forEach(this::start);
    for (Node node = next(); node != null && steps < MOST_STEPS; node = next()) {
      Ending.look();
      tried.merge(states(node), 1, Integer::sum);
      for (Stimulus stimulus : rehearsal.stimuli(node.scene(), node.pending())) {
        take(node, stimulus);
      }
    }
  }

  private @Nullable Node next() {
    if (!fresh.isEmpty()) {
      return fresh.removeFirst();
    }
    List<String> least = null;
    for (Map.Entry<List<String>, Deque<Node>> entry : others.entrySet()) {
      boolean less =
          least == null || tried.getOrDefault(entry.getKey(), 0) < tried.getOrDefault(least, 0);
      if (!entry.getValue().isEmpty() && less) {
        least = entry.getKey();
      }
    }
    Deque<Node> nodes = least == null ? null : others.get(least);
    return nodes == null ? null : nodes.removeFirst();
  }

  private static List<String> states(Node node) {
    return node.scene().snapshot().configuration().states();
  }

  /** A shortest sequence that was found to break the invariant, played to its end. */
  Optional<Realiser.Realised> violation(String invariant) {
    return Optional.ofNullable(violations.get(invariant)).map(Search::realised);
  }

  /** A shortest sequence that was found to enter the state, played to its end. */
  Optional<Realiser.Realised> entering(String state) {
    return Optional.ofNullable(entered.get(state)).map(Search::realised);
  }

  /** A shortest sequence after which the response is owed and nothing is under way. */
  Optional<Realiser.Realised> stuck(String invariant) {
    return Optional.ofNullable(stuck.get(invariant)).map(Search::realised);
  }

  /** A shortest sequence that was found to take the transition, played to its end. */
  Optional<Realiser.Realised> taking(Transition transition) {
    return Optional.ofNullable(taken.get(transition)).map(Search::realised);
  }

  private static Realiser.Realised realised(Node end) {
    List<Stimulus> sequence = new ArrayList<>();
    for (Node node = end; node != null; node = node.parent()) {
      if (node.stimulus() != null) {
        sequence.addFirst(node.stimulus());
      }
    }
    return new Realiser.Realised(List.copyOf(sequence), end.scene());
  }

  private void start(Map<String, @Nullable Object> input) {
    Scene scene = Scene.start(chart, input);
    steps++;
    if (scene != null) {
      reached(
          new Node(
              scene,
              NextScenes.performed(Pending.NOTHING, scene),
              null,
              input.isEmpty() ? null : new Stimulus.Start(input)));
    }
  }

  /** Whether nothing is under way, and no state says why it waits. */
  private boolean isAtRest(Node node) {
    Snapshot snapshot = node.scene().snapshot();
    return !snapshot.done()
        && snapshot.memory().timers().isEmpty()
        && snapshot.memory().children().isEmpty()
        && node.pending().equals(Pending.NOTHING)
        && states(node).stream()
            .map(outline::find)
            .allMatch(state -> state == null || state.waits() == null);
  }

  private void take(Node from, Stimulus stimulus) {
    steps++;
    Scene scene = from.scene().after(stimulus);
    if (scene == null) {
      return;
    }
    Pending pending = NextScenes.after(from.pending(), stimulus, scene);
    reached(new Node(scene, pending, from, stimulus));
  }

  private void reached(Node node) {
    for (Step step : node.scene().steps()) {
      List<String> broken = step.violations().stream().map(Step.Violation::invariant).toList();
      boolean refused = broken.stream().anyMatch(fatal::contains);
      // A start that breaks what refuses it is bad input, as long as it is given any.
      boolean bad = refused && node.parent() == null && node.stimulus() != null;
      if (!bad) {
        broken.stream()
            .filter(b -> !refused || fatal.contains(b))
            .forEach(b -> violations.putIfAbsent(b, node));
      }
      if (refused) {
        return;
      }
    }
    int before = taken.size();
    for (Step step : node.scene().steps()) {
      edges.taken(step, t -> taken.putIfAbsent(t, node));
      step.microsteps().stream()
          .flatMap(m -> m.entered().stream())
          .forEach(state -> entered.putIfAbsent(state, node));
    }
    if (isAtRest(node)) {
      for (String response : responses) {
        if (node.scene().snapshot().memory().monitors().containsKey(response)) {
          stuck.putIfAbsent(response, node);
        }
      }
    }
    List<String> states = states(node);
    if (node.scene().snapshot().done()
        || scenes.getOrDefault(states, 0) >= MOST_SCENES_PER_CONFIGURATION
        || !known.add(rehearsal.key(node.scene(), node.pending()))) {
      return;
    }
    scenes.merge(states, 1, Integer::sum);
    if (taken.size() > before) {
      fresh.add(node);
    } else {
      others.computeIfAbsent(states, _ -> new ArrayDeque<>()).add(node);
    }
  }
}
