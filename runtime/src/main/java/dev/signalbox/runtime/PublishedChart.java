package dev.signalbox.runtime;

import dev.signalbox.journal.Journal;
import dev.signalbox.journal.PublishedMachine;
import dev.signalbox.kernel.Chart;
import dev.signalbox.kernel.Configuration;
import dev.signalbox.kernel.machine.Field;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.State;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A published machine, ready to run, with what admission and the journal want to know of it. */
final class PublishedChart {
  final PublishedMachine published;
  final Chart chart;
  private final Map<String, Field> searchable = new HashMap<>();
  private final Map<List<String>, Long> configurations = new ConcurrentHashMap<>();

  /**
   * Whether it came with the program that runs. Services act on whatever instance there is of their
   * machines, so machines of others do not invoke them.
   */
  volatile boolean shipped;

  /** Whether instances are sealed. */
  final boolean personal;

  /** Whether only the engine starts instances of it. */
  final boolean own;

  PublishedChart(PublishedMachine published, Chart chart) {
    this.published = published;
    this.chart = chart;
    Machine machine = chart.machine();
    machine.context().stream()
        .filter(Field::searchable)
        .forEach(field -> searchable.put(field.name(), field));
    this.personal = isPersonal(machine);
    this.own = OwnMachines.isOwn(machine.name());
  }

  /** Whether the machine declares a personal field. */
  static boolean isPersonal(Machine machine) {
    return machine.context().stream().anyMatch(Field::personal) || isPersonal(machine.root());
  }

  private static boolean isPersonal(State state) {
    return state.data().stream().anyMatch(Field::personal)
        || state.children().stream().anyMatch(PublishedChart::isPersonal);
  }

  long number() {
    return published.number();
  }

  /** The states with which effects end. */
  Set<String> during() {
    return chart.environment().during();
  }

  Set<String> searchable() {
    return searchable.keySet();
  }

  /** The journal's number of the configuration. */
  long configuration(Configuration configuration, Journal journal) {
    Long known = configurations.get(configuration.leaves());
    if (known == null) {
      known = journal.configuration(number(), configuration.leaves(), configuration.states());
      configurations.put(configuration.leaves(), known);
    }
    return known;
  }
}
