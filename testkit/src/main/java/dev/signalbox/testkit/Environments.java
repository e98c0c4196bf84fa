package dev.signalbox.testkit;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.PublishedMachine;
import dev.signalbox.kernel.Environment;
import dev.signalbox.runtime.Instance;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** What the outside may do to instances, by what a store has published. */
final class Environments {
  /** Those of one digest are the same, in whatever store. */
  private static final Map<String, Environment> KNOWN = new ConcurrentHashMap<>();

  private final Journal journal;

  Environments(Journal journal) {
    this.journal = journal;
  }

  Environment of(Instance instance) {
    for (PublishedMachine machine : journal.machines()) {
      if (machine.version() == instance.version() && machine.name().equals(instance.machine())) {
        return KNOWN.computeIfAbsent(machine.digest(), _ -> read(machine));
      }
    }
    throw new IllegalStateException("An instance has a machine that was published.");
  }

  private static Environment read(PublishedMachine machine) {
    return Environment.of(
        MachineReader.read(new Source(machine.name() + ".yaml", machine.definition())));
  }
}
