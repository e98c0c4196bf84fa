package dev.signalbox.testkit;

import dev.signalbox.definition.Json;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The simulation on every store, for as long as it is told by properties, each seed once:
 *
 * <ul>
 *   <li>{@code simulation.stores}: of {@code memory} (two nodes), {@code lone} (one), {@code
 *       sqlite} and {@code postgres}, in turns
 *   <li>{@code simulation.from}, {@code simulation.to}: the seeds, the last included
 *   <li>{@code simulation.each}: failures of a seed
 *   <li>{@code simulation.faults}, {@code simulation.seconds}: an end before the last seed
 *   <li>{@code simulation.record}: the file that keeps a line for each seed; what it has is not run
 *       again
 *   <li>{@code simulation.revision}: what is run, for the record
 * </ul>
 */
final class LongSimulation {
  private final List<String> stores =
      List.of(System.getProperty("simulation.stores", "memory,lone,sqlite").split(","));
  private final SimulationRecord record;
  private final String revision = System.getProperty("simulation.revision", "unknown");

  private final boolean brief;

  /**
   * @param brief whether one small seed is enough where the properties say nothing of an end
   */
  LongSimulation(Path file, boolean brief) throws IOException {
    this.record = new SimulationRecord(file);
    this.brief =
        brief
            && Stream.of("to", "faults", "seconds")
                .allMatch(end -> System.getProperty("simulation." + end) == null);
  }

  /** Runs what the properties say; each store's sum is a line. */
  public static void main(String[] arguments) throws Exception {
    Path file = Path.of(System.getProperty("simulation.record", "simulation.jsonl"));
    Path folder = Files.createTempDirectory("simulation");
    List<String> findings = new LongSimulation(file, false).run(folder);
    System.exit(findings.isEmpty() ? 0 : 1);
  }

  /**
   * Runs to the first finding, or to the end.
   *
   * @param folder for files
   */
  List<String> run(Path folder) throws IOException, SQLException {
    long from = Long.getLong("simulation.from", 1);
    long to = Long.getLong("simulation.to", brief ? from : Long.MAX_VALUE - 1);
    long most = Long.getLong("simulation.faults", Long.MAX_VALUE);
    long last = System.nanoTime() + Long.getLong("simulation.seconds", 86_400) * 1_000_000_000;
    List<String> findings = new ArrayList<>();
    long done = 0;
    boolean over = false;
    for (long seed = from; seed <= to && !over; seed++) {
      for (String store : stores) {
        over |= done >= most || System.nanoTime() >= last || !findings.isEmpty();
        if (!over && !record.has(store, seed)) {
          SimulationReport report = run(store, seed, folder);
          done += report.faultCount();
          report.findings().forEach(f -> findings.add("seed " + report.seed() + ": " + f));
        }
      }
    }
    stores.forEach(store -> System.out.println(Json.text(record.sum(store))));
    return findings;
  }

  private SimulationReport run(String store, long seed, Path folder)
      throws IOException, SQLException {
    long each = Long.getLong("simulation.each", brief ? 400 : 1_500);
    Simulation.Plan memory =
        Simulation.Plan.of(
            seed % 4 == 0 ? SimulationTest.DIGGING : SimulationTest.MACHINES, seed, each);
    long before = processor();
    SimulationReport report =
        Simulation.run(
            switch (store) {
              case "memory" -> memory;
              case "lone" -> memory.on(1, clock -> SimulatedStore.inMemory(clock, false));
              case "sqlite" -> memory.onFile(Files.createDirectories(folder.resolve("s" + seed)));
              case "postgres" ->
                  memory.onDatabase(FlushingPostgres.shared().database("simulated_" + seed));
              default ->
                  throw new IllegalArgumentException(
                      "Expected memory, lone, sqlite or postgres, but found '%s'."
                          .formatted(store));
            });
    record.add(store, report, revision, (processor() - before) / 1e9);
    return report;
  }

  private static long processor() {
    return ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class)
        .getProcessCpuTime();
  }
}
