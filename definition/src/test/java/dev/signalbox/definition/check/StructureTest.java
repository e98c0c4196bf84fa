package dev.signalbox.definition.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.Places;
import dev.signalbox.definition.Problem;
import dev.signalbox.definition.Source;
import dev.signalbox.kernel.machine.Limits;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.Transition;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Every check of states and the ways between them, on the smallest machine that fails it. */
class StructureTest {
  @Test
  void a_sound_machine_has_no_problems() {
    assertThat(
            Checked.found(
                """
                machine: m
                states:
                  A: { after: { 5m: C }, on: { go: B } }
                  B: { waits: for a person, on: { ok: C } }
                  C: { final: true }
                """))
        .isEmpty();
  }

  @Test
  void an_unknown_target_is_reported_with_the_name_that_was_meant() {
    CheckReport report =
        Checked.structure(
            """
            machine: m
            states:
              WAITING: { after: { 5m: DONE }, on: { go: DOEN } }
              DONE: { final: true }
            """);
    Problem problem = report.problems().getFirst();
    assertThat(problem.code()).isEqualTo("unknown-target");
    assertThat(problem.place().line()).isEqualTo(3);
    assertThat(problem.message()).contains("there is no state 'DOEN'");
    assertThat(problem.hint()).isEqualTo("Did you mean 'DONE'?");
    assertThat(report.ok()).isFalse();
  }

  @Test
  void a_machine_that_was_not_read_from_a_text_is_checked_too() {
    State root =
        State.named(Machine.ROOT)
            .child(State.named("A").transition(Transition.on("go", "B")).build())
            .child(State.named("A").transition(Transition.on("go", "A")).build())
            .build();
    Machine machine =
        new Machine(
            "m",
            1,
            Machine.Mode.STRICT,
            null,
            List.of(),
            List.of(),
            root,
            List.of(),
            Limits.DEFAULT);
    CheckReport report =
        Check.run(
            new Definition(new Source("builder", ""), machine, new Places(), List.of()),
            CheckOptions.STRUCTURE);
    assertThat(report.problems())
        .extracting(Problem::message)
        .contains(
            "Expected 'go' from 'A' to lead to a state, but there is no state 'B'.",
            "Expected every state to have an id of its own, but 'A' names another state at line"
                + " 1.");
  }

  @Test
  void an_id_used_twice_is_a_problem() {
    assertThat(
            Checked.found(
                """
                machine: m
                states:
                  A:
                    after: { 5m: C }
                    states:
                      X: { on: { go: C } }
                  B:
                    after: { 5m: C }
                    states:
                      X: { on: { go: B } }
                  C: { on: { go: B }, waits: yes it does }
                """))
        .contains("duplicate-state@10");
  }

  @Test
  void an_initial_state_must_lie_inside() {
    assertThat(
            Checked.found(
                """
                machine: m
                states:
                  A:
                    initial: C
                    after: { 5m: C }
                    states:
                      X: {}
                  C: { final: true }
                """))
        .contains("bad-initial@4");
  }

  @Test
  void a_state_that_nothing_leads_to_is_unreachable() {
    assertThat(
            Checked.found(
                """
                machine: m
                states:
                  A: { after: { 5m: C } }
                  LOST:
                    after: { 5m: C }
                    states:
                      INNER: { on: { go: C } }
                  C: { final: true }
                """))
        .containsExactly("~unreachable-state@4");
  }

  @Test
  void entering_a_state_by_default_or_as_a_region_makes_it_reachable() {
    assertThat(
            Checked.found(
                """
                machine: m
                states:
                  P:
                    parallel: true
                    after: { 5m: C }
                    states:
                      R1: { states: { A: { on: { go: B } }, B: {} } }
                      R2: { initial: Y, states: { X: {}, Y: { on: { go: X } } } }
                  C: { final: true }
                """))
        .isEmpty();
  }

  @Test
  void a_state_without_a_way_out_that_is_not_final_is_a_dead_end() {
    assertThat(
            Checked.found(
                """
                machine: m
                states:
                  A: { after: { 5m: B } }
                  B: {}
                """))
        .containsExactly("dead-end@4");
  }

  @Test
  void a_state_that_only_leads_to_itself_is_a_dead_end() {
    assertThat(
            Checked.found(
                """
                machine: m
                states:
                  A: { after: { 5m: B } }
                  B: { on: { again: B } }
                """))
        .containsExactly("dead-end@4");
  }

  @Test
  void a_nested_state_whose_ancestor_can_be_left_is_not_a_dead_end() {
    assertThat(
            Checked.found(
                """
                machine: m
                states:
                  A:
                    after: { 5m: C }
                    states:
                      X: { on: { go: Y } }
                      Y: {}
                  C: { final: true }
                """))
        .isEmpty();
  }

  @Test
  void a_final_state_of_a_compound_state_that_nothing_leaves_is_a_dead_end() {
    assertThat(
            Checked.found(
                """
                machine: m
                states:
                  A:
                    states:
                      X: { after: { 5m: Y } }
                      Y: { final: true }
                """))
        .containsExactly("dead-end@6");
  }

  @Test
  void a_transition_behind_an_unguarded_one_is_never_taken() {
    assertThat(
            Checked.found(
                """
                machine: m
                states:
                  A:
                    after: { 5m: C }
                    on:
                      go:
                        - to: B
                        - to: C
                  B: { after: { 5m: C } }
                  C: { final: true }
                """))
        .containsExactly("never-taken@8");
  }

  @Test
  void a_transition_behind_one_with_the_same_condition_is_never_taken() {
    assertThat(
            Checked.found(
                """
                machine: m
                context: { n: { type: int, default: 0 } }
                states:
                  A:
                    after: { 5m: C }
                    on:
                      go:
                        - { to: B, when: ctx.n > 1 }
                        - { to: C, when: ctx.n > 1 }
                        - { to: C, when: ctx.n > 2 }
                  B: { after: { 5m: C } }
                  C: { final: true }
                """))
        .containsExactly("never-taken@9", "never-taken@10");
  }

  @Test
  void a_transition_behind_a_wildcard_is_never_taken() {
    assertThat(
            Checked.found(
                """
                machine: m
                states:
                  A:
                    after: { 5m: C }
                    on:
                      "job.*": B
                      job.failed: C
                  B: { after: { 5m: C } }
                  C: { final: true }
                """))
        .containsExactly("never-taken@7");
  }

  @Test
  void regions_that_cannot_both_act_on_an_event_are_in_conflict() {
    assertThat(
            Checked.found(
                """
                machine: m
                states:
                  P:
                    parallel: true
                    after: { 5m: C }
                    states:
                      R1: { states: { A: { on: { stop: C } } } }
                      R2: { states: { X: { on: { stop: Y } }, Y: {} } }
                  C: { final: true }
                """))
        .containsExactly("~conflicting-regions@8");
  }

  @Test
  void a_state_that_can_wait_for_ever_needs_a_deadline_or_a_reason() {
    CheckReport report =
        Checked.structure(
            """
            machine: m
            states:
              A: { on: { go: C } }
              C: { final: true }
            """);
    assertThat(report.problems()).hasSize(1);
    assertThat(report.problems().getFirst().message())
        .isEqualTo("Expected a deadline for 'A', but it can wait for ever for 'go'.");
    assertThat(report.ok()).isTrue();
  }

  @Test
  void transitions_without_event_and_condition_that_go_round_are_an_endless_loop() {
    CheckReport report =
        Checked.structure(
            """
            machine: m
            states:
              A: { on: { go: B } , after: { 5m: D } }
              B: { always: C }
              C: { always: B }
              D: { final: true }
            """);
    assertThat(report.problems()).extracting(Problem::code).containsExactly("endless-loop");
    assertThat(report.problems().getFirst().message()).contains("B -> C -> B");
  }

  @Test
  void an_edge_that_an_invariant_forbids_is_reported_where_it_stands() {
    assertThat(
            Checked.found(
                """
                machine: m
                states:
                  A: { after: { 5m: C }, on: { go: B } }
                  B:
                    after: { 5m: C }
                    on: { skip: C }
                  C: { final: true }
                invariants:
                  - { name: no-skip, never: B -> C }
                """))
        .containsExactly("forbidden-edge@5", "forbidden-edge@6");
  }

  @Test
  void history_belongs_into_a_state_with_states() {
    assertThat(
            Checked.found(
                """
                machine: m
                states:
                  A: { after: { 5m: C }, on: { back: H } }
                  H: { history: shallow, default: A }
                  C: { final: true }
                """))
        .contains("bad-history@4");
  }

  @Test
  void a_parallel_state_has_two_regions_or_more() {
    assertThat(
            Checked.found(
                """
                machine: m
                states:
                  P:
                    parallel: true
                    after: { 5m: C }
                    states:
                      R: { states: { A: {} } }
                  C: { final: true }
                """))
        .containsExactly("~few-regions@3");
  }

  @Test
  void a_fork_leads_into_different_regions() {
    assertThat(
            Checked.found(
                """
                machine: m
                states:
                  A: { after: { 5m: F } }
                  F: { point: fork, always: [ { to: B }, { to: C } ] }
                  B: { after: { 5m: C } }
                  C: { final: true }
                """))
        .contains("bad-fork@4");
  }

  @Test
  void a_join_is_reached_from_different_regions() {
    assertThat(
            Checked.found(
                """
                machine: m
                states:
                  A: { after: { 5m: J }, on: { go: J } }
                  J: { point: join, always: C }
                  C: { final: true }
                """))
        .contains("bad-join@4");
  }

  @Test
  void several_targets_must_lie_in_different_regions() {
    assertThat(
            Checked.found(
                """
                machine: m
                states:
                  A: { after: { 5m: C }, on: { go: { to: [B, C] } } }
                  B: { after: { 5m: C } }
                  C: { final: true }
                """))
        .containsExactly("conflicting-targets@3");
  }

  @Test
  void a_choice_needs_a_last_way() {
    assertThat(
            Checked.found(
                """
                machine: m
                context: { n: { type: int, default: 0 } }
                states:
                  A: { after: { 5m: X } }
                  X: { point: choice, always: [ { to: C, when: ctx.n > 1 } ] }
                  C: { final: true }
                """))
        .containsExactly("~choice-without-else@5");
  }
}
