package dev.signalbox.cli;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.MachineReader;
import dev.signalbox.kernel.machine.Machine;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The machines in the files that a command was given. */
final class Definitions {
  private Definitions() {}

  /**
   * The one machine of the file, or the one with the name.
   *
   * @throws CommandFailure when there is none, or several and no name, or it has errors
   */
  static Definition single(Path file, @Nullable String name, ProblemPrinter printer) {
    List<Definition> all = MachineReader.readAll(file);
    List<Definition> fitting = all.stream().filter(d -> name == null || isNamed(d, name)).toList();
    for (Definition definition : fitting) {
      printer.print(definition.source(), definition.problems());
    }
    List<String> names =
        all.stream().map(Definition::machine).filter(m -> m != null).map(Machine::name).toList();
    if (name != null && fitting.isEmpty() && !names.isEmpty()) {
      throw new CommandFailure(
          "Expected a machine '%s' in %s, but it has only: %s."
              .formatted(name, file, String.join(", ", names)));
    }
    if (fitting.size() != 1 && !names.isEmpty()) {
      throw new CommandFailure(
          "Expected one machine in %s, but it has %d: %s. Choose with --machine."
              .formatted(file, names.size(), String.join(", ", names)));
    }
    if (fitting.isEmpty() || fitting.getFirst().machine() == null) {
      throw new CommandFailure("Expected a machine in %s, but there is none.".formatted(file));
    }
    return fitting.getFirst();
  }

  private static boolean isNamed(Definition definition, String name) {
    Machine machine = definition.machine();
    return machine != null && machine.name().equals(name);
  }
}
