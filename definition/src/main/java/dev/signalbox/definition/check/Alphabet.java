package dev.signalbox.definition.check;

import dev.signalbox.kernel.Configuration;
import dev.signalbox.kernel.Environment;
import dev.signalbox.kernel.EventRule;
import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.Fact;
import dev.signalbox.kernel.machine.Invariant;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.Transition;
import dev.signalbox.kernel.machine.Trigger;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The events that can be told apart by a machine: one for each descriptor it mentions, and one that
 * only {@code *} matches. An event outside of it does what one of these does.
 */
final class Alphabet {
  /** An event that no descriptor but {@code *} matches. */
  static final String ANY_OTHER = "any.other.event";

  /** What an event ends with that no descriptor names in full. */
  private static final String SUFFIX = "." + ANY_OTHER;

  /** What the sender of a message hears that reached nobody or was not permitted. */
  static final String BOUNCED = Environment.BOUNCE;

  /** The ways in which the handler of an effect can end it, whatever the machine says of it. */
  static final List<String> OUTCOMES = Environment.OUTCOMES;

  private final Outline outline;
  private final List<String> events;
  private final Environment environment;
  private final Map<Configuration, List<String>> awaited = new HashMap<>();
  private final Map<Configuration, List<String>> sent = new HashMap<>();
  private final Map<Configuration, List<String>> heard = new HashMap<>();
  private final boolean strict;

  Alphabet(Outline outline, Content content) {
    this.outline = outline;
    this.strict = outline.machine().mode() == Machine.Mode.STRICT;
    this.environment = Environment.of(outline.machine());
    Set<String> found = new LinkedHashSet<>();
    List<State> all = new ArrayList<>(List.of(outline.root()));
    all.addAll(outline.states());
    for (State state : all) {
      for (Transition transition : state.transitions()) {
        if (transition.trigger() instanceof Trigger.On on) {
          on.descriptors().forEach(d -> addWithSuffix(d, found));
        }
      }
    }
    for (Content.Act act : content.acts()) {
      switch (act.action()) {
        case Action.Raise raise when raise.event() instanceof Operand.Literal(String name) ->
            add(name, found);
        case Action.Send send when send.event() instanceof Operand.Literal(String name) ->
            add(name, found);
        default -> {}
      }
    }
    for (Invariant invariant : outline.machine().invariants()) {
      for (Fact fact : Relevance.facts(invariant)) {
        if (fact instanceof Fact.Receives(String descriptor)) {
          add(descriptor, found);
        }
      }
    }
    events = List.copyOf(found);
  }

  private static void add(String descriptor, Set<String> found) {
    String core = Descriptors.core(descriptor);
    found.add(core.isEmpty() ? ANY_OTHER : core);
  }

  /**
   * The event, and one that goes on behind it where the door admits such: what {@code .*} covers,
   * and in scxml mode whatever a descriptor is a prefix of.
   */
  private void addWithSuffix(String descriptor, Set<String> found) {
    add(descriptor, found);
    String core = Descriptors.core(descriptor);
    if (!core.isEmpty() && (!strict || !core.equals(descriptor))) {
      found.add(core + SUFFIX);
    }
  }

  /** Every event, whoever sends it. */
  List<String> events() {
    return events.isEmpty() ? List.of(ANY_OTHER) : events;
  }

  /** The events that somebody outside can send and that something waits for here. */
  List<String> sent(Configuration configuration) {
    return sent.computeIfAbsent(
        configuration, c -> awaited(c).stream().filter(e -> !isFromInside(e)).toList());
  }

  /** The events of these names that something waits for here; one of them may mean all. */
  List<String> awaited(Configuration configuration, Set<String> names) {
    return awaited(configuration).stream()
        .filter(e -> names.contains(ANY_OTHER) || names.contains(e))
        .toList();
  }

  /**
   * Whether the door lets events of the name in with whatever data, so that it makes no difference
   * who sends them.
   */
  boolean isAnyones(String event) {
    EventRule rule = environment.rule(event);
    return !event.equals(ANY_OTHER)
        && rule.isOpen()
        && rule.types().stream().allMatch(type -> type.data() == null);
  }

  /** The events that something waits for here, whoever sends them. */
  private List<String> awaited(Configuration configuration) {
    return awaited.computeIfAbsent(
        configuration,
        c -> {
          List<String> descriptors = new ArrayList<>();
          awaitedBy(outline.root(), descriptors);
          for (String id : c.states()) {
            State state = outline.find(id);
            if (state != null) {
              awaitedBy(state, descriptors);
            }
          }
          return events.stream().filter(e -> Descriptors.anyMatches(descriptors, e)).toList();
        });
  }

  private static void awaitedBy(State state, List<String> descriptors) {
    for (Transition transition : state.transitions()) {
      if (transition.trigger() instanceof Trigger.On on) {
        descriptors.addAll(on.descriptors());
      }
    }
  }

  /** Whether nobody outside may send this event. */
  boolean isFromInside(String event) {
    return environment.rule(event).standing() != EventRule.Standing.OPEN;
  }

  /** Whether something may wait for the event, now or in a state that may follow. */
  boolean isHeard(Configuration configuration, String event) {
    List<String> descriptors =
        heard.computeIfAbsent(
            configuration,
            c -> {
              List<String> all = new ArrayList<>();
              awaitedBy(outline.root(), all);
              reachable(c).forEach(state -> awaitedBy(state, all));
              return all;
            });
    return Descriptors.anyMatches(descriptors, event);
  }

  /** The states that may be active from here on, whatever the conditions say. */
  private Set<State> reachable(Configuration configuration) {
    Set<State> found = active(configuration);
    found.addAll(enterable(configuration));
    return found;
  }

  /** The states that are active, without the one around all. */
  Set<State> active(Configuration configuration) {
    Set<State> found = Collections.newSetFromMap(new IdentityHashMap<>());
    for (String id : configuration.states()) {
      State state = outline.find(id);
      if (state != null) {
        found.add(state);
      }
    }
    return found;
  }

  /** The states that may be entered from here on, whatever the conditions say. */
  Set<State> enterable(Configuration configuration) {
    Set<State> found = Collections.newSetFromMap(new IdentityHashMap<>());
    Deque<State> open = new ArrayDeque<>(active(configuration));
    open.add(outline.root());
    for (Invariant invariant : outline.machine().invariants()) {
      if (invariant instanceof Invariant.LeadsTo leadsTo && leadsTo.target() != null) {
        State late = outline.find(leadsTo.target());
        if (late != null) {
          enter(late, found, open);
        }
      }
    }
    while (!open.isEmpty()) {
      for (Transition transition : open.removeFirst().transitions()) {
        outline.targets(transition).forEach(target -> enter(target, found, open));
      }
    }
    return found;
  }

  /** Adds what entering the target may make active: around it, below it, and in other regions. */
  private void enter(State target, Set<State> found, Deque<State> open) {
    State parent = outline.parent(target);
    State whole = target.kind().isHistory() && parent != null ? parent : target;
    Set<State> entered = Collections.newSetFromMap(new IdentityHashMap<>());
    below(whole, entered);
    for (State around : outline.ancestors(whole)) {
      entered.add(around);
      if (around.kind() == State.Kind.PARALLEL) {
        below(around, entered);
      }
    }
    entered.stream().filter(found::add).forEach(open::add);
  }

  private void below(State state, Set<State> entered) {
    entered.add(state);
    entered.addAll(outline.descendants(state));
  }
}
