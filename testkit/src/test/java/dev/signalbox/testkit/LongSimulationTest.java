package dev.signalbox.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The simulation on every store, for as long as it is told: see {@link LongSimulation}. */
class LongSimulationTest {
  @Test
  void whatever_fails_on_whatever_store_changes_nothing(@TempDir Path folder) throws Exception {
    String record = System.getProperty("simulation.record");
    Path file = record == null ? folder.resolve("record.jsonl") : Path.of(record);
    assertThat(new LongSimulation(file, true).run(folder)).isEmpty();
    assertThat(Files.readString(file)).isNotEmpty();
  }
}
