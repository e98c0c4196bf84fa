package dev.signalbox.definition.check;

import dev.signalbox.definition.play.Stimulus;
import dev.signalbox.kernel.Chart;
import dev.signalbox.kernel.ChildChange;
import dev.signalbox.kernel.Context;
import dev.signalbox.kernel.Step;
import dev.signalbox.kernel.Timer;
import dev.signalbox.kernel.machine.Invariant;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.Transition;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
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
  private static final int MOST_SENDS = 16;

  private final Chart chart;
  private final Guesses guesses;
  private final Alphabet alphabet;
  private final Edges edges;
  private final Relevance relevance;
  private final Set<String> fatal = new HashSet<>();
  private final List<Duration> waits;

  private final Deque<Node> fresh = new ArrayDeque<>();
  private final Map<List<String>, Deque<Node>> others = new LinkedHashMap<>();
  private final Map<List<String>, Integer> tried = new HashMap<>();
  private final Set<Key> known = new HashSet<>();
  private final Map<List<String>, Integer> scenes = new HashMap<>();
  private final Map<String, Node> violations = new HashMap<>();
  private final IdentityHashMap<Transition, Node> taken = new IdentityHashMap<>();
  private int steps;

  /** A scene that was reached, and by what. */
  private record Node(
      Scene scene, Pending pending, @Nullable Node parent, @Nullable Stimulus stimulus) {}

  private record Key(
      List<String> states,
      List<@Nullable Object> data,
      Map<String, Object> monitors,
      Set<String> timers,
      Pending pending,
      long time) {}

  Search(
      Chart chart,
      Machine machine,
      Guesses guesses,
      Alphabet alphabet,
      Edges edges,
      Relevance relevance) {
    this.chart = chart;
    this.guesses = guesses;
    this.alphabet = alphabet;
    this.edges = edges;
    this.relevance = relevance;
    for (Invariant invariant : machine.invariants()) {
      if (invariant.severity() == Invariant.Severity.FATAL) {
        fatal.add(invariant.name());
      }
    }
    this.waits =
        guesses.isTimed() ? List.of(Duration.ofMinutes(10), Duration.ofDays(1)) : List.of();
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
      tried.merge(states(node), 1, Integer::sum);
      for (Stimulus stimulus : stimuli(node)) {
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
              performed(Pending.NOTHING, scene),
              null,
              input.isEmpty() ? null : new Stimulus.Start(input)));
    }
  }

  private List<Stimulus> stimuli(Node node) {
    Scene scene = node.scene();
    List<Stimulus> all = new ArrayList<>();
    Set<String> events = new LinkedHashSet<>(alphabet.sent(scene.snapshot().configuration()));
    for (String reply : node.pending().effects().keySet()) {
      alphabet.outcomes(reply).forEach(o -> events.add(reply + "." + o));
    }
    for (ChildChange.Invocation child : scene.snapshot().memory().children()) {
      events.add("done.invoke." + child.id());
      events.add("error.communication");
    }
    for (String event : events) {
      guesses.sends(event, scene, Knowledge.Cause.NONE).stream()
          .limit(MOST_SENDS)
          .forEach(all::add);
    }
    Timer next = scene.earliest();
    if (next != null) {
      long time = Math.max(0, next.due() - scene.now());
      all.add(new Stimulus.Wait(Duration.ofMillis(time)));
    }
    waits.forEach(w -> all.add(new Stimulus.Wait(w)));
    return all;
  }

  private void take(Node from, Stimulus stimulus) {
    steps++;
    Scene scene = from.scene().after(stimulus);
    if (scene == null) {
      return;
    }
    Pending pending = from.pending();
    if (stimulus instanceof Stimulus.Send send) {
      int dot = send.event().lastIndexOf('.');
      String reply = dot < 0 ? send.event() : send.event().substring(0, dot);
      pending = pending.effects().containsKey(reply) ? pending.answered(reply) : pending;
    }
    reached(new Node(scene, performed(pending, scene), from, stimulus));
  }

  private static Pending performed(Pending before, Scene scene) {
    Pending pending = before;
    for (Step step : scene.steps()) {
      for (Step.Effect effect : step.effects()) {
        pending = pending.performing(effect.reply());
      }
    }
    return pending;
  }

  private void reached(Node node) {
    boolean refused = false;
    for (Step step : node.scene().steps()) {
      for (Step.Violation violation : step.violations()) {
        boolean kept = fatal.contains(violation.invariant());
        refused |= kept;
        // A start that breaks what refuses it is bad input, as long as it is given any.
        if (!(kept && node.parent() == null && node.stimulus() != null)) {
          violations.putIfAbsent(violation.invariant(), node);
        }
      }
    }
    if (refused) {
      return;
    }
    int before = taken.size();
    for (Step step : node.scene().steps()) {
      edges.taken(step, t -> taken.putIfAbsent(t, node));
    }
    List<String> states = states(node);
    if (node.scene().snapshot().done()
        || scenes.getOrDefault(states, 0) >= MOST_SCENES_PER_CONFIGURATION
        || !known.add(key(node))) {
      return;
    }
    scenes.merge(states, 1, Integer::sum);
    if (taken.size() > before) {
      fresh.add(node);
    } else {
      others.computeIfAbsent(states, _ -> new ArrayDeque<>()).add(node);
    }
  }

  private Key key(Node node) {
    Scene scene = node.scene();
    Context context = scene.snapshot().context();
    List<@Nullable Object> data = new ArrayList<>();
    for (int i = 0; i < context.layout().size(); i++) {
      if (relevance.isRelevant(context.layout().name(i))) {
        data.add(context.slot(i));
      }
    }
    Set<String> timers = new HashSet<>();
    scene.snapshot().memory().timers().forEach(t -> timers.add(t.id()));
    return new Key(
        scene.snapshot().configuration().states(),
        data,
        scene.snapshot().memory().monitors(),
        timers,
        node.pending(),
        waits.isEmpty() ? 0 : Math.min(3, scene.now() / waits.getFirst().toMillis()));
  }
}
