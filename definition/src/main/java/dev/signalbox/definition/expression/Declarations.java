package dev.signalbox.definition.expression;

import dev.signalbox.kernel.machine.EventType;
import dev.signalbox.kernel.machine.Field;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.State;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a machine declares, as far as expressions care.
 *
 * @param strict whether names and types are checked before anything runs
 * @param fields of the context, those that SCXML declares inside states included
 * @param personal names of the fields whose values are never shown
 */
record Declarations(
    String machine,
    boolean strict,
    Map<String, Field> fields,
    Set<String> personal,
    List<EventType> events,
    Set<String> states) {

  static Declarations of(Machine machine) {
    Map<String, Field> fields = new LinkedHashMap<>();
    Set<String> personal = new LinkedHashSet<>();
    Set<String> states = new LinkedHashSet<>();
    add(machine.context(), fields, personal);
    Deque<State> rest = new ArrayDeque<>(List.of(machine.root()));
    while (!rest.isEmpty()) {
      State state = rest.pop();
      states.add(state.id());
      add(state.data(), fields, personal);
      state.children().forEach(rest::push);
    }
    return new Declarations(
        machine.name(),
        machine.mode() == Machine.Mode.STRICT,
        fields,
        personal,
        machine.events(),
        states);
  }

  private static void add(List<Field> declared, Map<String, Field> fields, Set<String> personal) {
    for (Field field : declared) {
      fields.putIfAbsent(field.name(), field);
      if (field.personal()) {
        personal.add(field.name());
      }
    }
  }
}
