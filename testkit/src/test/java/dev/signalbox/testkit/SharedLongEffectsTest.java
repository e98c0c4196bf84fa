package dev.signalbox.testkit;

import static dev.signalbox.testkit.LongWork.eventually;
import static dev.signalbox.testkit.LongWork.only;
import static dev.signalbox.testkit.LongWork.refusals;
import static dev.signalbox.testkit.LongWork.start;
import static dev.signalbox.testkit.LongWork.states;
import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.EffectRow;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.runtime.Outcome;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import java.time.Clock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Effects that take longer than a lease, on two nodes of a real PostgreSQL. */
class SharedLongEffectsTest {
  private static FlushingPostgres server;

  @BeforeAll
  static void started() throws Exception {
    server = FlushingPostgres.shared();
  }

  private static Signalbox node(String url, Duration lease) {
    return Signalbox.open(url, LongWork.lease(lease), InstantSource.system());
  }

  @Test
  void another_node_does_not_get_what_is_renewed() throws Exception {
    LongWork work = new LongWork();
    LongWork others = new LongWork();
    Duration lease = Duration.ofMillis(1_500);
    String url = server.database("renewed");
    try (Signalbox one = node(url, lease);
        Signalbox two = node(url, lease)) {
      one.publish(LongWork.machine(false));
      one.handle("dig", work);
      String id = start(one, "dig");
      work.awaitBegun();
      two.handle("dig", others);
      EffectRow taken = only(one);
      Set<Long> dues = new HashSet<>();
      eventually(() -> {
        dues.add(only(one).due());
        return dues.size() > 5 && one.journal().now() > taken.due() + lease.toMillis();
      });
      assertThat(only(one).fence()).isEqualTo(taken.fence());
      work.go.countDown();
      eventually(() -> states(one, id).equals(List.of("DUG")));
      assertThat(others.begun).isEmpty();
      assertThat(refusals(one, id)).isEmpty();
    }
  }

  /** Asks for an effect that only one node can do. */
  private static final Machine BELL =
      MachineReader.read(
          new Source(
              "bell.yaml",
              """
              machine: bell
              states:
                SILENT:
                  entry: [ { perform: { effect: ring, idempotent: true } } ]
                  waits: for the ringer
                  on: { ring.succeeded: RUNG, ring.failed: RUNG }
                RUNG: { final: true }
              """));

  @Test
  void a_node_whose_clock_runs_ahead_takes_nothing_that_another_has() throws Exception {
    LongWork work = new LongWork();
    LongWork others = new LongWork();
    String url = server.database("ahead");
    Settings settings = LongWork.lease(Duration.ofMinutes(1));
    InstantSource ahead = Clock.offset(Clock.systemUTC(), Duration.ofDays(1));
    try (Signalbox one = Signalbox.open(url, settings, InstantSource.system());
        Signalbox two = Signalbox.open(url, settings, ahead)) {
      one.publish(LongWork.machine(false));
      one.publish(BELL);
      one.handle("dig", work);
      String id = start(one, "dig");
      work.awaitBegun();
      two.handle("dig", others);
      two.handle("ring", _ -> Outcome.succeeded());
      for (int i = 0; i < 3; i++) {
        String bell = one.start("bell", Map.of()).id();
        eventually(() -> states(one, bell).equals(List.of("RUNG")));
      }
      assertThat(others.begun).isEmpty();
      work.go.countDown();
      eventually(() -> states(one, id).equals(List.of("DUG")));
    }
  }

  @Test
  void a_handler_is_interrupted_when_another_node_leaves_the_state() throws Exception {
    LongWork work = new LongWork(true);
    String url = server.database("departed");
    try (Signalbox one = node(url, Duration.ofMinutes(1));
        Signalbox two = node(url, Duration.ofMinutes(1))) {
      one.publish(LongWork.machine(true));
      one.handle("dig", work);
      String id = start(one, "dig");
      work.awaitBegun();
      two.send(id, "halt");
      work.awaitStopped();
      eventually(() -> !refusals(one, id).isEmpty());
      assertThat(refusals(one, id)).singleElement().asString().contains("late-result");
      assertThat(states(one, id)).containsExactly("IDLE");
      assertThat(one.journal().effects(0, 10)).isEmpty();
    }
  }

  @Test
  void a_handler_whose_effect_another_node_took_is_interrupted() throws Exception {
    LongWork work = new LongWork(true);
    // This node believes in a clock that stands still, so it does not renew.
    ManualClock still = new ManualClock();
    Duration lease = Duration.ofMillis(200);
    try (Signalbox one = Signalbox.open(server.database("taken"), LongWork.lease(lease), still)) {
      one.publish(LongWork.machine(true));
      one.handle("dig", work);
      String id = start(one, "fill");
      work.awaitBegun();
      // Its claimer takes the effect again and again, and the handler goes on; until another does.
      eventually(() -> !one.journal().claim("other", List.of("dig"), 60_000, 1).isEmpty());
      still.advance(Duration.ofSeconds(1));
      work.awaitStopped();
      eventually(() -> !refusals(one, id).isEmpty());
      assertThat(refusals(one, id)).singleElement().asString().contains("late-result");
      assertThat(states(one, id)).containsExactly("FILLING");
    }
  }
}
