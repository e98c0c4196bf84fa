package dev.signalbox.cli;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.Json;
import dev.signalbox.definition.check.CheckOptions;
import dev.signalbox.definition.check.Paths;
import dev.signalbox.definition.play.Stimulus;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code signalbox paths}: the shortest event sequences that take every transition. */
@Command(
    name = "paths",
    mixinStandardHelpOptions = true,
    description = {
      "Print the shortest event sequences that together take every transition, as test cases.",
      "Each was played by the kernel; signalbox play --events takes its events."
    })
@SuppressWarnings("NullAway.Init")
final class PathsCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "FILE", description = "YAML, SCXML, Mermaid, Markdown or DOT")
  private Path file;

  @Option(names = "--machine", paramLabel = "NAME", description = "The one, if several")
  private @Nullable String name;

  @Option(names = "--json", description = "One line of JSON for each case and each gap")
  private boolean json;

  @Option(
      names = "--bound",
      paramLabel = "N",
      converter = Count.class,
      defaultValue = "100000",
      description = "States to explore at most (default ${DEFAULT-VALUE})")
  private int bound;

  @Override
  public Integer call() {
    ProblemPrinter printer = new ProblemPrinter(spec.commandLine().getErr(), json);
    Definition definition = Definitions.single(file, name, printer);
    Paths paths = paths(definition);
    PrintWriter out = spec.commandLine().getOut();
    for (Paths.Case one : paths.cases()) {
      if (json) {
        out.println(Json.text(json(one)));
      } else {
        out.printf("%s%n", one.name());
        one.sequence().forEach(s -> out.printf("    %s%n", Json.text(s.line())));
        out.printf("    ends in %s%n", String.join(", ", one.endsIn()));
      }
    }
    for (Paths.Missed gap : paths.missed()) {
      if (json) {
        out.println(Json.text(Map.of("missed", gap.transition().text(), "why", gap.why())));
      } else {
        out.printf("not covered: %s: %s%n", gap.transition().text(), gap.why());
      }
    }
    out.flush();
    return paths.missed().isEmpty() ? 0 : 1;
  }

  private Paths paths(Definition definition) {
    try {
      return Paths.of(definition, CheckOptions.DEFAULT.withStates(bound))
          .orElseThrow(() ->
              new CommandFailure(
                  "Expected a machine without errors in %s, but it has some.".formatted(file)));
    } catch (IllegalArgumentException e) {
      throw new CommandFailure(e.getMessage() + " Run signalbox check " + file + ".");
    }
  }

  private static Map<String, Object> json(Paths.Case one) {
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("name", one.name());
    line.put("events", one.sequence().stream().map(Stimulus::line).toList());
    line.put("covers", one.covers().stream().map(Paths.Covered::text).toList());
    line.put("ends_in", one.endsIn());
    return line;
  }
}
