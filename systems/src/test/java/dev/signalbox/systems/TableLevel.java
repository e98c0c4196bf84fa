package dev.signalbox.systems;

import dev.signalbox.kernel.machine.Guard;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.Transition;
import dev.signalbox.kernel.machine.Trigger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A part of a machine seen from the height of a table: the states that the table names, and the
 * transitions between them. A substate counts as the named state it is in, a transition of a state
 * above as one of each named state below it, and what happens inside a named state is not seen; a
 * transition that leads from a named state to itself is.
 */
final class TableLevel {
  private final Set<String> named;
  private final Map<String, String> counted = new HashMap<>();
  private final Set<Row> rows = new LinkedHashSet<>();

  private TableLevel(Set<String> named) {
    this.named = named;
  }

  /** The machine at the height of its own top-level states. */
  static Set<Row> rows(Machine machine) {
    return rows(machine.root(), topLevel(machine));
  }

  /** What is below the given state, at the height of the named states. */
  static Set<Row> rows(State part, Set<String> named) {
    TableLevel level = new TableLevel(named);
    level.count(part, null);
    Transition initial = part.initial();
    String first = initial == null ? part.children().getFirst().id() : initial.targets().getFirst();
    level.rows.add(new Row("(start)", "", level.counted.getOrDefault(first, first)));
    level.collect(part);
    return level.rows;
  }

  static Set<String> topLevel(Machine machine) {
    Set<String> states = new LinkedHashSet<>();
    machine.root().children().forEach(s -> states.add(s.id()));
    return states;
  }

  private void count(State state, @Nullable String above) {
    String as = named.contains(state.id()) ? state.id() : above;
    if (as != null) {
      counted.put(state.id(), as);
    }
    state.children().forEach(child -> count(child, as));
  }

  private void collect(State state) {
    for (Transition transition : state.transitions()) {
      for (String target : transition.targets()) {
        String to = counted.getOrDefault(target, target);
        for (String from : sources(state)) {
          boolean inside = from.equals(to) && !(state.id().equals(from) && target.equals(to));
          if (!inside) {
            triggers(transition).forEach(t -> rows.add(new Row(from, t, to).normal()));
          }
        }
      }
    }
    state.children().forEach(this::collect);
  }

  private List<String> sources(State state) {
    String as = counted.get(state.id());
    if (as != null) {
      return List.of(as);
    }
    List<String> below = new ArrayList<>();
    state.children().forEach(child -> below.addAll(sources(child)));
    return below.stream().distinct().toList();
  }

  private static List<String> triggers(Transition transition) {
    Guard guard = transition.guard();
    String name = guard == null || guard.name() == null ? "" : "[" + guard.name() + "]";
    return switch (transition.trigger()) {
      case Trigger.On on -> on.descriptors().stream().map(d -> d + name).toList();
      case Trigger.After after -> List.of(after.text() + name);
      case Trigger.Always always -> List.of(always.text() + name);
    };
  }
}
