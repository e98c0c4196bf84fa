package dev.signalbox.systems;

import dev.signalbox.kernel.machine.Guard;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.Transition;
import dev.signalbox.kernel.machine.Trigger;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A machine seen from the height of its table: its top-level states and the transitions between
 * them. A substate counts as the state it is in, and what happens inside a state is not seen; a
 * transition from a top-level state to itself is.
 */
final class TableLevel {
  private final Map<String, String> top = new HashMap<>();
  private final Set<Row> rows = new LinkedHashSet<>();
  private final Machine machine;

  private TableLevel(Machine machine) {
    this.machine = machine;
  }

  static TableLevel of(Machine machine) {
    TableLevel level = new TableLevel(machine);
    for (State state : machine.root().children()) {
      level.name(state, state.id());
    }
    Transition initial = machine.root().initial();
    String first =
        initial == null ? machine.root().children().getFirst().id() : initial.targets().getFirst();
    level.rows.add(new Row("(start)", "", level.topOf(first)));
    level.collect(machine.root());
    return level;
  }

  Set<Row> rows() {
    return rows;
  }

  Set<String> states() {
    Set<String> states = new LinkedHashSet<>();
    machine.root().children().forEach(s -> states.add(s.id()));
    return states;
  }

  private void name(State state, String ancestor) {
    top.put(state.id(), ancestor);
    state.children().forEach(child -> name(child, ancestor));
  }

  private String topOf(String state) {
    return top.getOrDefault(state, state);
  }

  private void collect(State state) {
    for (Transition transition : state.transitions()) {
      for (String target : transition.targets()) {
        String from = topOf(state.id());
        String to = topOf(target);
        boolean inside = from.equals(to) && !(state.id().equals(from) && target.equals(to));
        if (!inside) {
          for (String trigger : triggers(transition)) {
            rows.add(new Row(from, trigger, to).normal());
          }
        }
      }
    }
    state.children().forEach(this::collect);
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
