package dev.signalbox.cli;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.DefinitionException;
import dev.signalbox.definition.Json;
import dev.signalbox.kernel.machine.Machine;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code signalbox publish}: a machine into the store, after checking it. */
@Command(
    name = "publish",
    mixinStandardHelpOptions = true,
    description = "Check a machine and publish it. The same machine again changes nothing.")
@SuppressWarnings("NullAway.Init")
final class PublishCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private StoreOptions store;

  @Parameters(paramLabel = "FILE", description = "YAML, SCXML, Mermaid, Markdown or DOT")
  private Path file;

  @Option(names = "--machine", paramLabel = "NAME", description = "The one, if several")
  private @Nullable String name;

  @Option(names = "--json", description = "One line of JSON")
  private boolean json;

  @Override
  public Integer call() {
    ProblemPrinter printer = new ProblemPrinter(spec.commandLine().getErr(), json);
    Definition definition = Definitions.single(file, name, printer);
    if (definition.hasErrors()) {
      throw new CommandFailure(
          "Expected a machine without errors in %s, but it has some.".formatted(file));
    }
    Machine machine = Objects.requireNonNull(definition.machine());
    try (Progress progress = Progress.show(!json)) {
      progress.at(0, 1, "checking " + machine.name());
      store.at(true, desk -> published(desk, machine));
    } catch (DefinitionException e) {
      throw new CommandFailure(String.valueOf(e.getMessage()));
    }
    spec.commandLine()
        .getOut()
        .println(
            json
                ? Json.text(Map.of("machine", machine.name(), "version", (long) machine.version()))
                : "published %s version %d".formatted(machine.name(), machine.version()));
    return 0;
  }

  private static boolean published(Desk desk, Machine machine) {
    desk.publish(machine);
    return true;
  }
}
