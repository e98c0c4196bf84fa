package dev.signalbox.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.Query;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/** What one node of a real PostgreSQL publishes is what the other starts from then on. */
@SuppressWarnings("NullAway.Init")
class SharedMachinesTest {
  private Signalbox one;
  private Signalbox two;

  @BeforeEach
  void two_nodes_are_up(TestInfo test) throws Exception {
    String name = "machines_" + Integer.toHexString(test.getDisplayName().hashCode());
    String url = FlushingPostgres.shared().database(name);
    one = Signalbox.open(url, Settings.DEFAULT, InstantSource.system());
    two = Signalbox.open(url, Settings.DEFAULT, InstantSource.system());
  }

  @AfterEach
  void both_close() {
    one.close();
    two.close();
  }

  private static Machine lamp(int version) {
    return MachineReader.read(
        new Source(
            "lamp.yaml",
            """
            machine: lamp
            version: %d
            states:
              DARK: { waits: for someone, on: { light: LIT } }
              LIT: { final: true }
            """
                .formatted(version)));
  }

  @Test
  void a_start_without_a_version_is_of_the_newest_one_of_any_node() {
    for (int version = 1; version <= 5; version++) {
      (version % 2 == 0 ? one : two).publish(lamp(version));
      for (Signalbox node : List.of(one, two)) {
        assertThat(node.start("lamp", Map.of()).version()).isEqualTo(version);
        assertThat(node.start("lamp@1", Map.of()).version()).isEqualTo(1);
      }
    }
  }

  @Test
  void a_version_below_the_newest_that_comes_late_changes_nothing() {
    one.publish(lamp(7));
    assertThat(two.start("lamp", Map.of()).version()).isEqualTo(7);
    one.publish(lamp(3));
    assertThat(two.start("lamp", Map.of()).version()).isEqualTo(7);
    assertThat(two.start("lamp@3", Map.of()).version()).isEqualTo(3);
  }

  @Test
  void a_child_without_a_version_is_of_the_newest_one_of_any_node() throws Exception {
    two.publish(lamp(1));
    two.publish(
        MachineReader.read(
            new Source(
                "house.yaml",
                """
                machine: house
                states:
                  EVENING:
                    waits: for the lamp
                    invoke: { machine: lamp, id: lamp }
                    on: { done.invoke.lamp: NIGHT }
                  NIGHT: { final: true }
                """)));
    assertThat(child(two.start("house", Map.of())).version()).isEqualTo(1);
    one.publish(lamp(2));
    assertThat(child(two.start("house", Map.of())).version()).isEqualTo(2);
  }

  private Instance child(Instance parent) throws InterruptedException {
    Query below = Query.ALL.below(parent.id());
    LongWork.eventually(() -> !two.instances(below).isEmpty());
    return two.instances(below).getFirst();
  }
}
