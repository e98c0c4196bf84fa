package dev.signalbox.definition.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.play.Stimulus;
import org.junit.jupiter.api.Test;

/** Who comes into the states that invariants protect. */
class GatesTest {

  private static Gate gate(String yaml) {
    CheckReport report = Check.run(Checked.read(yaml), CheckOptions.DEFAULT.withGates());
    return report.gates().getFirst();
  }

  /** A deployment that two must approve, by whatever counts them. */
  private static String deploy(String field, String events, String approve, String count) {
    return """
    machine: deploy
    context:
      %s
    %s
    states:
      PLANNED:
        after: { 5m: ABORTED }
        on:
          approve: %s
          start: { to: RUNNING, when: %s >= 2 }
      RUNNING:
        after: { 30m: ABORTED }
        on: { succeeded: DONE, failed: ABORTED }
      DONE: { final: true }
      ABORTED: { final: true }
    invariants:
      - { name: two-people-agreed, always: %s >= 2, in: RUNNING }
    """
        .formatted(field, events, approve, count, count);
  }

  private static final String ADD = "{ assign: { approvals: ctx.approvals + 1 } }";
  private static final String ONCE_EACH =
      "{ when: '!(actor.name in ctx.by)', assign: { by: 'ctx.by + [actor.name]' } }";
  private static final String BY = "by: { type: list, items: string, default: [], own: true }";

  @Test
  void what_counts_events_is_opened_by_one_without_a_role_and_by_a_start_at_once() {
    Gate gate = gate(deploy("approvals: { type: int, default: 0 }", "", ADD, "ctx.approvals"));
    assertThat(gate.state()).isEqualTo("RUNNING");
    assertThat(gate.actors()).isEqualTo(1);
    assertThat(gate.roles()).isEmpty();
    assertThat(gate.shortenedBy()).containsExactly("approvals");
    assertThat(gate.events()).hasSize(2);
    assertThat(gate.events().getFirst()).isInstanceOf(Stimulus.Start.class);
  }

  @Test
  void a_field_of_its_own_shortens_nothing() {
    Gate gate =
        gate(deploy("approvals: { type: int, default: 0, own: true }", "", ADD, "ctx.approvals"));
    assertThat(gate.actors()).isEqualTo(1);
    assertThat(gate.shortenedBy()).isEmpty();
    assertThat(gate.events()).hasSize(3);
  }

  @Test
  void distinct_approvers_are_counted_and_their_role_is_named() {
    Gate gate =
        gate(deploy(BY, "events: { approve: { roles: [approver] } }", ONCE_EACH, "size(ctx.by)"));
    assertThat(gate.actors()).isEqualTo(2);
    assertThat(gate.roles()).containsExactly("approver");
    assertThat(gate.shortenedBy()).isEmpty();
  }

  @Test
  void distinct_approvers_need_no_role_where_none_is_asked_for() {
    Gate gate = gate(deploy(BY, "", ONCE_EACH, "size(ctx.by)"));
    assertThat(gate.actors()).isEqualTo(2);
    assertThat(gate.roles()).isEmpty();
  }

  @Test
  void two_fields_that_shorten_the_way_together_are_both_named() {
    Gate gate =
        gate(
            """
            machine: m
            context: { a: { type: int, default: 0 }, b: { type: int, default: 0 } }
            states:
              A:
                waits: x
                on:
                  one: { when: ctx.a < 2, assign: { a: ctx.a + 1 } }
                  two: { when: ctx.a == 2 && ctx.b < 2, assign: { b: ctx.b + 1 } }
                  go: { to: B, when: ctx.a >= 2 && ctx.b >= 2 }
              B: { final: true }
            invariants:
              - { name: both, always: ctx.a >= 2 && ctx.b >= 2, in: B }
            """);
    assertThat(gate.actors()).isEqualTo(1);
    assertThat(gate.shortenedBy()).containsExactly("a", "b");
  }

  @Test
  void a_timer_opens_a_gate_without_anybody() {
    Gate gate =
        gate(
            """
            machine: m
            states:
              A: { after: { 5m: B } }
              B: { final: true }
            invariants:
              - { name: a-first, before: { reaching: B, must_visit: A } }
            """);
    assertThat(gate.actors()).isZero();
    assertThat(gate.events()).hasSize(1);
  }

  @Test
  void it_says_when_no_way_was_found_within_the_bound() {
    Gate gate =
        gate(
            """
            machine: m
            context: { n: { type: int, default: 0, own: true } }
            states:
              A:
                waits: x
                on:
                  one: { assign: { n: ctx.n + 1 } }
                  go: { to: B, when: ctx.n >= 1000000 }
              B: { final: true }
            invariants:
              - { name: many, always: ctx.n >= 1000000, in: B }
            """);
    assertThat(gate.found()).isFalse();
    assertThat(gate.note()).contains("given up");
  }
}
