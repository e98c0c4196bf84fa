package dev.signalbox.testkit;

import static dev.signalbox.testkit.LongWork.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.Query;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.runtime.Audit;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Timers of nodes on one real PostgreSQL whose own clocks are a minute apart. */
class SharedTimersTest {
  private static final Machine EGG =
      MachineReader.read(
          new Source(
              "egg.yaml",
              """
              machine: egg
              states:
                RAW: { after: { 2s: BOILED } }
                BOILED: { final: true }
              """));

  private static InstantSource off(Duration by) {
    InstantSource system = InstantSource.system();
    return () -> system.instant().plus(by);
  }

  @Test
  void timers_fire_on_time_and_once_whatever_the_nodes_clocks_say() throws Exception {
    String url = FlushingPostgres.shared().database("shared_timers");
    try (Signalbox early = Signalbox.open(url, Settings.DEFAULT, off(Duration.ofSeconds(-30)));
        Signalbox late = Signalbox.open(url, Settings.DEFAULT, off(Duration.ofSeconds(30)))) {
      early.publish(EGG);
      late.publish(EGG);
      for (int i = 0; i < 20; i++) {
        early.start("egg", Map.of());
        late.start("egg", Map.of());
      }
      Journal journal = early.journal();
      eventually(() ->
          journal.query(Query.ALL.ofMachine("egg").that(InstanceRow.Status.ENDED)).size() == 40);
      List<InstanceRow> rows = journal.query(Query.ALL.ofMachine("egg"));
      assertThat(rows).hasSize(40).allMatch(row -> row.sequence() == 2);
      for (InstanceRow row : rows) {
        long begun = early.at(row.id(), 1).since();
        assertThat(row.at() - begun).isBetween(2_000L, 12_000L);
        assertThat(Math.abs(row.at() - journal.now())).isLessThan(20_000);
      }
      assertThat(Audit.verify(journal, _ -> {}).findings()).isEmpty();
    }
  }
}
