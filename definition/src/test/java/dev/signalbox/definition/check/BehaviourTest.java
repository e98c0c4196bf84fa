package dev.signalbox.definition.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Problem;
import dev.signalbox.definition.play.Stimulus;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What every machine must show in the exploration, declared or not. */
class BehaviourTest {

  @Test
  void a_configuration_where_nothing_can_happen_is_a_deadlock_with_its_sequence() {
    CheckReport report =
        Checked.all(
            """
            machine: m
            context: { n: { type: int, default: 0, own: true } }
            states:
              A: { after: { 1h: END }, on: { go: { to: B, assign: { n: 1 } } } }
              B: { always: { to: END, when: ctx.n == 0 } }
              END: { final: true }
            """);
    assertThat(report.problems())
        .filteredOn(Problem::isError)
        .extracting(Problem::code, Problem::message)
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple(
                "deadlock",
                "Expected the machine to go on from B, but nothing can happen there after: go."));
  }

  @Test
  void a_state_that_says_why_it_waits_is_no_deadlock() {
    assertThat(
            Checked.foundExploring(
                """
                machine: m
                context: { n: { type: int, default: 0, own: true } }
                states:
                  A: { after: { 1h: END }, on: { go: { to: B, assign: { n: 1 } } } }
                  B: { waits: a person repairs it, always: { to: END, when: ctx.n == 0 } }
                  END: { final: true }
                """))
        .doesNotContain("deadlock@5")
        .contains("~never-taken@5", "~no-way-out@5");
  }

  @Test
  void states_that_cannot_reach_the_end_are_named() {
    CheckReport report =
        Checked.all(
            """
            machine: m
            states:
              A: { after: { 1h: END }, on: { go: B } }
              B: { after: { 1h: C } }
              C: { after: { 1h: B } }
              END: { final: true }
            """);
    assertThat(report.problems())
        .extracting(Problem::code)
        .containsExactly("no-way-out", "no-way-out");
    assertThat(report.problems().getFirst().message())
        .isEqualTo("Expected a way from B to a final state, but there is none after: go.");
  }

  @Test
  void a_machine_without_final_states_may_go_on_for_ever() {
    assertThat(
            Checked.foundExploring(
                """
                machine: m
                states:
                  A: { after: { 1h: B } }
                  B: { after: { 1h: A } }
                """))
        .isEmpty();
  }

  @Test
  void a_state_that_conditions_keep_out_of_reach_is_never_reached() {
    assertThat(
            Checked.foundExploring(
                """
                machine: m
                context: { n: { type: int, default: 0, own: true } }
                states:
                  A:
                    after: { 1h: END }
                    on:
                      up: { when: ctx.n < 3, assign: { n: ctx.n + 1 } }
                      go: { to: B, when: ctx.n > 3 }
                  B: { after: { 1h: END } }
                  END: { final: true }
                """))
        .containsExactly("~never-taken@8", "~never-reached@9");
  }

  @Test
  void a_transition_that_inner_states_always_take_first_is_never_taken() {
    assertThat(
            Checked.foundExploring(
                """
                machine: m
                states:
                  A:
                    after: { 1h: END }
                    on: { go: END }
                    states:
                      X: { on: { go: Y } }
                      Y: { on: { go: X } }
                  END: { final: true }
                """))
        .containsExactly("~never-taken@5");
  }

  @Test
  void a_step_that_never_comes_to_rest_is_found_with_its_sequence() {
    CheckReport report =
        Checked.all(
            """
            machine: m
            context: { n: { type: int, default: 0, own: true } }
            states:
              A: { after: { 1h: END }, on: { go: { to: B, assign: { n: event.start } } } }
              B: { always: { to: C, when: ctx.n > 0 }, after: { 1h: END } }
              C: { always: [ { to: B, when: ctx.n > 5 }, { to: END } ] }
              END: { final: true }
            """);
    assertThat(report.problems())
        .filteredOn(Problem::isError)
        .singleElement()
        .satisfies(p -> {
          assertThat(p.code()).isEqualTo("endless-loop");
          assertThat(p.message()).endsWith("but one does not: go.");
        });
  }

  @Test
  void replies_of_effects_drive_the_machine() {
    assertThat(
            Checked.foundExploring(
                """
                machine: m
                states:
                  A: { after: { 1h: END }, on: { go: B } }
                  B:
                    entry: [ { perform: { effect: pay } } ]
                    on: { pay.succeeded: END, pay.failed: A, pay.unknown: ASK }
                  ASK: { waits: a person, on: { paid: END, not_paid: A } }
                  END: { final: true }
                """))
        .isEmpty();
  }

  @Test
  void a_reply_comes_only_after_the_effect() {
    CheckReport report =
        Checked.all(
            """
            machine: m
            states:
              A:
                after: { 1h: END }
                on: { go: B, pay.succeeded: END }
              B:
                entry: [ { perform: { effect: pay, idempotent: true } } ]
                on: { pay.succeeded: END, pay.failed: C, pay.unknown: C }
              C: { after: { 1h: END } }
              END: { final: true }
            """);
    assertThat(report.problems()).extracting(Problem::code).containsExactly("never-taken");
  }

  @Test
  void children_end_or_cannot_be_reached() {
    assertThat(
            Checked.foundExploring(
                """
                machine: m
                states:
                  A:
                    invoke: { machine: other, id: helper }
                    on: { done.invoke.helper: END, error.communication: LOST }
                  LOST: { after: { 1m: END } }
                  END: { final: true }
                """))
        .isEmpty();
  }

  @Test
  void history_parallel_regions_and_internal_events_are_explored() {
    CheckReport report =
        Checked.all(
            """
            machine: m
            states:
              WORK:
                parallel: true
                on: { pause: PAUSED, stop: END }
                after: { 1d: END }
                states:
                  L:
                    states:
                      L1: { on: { next: { to: L2, do: [ { raise: moved } ] } } }
                      L2: { on: { next: L3 } }
                      L3: { final: true }
                      LH: { history: deep, default: L1 }
                  R:
                    states:
                      R1: { on: { moved: R2 } }
                      R2: { final: true }
              PAUSED: { after: { 1d: END }, on: { resume: LH } }
              END: { final: true }
            invariants:
              - { name: moved-together, apart: [L2, R1] }
            """);
    assertThat(report.problems()).extracting(Problem::code).containsExactly("refuted");
    assertThat(report.invariants().getFirst())
        .isInstanceOfSatisfying(
            Verdict.Refuted.class,
            r -> assertThat(Stimulus.text(r.sequence())).isEqualTo("next, pause, resume"));
  }

  @Test
  void a_loop_over_an_unknown_list_is_told_and_nothing_is_proved_from_it() {
    CheckReport report =
        Checked.all(
            """
            machine: m
            context: { n: { type: int, default: 0, own: true } }
            events: { go: { data: { items: { type: list, items: string } } } }
            states:
              A:
                after: { 1h: END }
                on:
                  go:
                    to: END
                    do:
                      - foreach: { in: event.items, item: x, do: [ { assign: { n: ctx.n + 1 } } ] }
              END: { final: true }
            invariants:
              - { name: few, always: ctx.n < 9 }
            """);
    assertThat(report.notes()).anyMatch(n -> n.contains("event.items"));
    assertThat(report.invariants().getFirst()).isInstanceOf(Verdict.Undecided.class);
  }

  @Test
  void a_loop_that_only_tells_others_hides_nothing() {
    String machine =
        """
        machine: m
        context: { n: { type: int, default: 0, own: true } }
        events: { go: { data: { names: { type: list, items: string } } } }
        states:
          A:
            after: { 1h: END }
            on:
              go:
                to: END
                assign: { n: ctx.n + 1 }
                do:
                  - foreach: { in: event.names, item: x, do: [ %s ] }
          END: { final: true }
        invariants:
          - { name: few, always: ctx.n < 9 }
        """;
    String telling = "send: { event: news, to: { instance: x } }";
    CheckReport tells = Checked.all(machine.formatted("{ " + telling + " }"));
    assertThat(tells.notes()).isEmpty();
    assertThat(tells.invariants().getFirst()).isInstanceOf(Verdict.Proved.class);
    for (String more :
        List.of(
            "{ " + telling.replace("} }", "}, after: 5s }") + " }",
            "{ send: { event: go, to: '#_internal' } }",
            "{ " + telling + " }, { emit: { record: told } }")) {
      assertThat(Checked.all(machine.formatted(more)).invariants().getFirst())
          .as(more)
          .isInstanceOf(Verdict.Undecided.class);
    }
  }

  @Test
  void in_scxml_mode_a_condition_that_is_never_true_is_a_warning() {
    assertThat(
            Checked.foundExploring(
                """
                machine: m
                mode: scxml
                states:
                  A: { transitions: [ { to: B, when: "false" }, { to: END } ] }
                  B: { on: { go: END } }
                  END: { final: true }
                """))
        .containsExactly("~guard-never-true@4", "~never-reached@5");
  }

  @Test
  void in_scxml_mode_a_value_that_fails_leads_on_with_error_execution() {
    assertThat(
            Checked.foundExploring(
                """
                machine: m
                mode: scxml
                context: { x: { type: any, default: 1, own: true } }
                states:
                  A:
                    entry: [ { assign: { x: "data.x + 'a'" } }, { raise: fine } ]
                    on: { error.execution: FAILED, fine: END }
                  FAILED: { final: true }
                  END: { final: true }
                """))
        .containsExactly("~never-taken@7", "~never-reached@9");
  }

  @Test
  void in_scxml_mode_a_value_that_may_fail_goes_both_ways() {
    assertThat(
            Checked.foundExploring(
                """
                machine: m
                mode: scxml
                context: { x: { type: any, default: 1, own: true } }
                states:
                  A: { on: { set: { to: B, assign: { x: _event.data.number } } } }
                  B: { on: { error.execution: FAILED, go: END } }
                  FAILED: { final: true }
                  END: { final: true }
                """))
        .noneMatch(p -> p.contains("never"));
  }

  @Test
  void in_scxml_mode_an_expression_that_cannot_be_read_fails_where_it_is_evaluated() {
    assertThat(
            Checked.foundExploring(
                """
                machine: m
                mode: scxml
                states:
                  A: { transitions: [ { to: END, when: 1 + }, { on: error.execution, to: FAILED } ] }
                  FAILED: { final: true }
                  END: { final: true }
                """))
        .containsExactly("~never-taken@4", "~expression@4", "~never-reached@6");
  }
}
