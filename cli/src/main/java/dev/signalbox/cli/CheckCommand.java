package dev.signalbox.cli;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.Graph;
import dev.signalbox.definition.Json;
import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Problem;
import dev.signalbox.definition.check.Check;
import dev.signalbox.definition.check.CheckOptions;
import dev.signalbox.definition.check.CheckReport;
import dev.signalbox.definition.check.Gate;
import dev.signalbox.definition.check.Verdict;
import dev.signalbox.definition.play.Stimulus;
import dev.signalbox.kernel.machine.Machine;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code signalbox check}: every problem with its place, and what was proved. */
@Command(
    name = "check",
    mixinStandardHelpOptions = true,
    description = "Find every problem of machines and prove or refute their invariants.")
@SuppressWarnings("NullAway.Init")
final class CheckCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(
      arity = "1..*",
      paramLabel = "FILE",
      description = "YAML, SCXML, Mermaid, Markdown, text or DOT")
  private List<Path> files;

  @Option(names = "--json", description = "One line of JSON for each machine")
  private boolean json;

  @Option(
      names = "--structure",
      description = "Only the structure: do not explore what the machine can do")
  private boolean structure;

  @Option(
      names = "--bound",
      paramLabel = "N",
      converter = Count.class,
      defaultValue = "100000",
      description = "States to explore at most (default ${DEFAULT-VALUE})")
  private int bound;

  @Option(
      names = "--steps",
      paramLabel = "N",
      converter = Count.class,
      defaultValue = "3000000",
      description = "Steps to try at most (default ${DEFAULT-VALUE})")
  private int steps;

  @Option(
      names = "--variants",
      paramLabel = "N",
      converter = Count.class,
      description =
          "Contexts to keep apart for the same states, once there are many"
              + " (default 64, and fewer where there is much)")
  private @Nullable Integer variants;

  @Override
  public Integer call() {
    CheckOptions bounds = CheckOptions.DEFAULT.withStates(bound).withSteps(steps).withGates();
    CheckOptions options =
        structure
            ? CheckOptions.STRUCTURE
            : variants == null ? bounds : bounds.withVariants(variants);
    boolean good = true;
    try (Progress progress = Progress.show(!json)) {
      for (int i = 0; i < files.size(); i++) {
        Path file = files.get(i);
        progress.at(i + 1, files.size(), file.toString());
        for (Definition definition : MachineReader.readAll(file)) {
          CheckReport report = Check.run(definition, options);
          progress.clear();
          good &= report.ok();
          print(file, definition, report);
        }
      }
    }
    return good ? 0 : 1;
  }

  private void print(Path file, Definition definition, CheckReport report) {
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(Json.text(json(file, definition, report)));
    } else {
      print(file, definition, report, out);
    }
    out.flush();
  }

  private static Map<String, @Nullable Object> json(
      Path file, Definition definition, CheckReport report) {
    Machine machine = definition.machine();
    Map<String, @Nullable Object> line = new LinkedHashMap<>();
    line.put("file", file.toString());
    line.put("machine", machine == null ? null : machine.name());
    line.put("ok", report.ok());
    Graph graph = Graph.of(definition);
    line.put("states", graph.states().size());
    line.put("transitions", graph.edges().size());
    line.put("problems", report.problems().stream().map(ProblemPrinter::json).toList());
    line.put("invariants", report.invariants().stream().map(CheckCommand::json).toList());
    line.put("gates", report.gates().stream().map(CheckCommand::json).toList());
    return line;
  }

  private static Map<String, @Nullable Object> json(Gate gate) {
    Map<String, @Nullable Object> value = new LinkedHashMap<>();
    value.put("state", gate.state());
    value.put("actors", gate.found() ? gate.actors() : null);
    value.put("roles", gate.roles());
    value.put("events", gate.events().stream().map(Stimulus::line).toList());
    value.put("shortened_by", gate.shortenedBy());
    if (!gate.note().isEmpty()) {
      value.put("note", gate.note());
    }
    return value;
  }

  private static Map<String, Object> json(Verdict verdict) {
    Map<String, Object> value = new LinkedHashMap<>();
    value.put("name", verdict.invariant().name());
    value.put("verdict", verdict.word());
    switch (verdict) {
      case Verdict.Proved proved -> {
        if (!proved.assumptions().isEmpty()) {
          value.put("assumptions", proved.assumptions());
        }
        if (proved.vacuous()) {
          value.put("vacuous", true);
        }
      }
      case Verdict.Refuted refuted -> {
        value.put("why", refuted.why());
        value.put("events", refuted.sequence().stream().map(Stimulus::line).toList());
      }
      case Verdict.Undecided undecided -> {
        value.put("why", undecided.why());
        value.put("remedy", undecided.remedy());
      }
    }
    return value;
  }

  private static void print(Path file, Definition definition, CheckReport report, PrintWriter out) {
    new ProblemPrinter(out, false).print(definition.source(), report.problems());
    for (Verdict verdict : report.invariants()) {
      switch (verdict) {
        case Verdict.Proved proved -> {
          String word = proved.vacuous() ? "vacuous" : "proved";
          String why = proved.vacuous() ? ": what it speaks about never happens" : "";
          out.printf("  %-10s %s%s%n", word, proved.invariant().name(), why);
          proved.assumptions().forEach(a -> out.println("             if " + a));
        }
        case Verdict.Refuted refuted -> {
          out.printf("  REFUTED    %s: %s%n", refuted.invariant().name(), refuted.why());
          out.println("             these events show it (signalbox play --events):");
          refuted.sequence().forEach(e -> out.println("               " + Json.text(e.line())));
        }
        case Verdict.Undecided undecided -> {
          out.printf("  undecided  %s: %s%n", undecided.invariant().name(), undecided.why());
          out.println("             " + undecided.remedy());
        }
      }
    }
    report.gates().forEach(gate -> print(gate, out));
    Machine machine = definition.machine();
    if (machine == null) {
      out.printf("%s: no machine%n", file);
      return;
    }
    Graph graph = Graph.of(definition);
    long errors = report.problems().stream().filter(Problem::isError).count();
    out.printf(
        "%s: %s: %d states, %d transitions, %s%n",
        file,
        machine.name(),
        graph.states().size(),
        graph.edges().size(),
        report.ok() ? "ok" : errors + (errors == 1 ? " error" : " errors"));
  }

  private static void print(Gate gate, PrintWriter out) {
    String who =
        !gate.found()
            ? "no way was found"
            : "%d %s, %s"
                .formatted(
                    gate.actors(),
                    gate.actors() == 1 ? "actor" : "actors",
                    gate.roles().isEmpty()
                        ? "no role"
                        : (gate.roles().size() == 1 ? "role " : "roles ")
                            + String.join(", ", gate.roles()));
    out.printf("  gate       %s: %s%n", gate.state(), who);
    if (!gate.shortenedBy().isEmpty()) {
      out.println("             shortened by a start: " + String.join(", ", gate.shortenedBy()));
    }
    gate.events().forEach(e -> out.println("               " + Json.text(e.line())));
    if (!gate.note().isEmpty()) {
      out.println("             " + gate.note());
    }
  }
}
