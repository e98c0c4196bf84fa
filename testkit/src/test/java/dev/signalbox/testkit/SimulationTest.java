package dev.signalbox.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.Turn;
import dev.signalbox.kernel.machine.Machine;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The runtime withstands every fault. */
class SimulationTest {
  static final List<Machine> MACHINES =
      MachineReader.readAll(
              new Source(
                  "order.yaml",
                  """
                  machine: order
                  context:
                    n: { type: int, default: 0, searchable: true }
                    paid: { type: int, default: 0, own: true }
                    name: { type: string, default: "", personal: true }
                  events:
                    add: { data: { n: int } }
                    pay: { roles: [buyer] }
                  states:
                    CART:
                      after: { 1h: LEFT }
                      on:
                        add: { assign: { n: ctx.n + event.n, name: id }, when: event.n > 0 }
                        pay:
                          to: PAYING
                          when: ctx.n > 0
                          do: [ { perform: { effect: charge, idempotent: false, with: { n: ctx.n } } } ]
                    PAYING:
                      after: { 10m: REVIEW }
                      on:
                        charge.succeeded: { to: PACKING, assign: { paid: ctx.paid + 1 } }
                        charge.failed: CART
                        charge.unknown: REVIEW
                    REVIEW:
                      waits: for a person
                      on: { add: CART, pay: CHECKING }
                    CHECKING:
                      entry: [ { perform: { effect: check, idempotent: true } } ]
                      on:
                        check.succeeded: PACKING
                        check.failed: CART
                        check.unknown: REVIEW
                    PACKING:
                      waits: for the parcel
                      invoke: { machine: parcel, id: parcel }
                      on:
                        done.invoke.parcel: SENT
                        add: { do: [ { send: { event: hurry, to: { child: parcel } } } ] }
                        error.communication: { }
                    SENT: { final: true }
                    LEFT: { final: true }
                  invariants:
                    - { name: paid-once, always: ctx.paid <= 1 }
                  ---
                  machine: parcel
                  states:
                    OPEN:
                      entry: [ { perform: { effect: print, idempotent: true } } ]
                      after: { 30m: CLOSED }
                      on:
                        print.succeeded: LABELLED
                        print.failed: { do: [ { perform: { effect: print, idempotent: true } } ] }
                        hurry: { do: [ { send: { event: again, after: 5m } } ] }
                        again: { }
                    LABELLED:
                      after: { 20m: CLOSED }
                      on: { hurry: CLOSED, again: CLOSED }
                    CLOSED: { final: true }
                  """),
              null)
          .stream()
          .map(Definition::machine)
          .map(Objects::requireNonNull)
          .toList();

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void thousands_of_faults_change_nothing(long seed) {
    SimulationReport report = Simulation.run(Simulation.Plan.of(MACHINES, seed, 3_000));
    assertThat(report.findings()).isEmpty();
    assertThat(report.faults().keySet()).containsExactlyInAnyOrder(Fault.values());
    assertThat(report.effects()).isPositive();
    assertThat(report.timers()).isPositive();
    assertThat(report.messages()).isPositive();
  }

  @Test
  void every_method_of_the_store_fails_with_exceptions_and_with_errors() {
    Map<String, Set<Fault>> strikes = new TreeMap<>();
    Simulation.Plan shared = Simulation.Plan.of(MACHINES, 1, 12_000);
    Simulation.Plan lone =
        Simulation.Plan.of(MACHINES, 1, 6_000)
            .on(1, clock -> SimulatedStore.inMemory(clock, false));
    for (Simulation.Plan plan : List.of(shared, lone)) {
      SimulationReport report = Simulation.run(plan);
      assertThat(report.findings()).isEmpty();
      report
          .strikes()
          .forEach((method, kinds) ->
              strikes
                  .computeIfAbsent(method, _ -> EnumSet.noneOf(Fault.class))
                  .addAll(kinds.keySet()));
    }
    for (Class<?> part : List.of(Journal.class, Turn.class)) {
      for (Method method : part.getDeclaredMethods()) {
        assertThat(strikes.get(Mishaps.name(method)))
            .as(Mishaps.name(method))
            .isNotNull()
            .containsAnyOf(Fault.CALL_FAILS, Fault.ANSWER_LOST)
            .containsAnyOf(Fault.ERROR_BEFORE_CALL, Fault.ERROR_AFTER_CALL);
      }
    }
  }

  @Test
  void one_node_alone_withstands_them_too() {
    Simulation.Plan plan = new Simulation.Plan(MACHINES, 7, 1, 10, 3_000, UnaryOperator.identity());
    assertThat(Simulation.run(plan).findings()).isEmpty();
  }

  @Test
  void so_does_one_on_a_file(@TempDir Path folder) {
    Simulation.Plan plan = Simulation.Plan.of(MACHINES, 11, 400).onFile(folder);
    SimulationReport report = Simulation.run(plan);
    assertThat(report.findings()).isEmpty();
    assertThat(report.faultCount()).isGreaterThanOrEqualTo(400);
    assertThat(report.timers()).isPositive();
  }

  @Test
  void the_same_seed_is_the_same_simulation() {
    Simulation.Plan plan = Simulation.Plan.of(MACHINES, 5, 300);
    assertThat(Simulation.run(plan)).isEqualTo(Simulation.run(plan));
  }

  static final List<Machine> DIGGING =
      List.of(
          MachineReader.read(
              new Source(
                  "digging.yaml",
                  """
                  machine: digging
                  states:
                    IDLE: { waits: for somebody, on: { dig: DIGGING } }
                    DIGGING:
                      entry:
                        - { perform: { effect: dig, idempotent: false, during: DIGGING } }
                        - { perform: { effect: light, idempotent: true, during: DIGGING } }
                      after: { 5m: IDLE }
                      on:
                        dig.succeeded: DUG
                        dig.failed: IDLE
                        dig.unknown: IDLE
                        light.succeeded: { }
                        light.failed: { }
                        light.unknown: { }
                        halt: IDLE
                        dig: DIGGING
                    DUG: { final: true }
                  """)));

  @Test
  void effects_that_end_with_a_state_are_not_missed_and_not_wanted_any_more() {
    SimulationReport report = Simulation.run(Simulation.Plan.of(DIGGING, 1, 5_000));
    assertThat(report.findings()).isEmpty();
    assertThat(report.effects()).isPositive();
  }
}
