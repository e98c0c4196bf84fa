package dev.signalbox.cli;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.Json;
import dev.signalbox.definition.MachineReader;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.testkit.Fault;
import dev.signalbox.testkit.Simulation;
import dev.signalbox.testkit.SimulationReport;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code signalbox simulate}: a machine on a runtime where everything goes wrong. */
@Command(
    name = "simulate",
    mixinStandardHelpOptions = true,
    description = {
      "Run a machine on nodes that crash, a store whose every method fails and clocks that jump,"
          + " and compare what the journal says with what must have happened.",
      "The same seed is the same simulation. The first machine of the file is started; the "
          + "others may be invoked by it."
    })
@SuppressWarnings("NullAway.Init")
final class SimulateCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "FILE", description = "YAML, SCXML, Mermaid, Markdown or DOT")
  private Path file;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "The first seed (default ${DEFAULT-VALUE})")
  private long seed;

  @Option(
      names = "--seeds",
      paramLabel = "N",
      converter = Count.class,
      defaultValue = "10",
      description = "How many seeds, one after the other (default ${DEFAULT-VALUE})")
  private int seeds;

  @Option(
      names = "--instances",
      paramLabel = "N",
      converter = Count.class,
      defaultValue = "10",
      description = "Instances at a time (default ${DEFAULT-VALUE})")
  private int instances;

  @Option(
      names = "--nodes",
      paramLabel = "N",
      converter = Count.class,
      defaultValue = "2",
      description = "Nodes that share the store (default ${DEFAULT-VALUE})")
  private int nodes;

  @Option(
      names = "--faults",
      paramLabel = "N",
      converter = Count.class,
      defaultValue = "10000",
      description = "Faults in all (default ${DEFAULT-VALUE})")
  private int faults;

  @Option(
      names = "--stores",
      paramLabel = "STORE",
      split = ",",
      defaultValue = "memory",
      description = "memory, sqlite, postgres: each seed has one, in turns (default memory)")
  private List<String> stores;

  @Option(
      names = "--db",
      paramLabel = "URL",
      description = "A PostgreSQL server on which each seed gets a database of its own")
  private @Nullable String database;

  @Option(names = "--json", description = "One line of JSON")
  private boolean json;

  @Override
  public Integer call() {
    List<Machine> machines = machines();
    PrintWriter out = spec.commandLine().getOut();
    Map<Fault, Long> counted = new EnumMap<>(Fault.class);
    List<Map<String, Object>> findings = new ArrayList<>();
    long commands = 0;
    long entries = 0;
    Map<String, Long> methods = new TreeMap<>();
    Map<String, Long> onStores = new TreeMap<>();
    SimulatedStores simulated = new SimulatedStores(stores, database);
    try (Progress progress = Progress.show(!json)) {
      for (int i = 0; i < seeds && findings.isEmpty(); i++) {
        progress.at(i + 1, seeds, "seed " + (seed + i));
        SimulationReport report =
            Simulation.run(
                simulated.plan(
                    new Simulation.Plan(
                        machines,
                        seed + i,
                        nodes,
                        instances,
                        Math.max(1, faults / seeds),
                        UnaryOperator.identity()),
                    i));
        report.methods().forEach((method, count) -> methods.merge(method, count, Long::sum));
        onStores.merge(report.store(), report.faultCount(), Long::sum);
        if (report.reopened() > 0) {
          onStores.merge(report.store() + " reopened", report.faultsReopened(), Long::sum);
        }
        report.faults().forEach((fault, count) -> counted.merge(fault, count, Long::sum));
        commands += report.commands();
        entries += report.entries();
        for (String finding : report.findings()) {
          findings.add(Map.of("seed", report.seed(), "finding", finding));
        }
      }
    }
    if (json) {
      Map<String, Object> line = new LinkedHashMap<>();
      line.put("machine", machines.getFirst().name());
      Map<String, Long> words = new LinkedHashMap<>();
      counted.forEach((fault, count) -> words.put(fault.word(), count));
      line.put("faults", words);
      line.put("stores", onStores);
      line.put("methods", methods);
      line.put("commands", commands);
      line.put("entries", entries);
      line.put("findings", findings);
      out.println(Json.text(line));
    } else {
      methods.forEach((name, count) -> out.printf(Locale.ROOT, "%,12d %s%n", count, name));
      onStores.forEach((name, count) -> out.printf(Locale.ROOT, "%,12d on %s%n", count, name));
      print(out, counted, commands, entries, findings);
    }
    out.flush();
    return findings.isEmpty() ? 0 : 1;
  }

  private List<Machine> machines() {
    ProblemPrinter printer = new ProblemPrinter(spec.commandLine().getErr(), json);
    List<Machine> machines = new ArrayList<>();
    for (Definition definition : MachineReader.readAll(file)) {
      printer.print(definition.source(), definition.problems());
      Machine machine = definition.machine();
      if (machine == null || definition.hasErrors()) {
        throw new CommandFailure(
            "Expected machines without errors in %s, but there are some. Run signalbox check %s."
                .formatted(file, file));
      }
      machines.add(machine);
    }
    return machines;
  }

  private static void print(
      PrintWriter out,
      Map<Fault, Long> counted,
      long commands,
      long entries,
      List<Map<String, Object>> findings) {
    counted.forEach((fault, count) -> out.printf(Locale.ROOT, "%,12d %s%n", count, fault.word()));
    out.printf(
        Locale.ROOT,
        "%,d faults, %,d commands, %,d entries: %s%n",
        counted.entrySet().stream()
            .filter(one -> one.getKey().isFailure())
            .mapToLong(Map.Entry::getValue)
            .sum(),
        commands,
        entries,
        findings.isEmpty() ? "nothing lost, nothing twice" : "something is wrong");
    findings.forEach(
        finding -> out.printf("seed %s: %s%n", finding.get("seed"), finding.get("finding")));
  }
}
