package dev.signalbox.definition.check;

import dev.signalbox.definition.play.Stimulus;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Chart;
import dev.signalbox.kernel.Environment;
import dev.signalbox.kernel.EventRule;
import dev.signalbox.kernel.Step;
import dev.signalbox.kernel.machine.Field;
import dev.signalbox.kernel.machine.Invariant;
import dev.signalbox.kernel.machine.Machine;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Looks for the fewest people who come into the states that invariants protect, by playing the
 * machine with guessed data: first with nobody, then with one who has no role, with one who has
 * any, and so on, each within a bound. What is found is a way that the kernel has played, so never
 * more people are needed; that fewer do not suffice is not proved.
 */
final class Gates {
  private static final int MOST_ACTORS = 4;

  /** Steps that are tried for one number of actors. */
  private static final int MOST_STEPS = 2_000;

  /** Steps that are tried in all. */
  private static final int MOST_STEPS_IN_ALL = 12_000;

  /** So many more events are rather sent than one more role is asked for. */
  private static final int WEIGHT_OF_A_ROLE = 3;

  private static final List<String> NAMES = List.of("ann", "bob", "cyd", "dan");

  private final Chart chart;
  private final Machine machine;
  private final Guesses guesses;
  private final NextScenes rehearsal;
  private final Set<String> inputs;
  private final Exploration explored;
  private final Function<String, Optional<Realiser.Realised>> elsewhere;
  private final Environment environment;
  private final Set<String> fatal = new HashSet<>();
  private int total;
  private boolean gaveUp;

  Gates(
      Chart chart,
      Machine machine,
      Guesses guesses,
      NextScenes rehearsal,
      Set<String> inputs,
      Exploration explored,
      Function<String, Optional<Realiser.Realised>> elsewhere) {
    this.elsewhere = elsewhere;
    this.chart = chart;
    this.machine = machine;
    this.guesses = guesses;
    this.rehearsal = rehearsal;
    this.inputs = inputs;
    this.explored = explored;
    this.environment = Environment.of(machine);
    for (Invariant invariant : machine.invariants()) {
      if (invariant.severity() == Invariant.Severity.FATAL) {
        fatal.add(invariant.name());
      }
    }
  }

  /** A scene, by whose doing it was reached, and how. */
  private record Node(
      Scene scene,
      Pending pending,
      @Nullable Node parent,
      @Nullable Stimulus stimulus,
      Set<String> people,
      Set<String> roles,
      int length) {

    int weight() {
      return length + WEIGHT_OF_A_ROLE * roles.size();
    }

    List<Stimulus> sequence() {
      List<Stimulus> all = new ArrayList<>();
      for (Node node = this; node != null; node = node.parent) {
        if (node.stimulus != null) {
          all.addFirst(node.stimulus);
        }
      }
      return all;
    }

    boolean isShorterThan(@Nullable Node other) {
      return other == null
          || Comparator.comparingInt((Node n) -> n.people.size())
                  .thenComparingInt(n -> n.roles.size())
                  .thenComparingInt(Node::length)
                  .compare(this, other)
              < 0;
    }
  }

  private record Key(NextScenes.Key scene, Set<String> people, Set<String> roles) {}

  List<Gate> find() {
    Set<String> states = DecidedByData.guarded(machine.invariants());
    if (states.isEmpty()) {
      return List.of();
    }
    Map<String, Node> declared = ways(states, declaredStarts());
    Map<String, Node> best = new HashMap<>(declared);
    Map<String, Set<String>> shortened = new HashMap<>();
    for (Field field : machine.context()) {
      if (inputs.contains(field.name())) {
        ways(open(states, declared), starts(field))
            .forEach((state, way) -> {
              if (way.isShorterThan(declared.get(state))) {
                shortened.computeIfAbsent(state, _ -> new LinkedHashSet<>()).add(field.name());
                best.merge(state, way, (a, b) -> b.isShorterThan(a) ? b : a);
              }
            });
      }
    }
    Set<String> left = new LinkedHashSet<>(open(states, best));
    left.removeAll(shortened.keySet());
    if (inputs.size() > 1 && !left.isEmpty()) {
      ways(left, guesses.inputs(inputs))
          .forEach((state, way) -> {
            if (way.isShorterThan(declared.get(state))) {
              shortened.put(state, needed(way, state));
              best.put(state, way);
            }
          });
    }
    for (String state : states) {
      boolean possible = !explored.isComplete() || explored.entered.contains(state);
      Node way = best.get(state) == null && possible ? wayOfTheSearch(state) : null;
      if (way != null) {
        best.put(state, way);
        shortened.put(state, needed(way, state));
      }
    }
    return states.stream()
        .map(s -> gate(s, best.get(s), shortened.getOrDefault(s, Set.of())))
        .toList();
  }

  /** The way that another search found, or one with fewer people from the same start; or null. */
  private @Nullable Node wayOfTheSearch(String state) {
    Realiser.Realised found = elsewhere.apply(state).orElse(null);
    if (found == null) {
      return null;
    }
    Map<String, @Nullable Object> input = Map.of();
    if (!found.sequence().isEmpty()
        && found.sequence().getFirst() instanceof Stimulus.Start(var given)) {
      input = given;
    }
    total = 0;
    Node fewest = ways(Set.of(state), List.of(input)).get(state);
    return fewest != null ? fewest : played(found.sequence(), input);
  }

  /** The sequence as it stands, with those who take part in it. */
  private @Nullable Node played(List<Stimulus> sequence, Map<String, @Nullable Object> input) {
    gaveUp = true;
    Scene scene = Scene.start(chart, input);
    Node at =
        scene == null
            ? null
            : new Node(
                scene,
                NextScenes.performed(Pending.NOTHING, scene),
                null,
                input.isEmpty() ? null : new Stimulus.Start(input),
                Set.of(),
                Set.of(),
                0);
    for (Stimulus stimulus : sequence) {
      if (at != null && !(stimulus instanceof Stimulus.Start)) {
        List<Node> next = new ArrayList<>();
        Set<String> people = new TreeSet<>(at.people());
        Set<String> roles = new TreeSet<>(at.roles());
        if (stimulus instanceof Stimulus.Send send && environment.rule(send.event()).isOpen()) {
          EventRule rule = environment.rule(send.event());
          Actor actor = send.actor();
          if (!rule.isForCallers()) {
            rule.roles().forEach(one -> roles.add(one.getFirst()));
          } else {
            people.add(actor == null ? NAMES.getFirst() : actor.name());
            roles.addAll(actor == null ? List.of() : actor.roles());
          }
        }
        add(next, at, stimulus, people, roles);
        at = next.isEmpty() ? null : next.getFirst();
      }
    }
    return at;
  }

  /** The states that are not yet reached by the start alone; no way is shorter than that. */
  private static Set<String> open(Set<String> states, Map<String, Node> ways) {
    Set<String> open = new LinkedHashSet<>(states);
    ways.forEach((state, way) -> {
      if (way.length() == 0) {
        open.remove(state);
      }
    });
    return open;
  }

  private Gate gate(String state, @Nullable Node way, Set<String> shortened) {
    if (way == null) {
      boolean never = explored.isComplete() && !explored.entered.contains(state);
      String note =
          never
              ? "It is never reached."
              : "The search was given up after so many steps; there may be one.";
      return new Gate(state, false, 0, List.of(), List.of(), List.of(), note);
    }
    String note =
        gaveUp ? "Not every shorter way was tried: the search has a bound. Fewer may do." : "";
    return new Gate(
        state,
        true,
        way.people().size(),
        List.copyOf(way.roles()),
        way.sequence(),
        List.copyOf(shortened),
        note);
  }

  /** Starts that leave alone what the machine declares a value for. */
  private List<Map<String, @Nullable Object>> declaredStarts() {
    Map<String, @Nullable Object> plain = new LinkedHashMap<>();
    for (Field field : machine.context()) {
      if (inputs.contains(field.name()) && field.initial() == null) {
        plain.put(field.name(), guesses.values(field).getFirst());
      }
    }
    return List.of(Map.of(), plain);
  }

  /** The declared starts with another value for the field. */
  private List<Map<String, @Nullable Object>> starts(Field field) {
    List<Map<String, @Nullable Object>> all = new ArrayList<>();
    for (Object value : guesses.values(field)) {
      for (Map<String, @Nullable Object> declared : declaredStarts()) {
        Map<String, @Nullable Object> input = new LinkedHashMap<>(declared);
        input.put(field.name(), value);
        all.add(input);
      }
    }
    return all;
  }

  /** The fields of the way's start without which its events do not lead there. */
  private Set<String> needed(Node way, String state) {
    List<Stimulus> sequence = way.sequence();
    Map<String, @Nullable Object> input = new LinkedHashMap<>();
    if (!sequence.isEmpty() && sequence.getFirst() instanceof Stimulus.Start(var given)) {
      input.putAll(given);
    }
    for (String field : List.copyOf(input.keySet())) {
      Map<String, @Nullable Object> without = new LinkedHashMap<>(input);
      without.remove(field);
      Scene scene = Scene.start(chart, without);
      boolean there = scene != null && !isBroken(scene) && isIn(scene, state);
      for (Stimulus stimulus : sequence) {
        if (scene != null && !(stimulus instanceof Stimulus.Start)) {
          scene = scene.after(stimulus);
          there |= scene != null && !isBroken(scene) && isIn(scene, state);
        }
      }
      if (there) {
        input.remove(field);
      }
    }
    return input.keySet();
  }

  /** For each of the states, the way with the fewest people that was found. */
  private Map<String, Node> ways(Set<String> states, List<Map<String, @Nullable Object>> starts) {
    Map<String, Node> ways = new LinkedHashMap<>();
    for (int people = 0; people <= MOST_ACTORS; people++) {
      for (boolean roles : people == 0 ? List.of(true) : List.of(false, true)) {
        if (ways.size() < states.size()) {
          level(states, starts, people, roles, ways);
        }
      }
      if (!guesses.asksWho() && people == 1) {
        break; // Nobody is told from anybody else.
      }
    }
    return ways;
  }

  private void level(
      Set<String> states,
      List<Map<String, @Nullable Object>> starts,
      int people,
      boolean roles,
      Map<String, Node> ways) {
    PriorityQueue<Node> open = new PriorityQueue<>(Comparator.comparingInt(Node::weight));
    Set<Key> known = new HashSet<>();
    Set<String> sought = new LinkedHashSet<>(states);
    sought.removeAll(ways.keySet());
    for (Map<String, @Nullable Object> input : starts) {
      Scene scene = Scene.start(chart, input);
      if (scene != null) {
        Stimulus given = input.isEmpty() ? null : new Stimulus.Start(input);
        Pending pending = NextScenes.performed(Pending.NOTHING, scene);
        reached(new Node(scene, pending, null, given, Set.of(), Set.of(), 0), known, open);
      }
    }
    int before = total;
    while (!open.isEmpty() && !sought.isEmpty()) {
      Ending.look();
      Node node = open.remove();
      for (String state : List.copyOf(sought)) {
        if (isIn(node.scene(), state)) {
          ways.put(state, node);
          sought.remove(state);
        }
      }
      if (node.scene().snapshot().done()) {
        continue;
      }
      if (total - before > MOST_STEPS || total > MOST_STEPS_IN_ALL) {
        gaveUp = true;
        return;
      }
      for (Stimulus stimulus : rehearsal.stimuli(node.scene(), node.pending())) {
        for (Node next : taken(node, stimulus, people, roles)) {
          reached(next, known, open);
        }
      }
    }
  }

  private void reached(Node node, Set<Key> known, PriorityQueue<Node> open) {
    NextScenes.Key scene = rehearsal.key(node.scene(), node.pending());
    if (!isBroken(node.scene()) && known.add(new Key(scene, node.people(), node.roles()))) {
      open.add(node);
    }
  }

  private boolean isBroken(Scene scene) {
    return scene.steps().stream()
        .flatMap(step -> step.violations().stream())
        .anyMatch(violation -> fatal.contains(violation.invariant()));
  }

  private static boolean isIn(Scene scene, String state) {
    for (Step step : scene.steps()) {
      if (step.after().configuration().states().contains(state)
          || step.microsteps().stream().anyMatch(m -> m.entered().contains(state))) {
        return true;
      }
    }
    return false;
  }

  /** What the stimulus leads to, for each of those who may give it. */
  private List<Node> taken(Node from, Stimulus stimulus, int people, boolean roles) {
    List<Node> all = new ArrayList<>();
    if (!(stimulus instanceof Stimulus.Send send) || !environment.rule(send.event()).isOpen()) {
      add(all, from, stimulus, from.people(), from.roles());
      return all;
    }
    EventRule rule = environment.rule(send.event());
    if (!rule.isForCallers()) {
      Set<String> more = new TreeSet<>(from.roles());
      rule.roles().forEach(one -> more.add(one.getFirst()));
      add(all, from, stimulus, from.people(), more);
      return all;
    }
    for (Actor actor : senders(send, from, rule)) {
      Set<String> now = new TreeSet<>(from.people());
      now.add(actor.name());
      Set<String> held = new TreeSet<>(from.roles());
      held.addAll(actor.roles());
      if (actor.kind() == Actor.Kind.AGENT) {
        held.add("agent");
      }
      if (now.size() <= people && (roles || held.isEmpty())) {
        add(all, from, new Stimulus.Send(send.event(), send.data(), actor), now, held);
      }
    }
    return all;
  }

  private void add(
      List<Node> all, Node from, Stimulus stimulus, Set<String> people, Set<String> roles) {
    total++;
    Scene scene = from.scene().after(stimulus);
    if (scene != null) {
      Pending pending = NextScenes.after(from.pending(), stimulus, scene);
      all.add(new Node(scene, pending, from, stimulus, people, roles, from.length() + 1));
    }
  }

  /** Who may send it: those who have sent something, one more, and whom a condition asks for. */
  private Set<Actor> senders(Stimulus.Send send, Node from, EventRule rule) {
    Actor asked = send.actor();
    Set<String> names = new LinkedHashSet<>(from.people());
    NAMES.stream().filter(n -> !from.people().contains(n)).findFirst().ifPresent(names::add);
    if (asked != null && guesses.asksWho()) {
      names.add(asked.name());
    }
    Set<Actor> all = new LinkedHashSet<>();
    for (String name : names) {
      Actor plain = new Actor(Actor.Kind.USER, name, List.of());
      if (rule.permits(new Environment.Sender.Caller(plain))) {
        all.add(plain);
      }
      if (asked != null) {
        all.add(new Actor(asked.kind(), name, asked.roles()));
      }
      if (!guesses.asksWho()) {
        break;
      }
    }
    return all;
  }
}
