package dev.signalbox.testkit.falsify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.definition.check.Check;
import dev.signalbox.definition.check.CheckReport;
import dev.signalbox.kernel.machine.Machine;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/**
 * A verdict that is wrong is found, and one that is right is not. What is wrong here is what the
 * checker rightly says of another machine.
 */
class ComparisonTest {
  private static final String COUNTER =
      """
      machine: m
      context: { n: { type: int, default: 0, own: true } }
      states:
        A: { waits: for somebody, on: { add: { when: ctx.n < 2, assign: { n: ctx.n + 1 } } } }
      invariants: [ { name: i, always: ctx.n < 3 } ]
      """;

  private static final String GATE =
      """
      machine: m
      context: { n: { type: int, default: 0, own: true } }
      events: { cmd: { roles: [boss] } }
      states:
        A: { waits: for the boss, on: { cmd: { to: B, when: ctx.n < 5 } } }
        B: { final: true }
      invariants: [ { name: i, never: B } ]
      """;

  private static final String TIMER =
      """
      machine: m
      states:
        A: { after: { 5m: B } }
        B: { final: true }
      invariants: [ { name: i, leads_to: { from: A, to: B } } ]
      """;

  @Test
  void what_was_proved_and_a_run_breaks_is_found() {
    List<Finding> findings = compared(COUNTER, COUNTER.replace("ctx.n < 2", "ctx.n < 3"));
    assertThat(findings).extracting(Finding::claim).containsExactly(Finding.Claim.PROVED);
    assertThat(findings.getFirst().acts()).hasSize(4);
  }

  @Test
  void so_it_is_where_the_step_is_not_refused() {
    String wrong = COUNTER.replace("ctx.n < 2", "ctx.n < 3").replace("i,", "i, severity: warn,");
    assertThat(compared(COUNTER, wrong))
        .extracting(Finding::claim)
        .containsExactly(Finding.Claim.PROVED);
  }

  @Test
  void what_was_proved_and_no_run_breaks_is_not() {
    assertThat(compared(COUNTER, COUNTER)).isEmpty();
    assertThat(compared(TIMER, TIMER)).isEmpty();
  }

  @Test
  void a_response_that_was_proved_and_that_nothing_leads_to_is_found() {
    assertThat(compared(TIMER, TIMER.replace("after: { 5m: B }", "on: { go: B }")))
        .extracting(Finding::claim)
        .containsExactly(Finding.Claim.PROVED_BUT_STUCK);
  }

  @Test
  void a_response_that_was_proved_and_that_somebody_puts_off_for_ever_is_found() {
    assertThat(compared(TIMER, TIMER.replace("5m: B }", "5m: B }, on: { poke: A }")))
        .extracting(Finding::claim)
        .containsExactly(Finding.Claim.PROVED_BUT_ENDLESS);
    assertThat(compared(TIMER, TIMER.replace("5m: B }", "5m: B }, on: { poke: { } }"))).isEmpty();
  }

  @Test
  void what_was_refuted_and_no_run_shows_is_found() {
    assertThat(compared(GATE, GATE.replace("n < 5", "n > 5")))
        .extracting(Finding::claim)
        .containsExactly(Finding.Claim.REFUTED);
    assertThat(compared(GATE, GATE)).isEmpty();
  }

  @Test
  void a_refutation_may_need_that_others_refuse_late_what_they_were_told() {
    String late =
        """
        machine: m
        states:
          S0: { entry: [ { send: { event: hello, to: { instance: "'o-1'" } } } ], after: { 5m: S1 } }
          S1: { waits: for nothing, on: { error.communication: B } }
          B: { final: true }
        invariants: [ { name: i, never: B } ]
        """;
    assertThat(compared(late, late)).isEmpty();
    assertThat(compared(late, late.replace("error.communication: B", "error.x: B")))
        .extracting(Finding::claim)
        .containsExactly(Finding.Claim.REFUTED);
  }

  @Test
  void a_response_is_owed_for_ever_whatever_becomes_of_an_effect_that_nobody_hears() {
    String unheard =
        """
        machine: m
        states:
          S0: { entry: [ { perform: { effect: pay } } ], on: { poke: S1, pay.*: END } }
          S1: { }
          END: { final: true }
        invariants: [ { name: i, leads_to: { from: S0, to: END } } ]
        """;
    assertThat(compared(unheard, unheard)).isEmpty();
    assertThat(compared(unheard, unheard.replace("S1: { }", "S1: { on: { pay.*: END } }")))
        .extracting(Finding::claim)
        .containsExactly(Finding.Claim.REFUTED);
  }

  @Test
  void a_response_that_is_said_to_be_out_of_reach_and_is_not_is_found() {
    String lost =
        """
        machine: m
        states:
          S0: { waits: for somebody, on: { go: S1 } }
          S1: { after: { 5m: S0 }, on: { probe: S1 } }
          END: { final: true }
        invariants: [ { name: i, leads_to: { from: S1, to: END } } ]
        """;
    assertThat(compared(lost, lost)).isEmpty();
    assertThat(compared(lost, lost.replace("probe: S1", "probe: END")))
        .extracting(Finding::claim)
        .containsExactly(Finding.Claim.REFUTED);
  }

  @Test
  void a_machine_that_seems_fine_and_does_not_start_is_found() {
    assertThat(compared(COUNTER, COUNTER.replace("always: ctx.n < 3", "always: ctx.n > 3")))
        .extracting(Finding::claim)
        .contains(Finding.Claim.STARTS);
  }

  @Test
  void a_seed_is_always_the_same_machine() {
    for (Profile profile : Profile.values()) {
      assertThat(new MachineDice(profile, 7).thrown())
          .isEqualTo(new MachineDice(profile, 7).thrown());
    }
  }

  /** What is found when the checker says of one machine what is so of another. */
  private static List<Finding> compared(String said, String of) {
    CheckReport report = Check.run(read(said));
    Machine machine = Objects.requireNonNull(read(of).machine());
    return new Falsifier(new Falsifier.Tally()).compared(report, machine, of, 1, "");
  }

  private static Definition read(String text) {
    return MachineReader.readAll(new Source("m.yaml", text), null).getFirst();
  }
}
