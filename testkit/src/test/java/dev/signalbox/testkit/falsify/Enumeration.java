package dev.signalbox.testkit.falsify;

import dev.signalbox.journal.EffectRow;
import dev.signalbox.kernel.machine.Invariant;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.runtime.Instance;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Every run of a machine up to a bound, breadth first, on the real runtime: at each place all that
 * the {@link Repertoire} knows is tried. A run is played again from its start for each way it goes
 * on, since nothing but the runtime itself could copy an instance.
 */
final class Enumeration {
  private static final List<Map<String, @Nullable Object>> NO_INPUTS = List.of();

  private final Machine machine;
  private final LiveMachine live;
  private final Repertoire repertoire;
  private final Map<String, @Nullable Condition> conditions;
  private final Bounds bounds;
  private final Map<String, Place> places = new LinkedHashMap<>();
  private final Map<String, Evidence> broken = new LinkedHashMap<>();
  private final Map<String, Evidence> unnoticed = new LinkedHashMap<>();
  private final Map<String, Evidence> stuck = new LinkedHashMap<>();
  private final Set<String> entered = new TreeSet<>();
  private final Map<String, State> states = new HashMap<>();
  private String sought = "";
  private boolean started;
  private boolean cut;
  private int runs;
  private int acts;

  /**
   * How far it goes.
   *
   * @param depth acts after the start at most
   * @param places different ones that are gone on from at most
   * @param acts on the runtime in all at most
   */
  record Bounds(int depth, int places, int acts) {
    static final Bounds USUAL = new Bounds(7, 120, 5_000);
  }

  /** A run and what it shows. */
  record Evidence(List<Act> acts, String why) {}

  /** Where a run can be, and how it got there first. */
  static final class Place {
    final List<Act> way;
    final Set<String> owed = new TreeSet<>();
    final List<Edge> edges = new ArrayList<>();

    Place(List<Act> way) {
      this.way = way;
    }
  }

  record Edge(Act act, String to) {}

  Enumeration(Machine machine, String text, Bounds bounds, Random random) {
    this.machine = machine;
    this.bounds = bounds;
    this.live = new LiveMachine(machine);
    this.repertoire = new Repertoire(machine, text, random);
    this.conditions = Judge.conditions(machine);
    remember(machine.root());
  }

  private void remember(State state) {
    states.put(state.id(), state);
    state.children().forEach(this::remember);
  }

  /** Whether any start was accepted. */
  boolean started() {
    return started;
  }

  /** Whether a bound was reached. */
  boolean cut() {
    return cut;
  }

  /** How much the runtime had to do. */
  int acts() {
    return acts;
  }

  /** For each invariant that a run broke, the first such run. */
  Map<String, Evidence> broken() {
    return broken;
  }

  /** For each invariant that a run broke while the runtime saw nothing, the first such run. */
  Map<String, Evidence> unnoticed() {
    return unnoticed;
  }

  /** For each response that is owed where nothing is under way any more, the first such run. */
  Map<String, Evidence> stuck() {
    return stuck;
  }

  Set<String> entered() {
    return entered;
  }

  Map<String, Place> places() {
    return places;
  }

  Repertoire repertoire() {
    return repertoire;
  }

  void explore() {
    boolean patient =
        machine.invariants().stream()
            .anyMatch(i -> i instanceof Invariant.LeadsTo leads && leads.within() == null);
    Deque<String> open = new ArrayDeque<>();
    repertoire.inputs().forEach(input -> start(input, open));
    for (Map<String, @Nullable Object> input : started ? NO_INPUTS : repertoire.moreInputs()) {
      start(input, open);
    }
    int expanded = 0;
    while (!open.isEmpty()) {
      Place place = places.get(open.poll());
      if (place == null) {
        continue;
      }
      if (place.way.size() > bounds.depth() || ++expanded > bounds.places() || isSpent()) {
        cut = true;
        continue;
      }
      expand(place, patient, open);
    }
  }

  private void start(Map<String, @Nullable Object> input, Deque<String> open) {
    Run run = play(List.of(new Act.Start(input)));
    if (run.startRefused() == null) {
      started = true;
      reached(run, open);
    }
    run.leave();
  }

  private boolean isSpent() {
    return acts > bounds.acts() || broken.containsKey(sought) || stuck.containsKey(sought);
  }

  /** Lets it end as soon as a run breaks the invariant. */
  Enumeration seeking(String invariant) {
    sought = invariant;
    return this;
  }

  private void expand(Place place, boolean patient, Deque<String> open) {
    Run run = play(place.way);
    Instance instance = run.instance();
    if (instance == null || !instance.status().equals("live")) {
      run.leave();
      return;
    }
    String at = run.place();
    List<Act> possible = repertoire.acts(instance, run.effects(), patient);
    Run fresh = run;
    for (Act act : possible) {
      if (isSpent()) {
        cut = true;
        break;
      }
      if (fresh == null) {
        fresh = play(place.way);
      }
      acts++;
      var _ = fresh.perform(act);
      String now = fresh.place();
      observe(fresh);
      if (now.equals(at)) {
        fresh.forgetLastAct();
      } else {
        place.edges.add(new Edge(act, now));
        reached(fresh, open);
        fresh.leave();
        fresh = null;
      }
    }
    if (fresh != null) {
      fresh.leave();
    }
  }

  private void reached(Run run, Deque<String> open) {
    observe(run);
    String key = run.place();
    if (places.containsKey(key)) {
      return;
    }
    Place place = new Place(run.acts());
    places.put(key, place);
    for (Invariant invariant : machine.invariants()) {
      if (invariant instanceof Invariant.LeadsTo leads && run.judge().owes(leads.name())) {
        place.owed.add(leads.name());
        if (leads.within() == null && isStuck(run)) {
          stuck.putIfAbsent(
              leads.name(),
              new Evidence(run.acts(), "nothing is under way, and the response is owed"));
        }
      }
    }
    open.add(key);
  }

  private boolean isStuck(Run run) {
    Instance instance = run.instance();
    if (instance == null || instance.status().equals("ended")) {
      return false;
    }
    boolean halted = instance.status().equals("halted");
    boolean waits =
        instance.states().stream()
            .map(states::get)
            .anyMatch(state -> state != null && state.waits() != null);
    return halted || (instance.deadlines().isEmpty() && run.effects().isEmpty() && !waits);
  }

  private void observe(Run run) {
    entered.addAll(run.judge().entered());
    run.broken()
        .forEach((name, why) -> broken.computeIfAbsent(name, _ -> new Evidence(run.acts(), why)));
    for (String name : run.unnoticed()) {
      String why = String.valueOf(run.broken().get(name));
      unnoticed.computeIfAbsent(name, _ -> new Evidence(run.acts(), why));
    }
  }

  /** Plays the acts from the start. */
  Run play(List<Act> way) {
    return play(way, live);
  }

  /**
   * Plays the acts from the start where others are there and stand still.
   *
   * @param held their ids
   */
  Run play(List<Act> way, Set<String> held) {
    if (held.isEmpty()) {
      return play(way);
    }
    LiveMachine apart = new LiveMachine(machine);
    held.forEach(apart::hold);
    return play(way, apart);
  }

  private Run play(List<Act> way, LiveMachine on) {
    Run run = new Run(on, "i-" + ++runs, machine, conditions);
    for (Act act : way) {
      acts++;
      var _ = run.perform(act);
    }
    return run;
  }

  /**
   * A run that goes round for ever while the response is owed, or null: it comes back to the same
   * place again and again, time passes, and no effect is kept waiting for an end.
   *
   * @param insideOnly whether nobody from outside may have a part in it
   */
  @Nullable Evidence cycle(String invariant, boolean insideOnly) {
    for (Map.Entry<String, Place> entry : places.entrySet()) {
      Place from = entry.getValue();
      if (!from.owed.contains(invariant)) {
        continue;
      }
      for (Edge edge : from.edges) {
        if (!edge.act().takesTime() || !isOwed(edge.to(), invariant)) {
          continue;
        }
        List<Act> back = way(edge.to(), entry.getKey(), invariant, insideOnly);
        if (back != null) {
          List<Act> round = new ArrayList<>(List.of(edge.act()));
          round.addAll(back);
          Evidence found = repeated(from.way, round, entry.getKey(), invariant);
          if (found != null) {
            return found;
          }
        }
      }
    }
    return null;
  }

  /** Whether a way leads from the place to one where the response is not owed any more. */
  boolean isSettledFrom(String place, String invariant) {
    Set<String> seen = new LinkedHashSet<>(List.of(place));
    Deque<String> open = new ArrayDeque<>(seen);
    while (!open.isEmpty()) {
      Place at = places.get(open.poll());
      if (at == null) {
        continue;
      }
      if (!at.owed.contains(invariant)) {
        return true;
      }
      at.edges.stream().map(Edge::to).filter(seen::add).forEach(open::add);
    }
    return false;
  }

  private boolean isOwed(String place, String invariant) {
    Place found = places.get(place);
    return found != null && found.owed.contains(invariant);
  }

  private @Nullable List<Act> way(String from, String to, String invariant, boolean insideOnly) {
    Map<String, List<Act>> ways = new HashMap<>();
    ways.put(from, List.of());
    Deque<String> open = new ArrayDeque<>(List.of(from));
    while (!open.isEmpty()) {
      String at = open.poll();
      List<Act> way = ways.getOrDefault(at, List.of());
      if (at.equals(to)) {
        return way;
      }
      Place place = places.get(at);
      for (Edge edge : place == null ? List.<Edge>of() : place.edges) {
        boolean fits = !insideOnly || edge.act().isInside();
        if (fits && isOwed(edge.to(), invariant) && !ways.containsKey(edge.to())) {
          List<Act> longer = new ArrayList<>(way);
          longer.add(edge.act());
          ways.put(edge.to(), longer);
          open.add(edge.to());
        }
      }
    }
    return null;
  }

  private @Nullable Evidence repeated(
      List<Act> way, List<Act> round, String place, String invariant) {
    Run run = play(way);
    Set<String> kept = keys(run.effects());
    boolean same = run.place().equals(place);
    for (int i = 0; i < 3 && same; i++) {
      for (Act act : round) {
        var _ = run.perform(act);
        same &= run.judge().owes(invariant);
      }
      same &= run.place().equals(place);
      kept.retainAll(keys(run.effects()));
    }
    Evidence found =
        same && kept.isEmpty()
            ? new Evidence(
                run.acts(),
                "the last %d acts can be repeated for ever without the response"
                    .formatted(round.size()))
            : null;
    run.leave();
    return found;
  }

  private static Set<String> keys(List<EffectRow> effects) {
    Set<String> keys = new LinkedHashSet<>();
    effects.forEach(effect -> keys.add(effect.key()));
    return keys;
  }
}
