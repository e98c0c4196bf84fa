package dev.signalbox.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The simulation on every store, for as long as it is told: {@code -Dsimulation.faults=1000000},
 * {@code -Dsimulation.stores=memory,lone,sqlite,postgres}, {@code -Dsimulation.seed=1}, {@code
 * -Dsimulation.seconds=60} for an end before that. It tells what it did in {@code
 * target/simulation.txt}.
 */
class LongSimulationTest {
  private static final long EACH = Long.getLong("simulation.each", 1_500);

  private final Map<String, Long> methods = new TreeMap<>();
  private final Map<String, Long> stores = new TreeMap<>();
  private final Map<Fault, Long> faults = new EnumMap<>(Fault.class);

  @Test
  void whatever_fails_on_whatever_store_changes_nothing(@TempDir Path folder) throws Exception {
    List<String> kinds =
        List.of(System.getProperty("simulation.stores", "memory,lone,sqlite").split(","));
    long most = Long.getLong("simulation.faults", 3 * 400);
    long each = Math.min(EACH, Math.max(1, most / kinds.size()));
    long end = System.nanoTime() + Long.getLong("simulation.seconds", 86_400) * 1_000_000_000;
    long seed = Long.getLong("simulation.seed", 1);
    long done = 0;
    for (int turn = 0; done < most && System.nanoTime() < end; turn++, seed++) {
      Simulation.Plan memory =
          Simulation.Plan.of(
              turn / kinds.size() % 4 == 3 ? SimulationTest.DIGGING : SimulationTest.MACHINES,
              seed,
              each);
      String kind = kinds.get(turn % kinds.size());
      SimulationReport report =
          Simulation.run(
              switch (kind) {
                case "memory" -> memory;
                case "lone" -> memory.on(1, clock -> SimulatedStore.inMemory(clock, false));
                case "sqlite" -> memory.onFile(Files.createDirectories(folder.resolve("s" + seed)));
                default ->
                    memory.onDatabase(FlushingPostgres.shared().database("simulated_" + seed));
              });
      done += report.faultCount();
      count(report);
      assertThat(report.findings()).as("seed %d on %s", seed, kind).isEmpty();
    }
  }

  private void count(SimulationReport report) throws Exception {
    report.methods().forEach((method, failed) -> methods.merge(method, failed, Long::sum));
    report.faults().forEach((fault, count) -> faults.merge(fault, count, Long::sum));
    stores.merge(report.store(), report.faultCount(), Long::sum);
    stores.merge(report.store() + " reopened", report.faultsReopened(), Long::sum);
    Files.writeString(
        Path.of("target/simulation.txt"), "%s%n%s%n%s%n".formatted(stores, faults, methods));
  }
}
