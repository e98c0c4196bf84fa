package dev.signalbox.cli;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.DefinitionException;
import dev.signalbox.definition.Json;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.runtime.MigrationReport;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
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
    description = {
      "Check a machine and publish it. The same machine again changes nothing.",
      "Where instances of other versions live, it tells whom a migration would strand."
    })
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
    MigrationReport report;
    try (Progress progress = Progress.show(!json)) {
      progress.at(0, 1, "checking " + machine.name());
      report = store.at(true, desk -> published(desk, machine));
    } catch (DefinitionException e) {
      throw new CommandFailure(String.valueOf(e.getMessage()));
    }
    tell(machine, report);
    return 0;
  }

  private static MigrationReport published(Desk desk, Machine machine) {
    desk.publish(machine);
    return desk.stranded(machine.name(), machine.version(), Map.of());
  }

  private void tell(Machine machine, MigrationReport report) {
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      Map<String, Object> line = new LinkedHashMap<>();
      line.put("machine", machine.name());
      line.put("version", (long) machine.version());
      line.putAll(StrandingTeller.fields(report));
      out.println(Json.text(line));
    } else {
      out.printf("published %s version %d%n", machine.name(), machine.version());
      StrandingTeller.print(report, out);
      if (!(report.isClean() && report.clean().isEmpty())) {
        out.printf(
            "Others live in their versions until signalbox migrate %s --to %d%n",
            machine.name(), machine.version());
      }
    }
    out.flush();
  }
}
