package dev.signalbox.systems;

import static dev.signalbox.kernel.Rejection.Code.EXPRESSION_FAILED;
import static dev.signalbox.kernel.Rejection.Code.GUARD_REFUSED;
import static dev.signalbox.kernel.Rejection.Code.INSTANCE_FINAL;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ApprovalTest {

  private static Played waiting(Object... more) {
    List<Object> context =
        new ArrayList<>(List.of("digest", "d1", "requester", "ann", "subject", "r-1"));
    context.addAll(List.of(more));
    return Played.start("approval", context.toArray()).as("bob", "approver");
  }

  @Test
  void a_request_is_saved_by_the_step_that_asks() {
    assertThat(waiting().states()).containsExactly("AWAITING_HUMAN");
  }

  @Test
  void another_person_approves_the_exact_digest() {
    assertThat(waiting().send("approve", "digest", "d1").states()).containsExactly("APPROVED");
    assertThat(waiting().refuses("approve", "digest", "d2")).isEqualTo(GUARD_REFUSED);
  }

  @Test
  void nobody_approves_what_they_asked_for() {
    assertThat(waiting().as("ann", "approver").refuses("approve", "digest", "d1"))
        .isEqualTo(GUARD_REFUSED);
  }

  @Test
  void nobody_in_the_chain_of_who_asked_approves() {
    assertThat(
            waiting("barred", List.of("kim", "planner"))
                .as("kim", "approver")
                .refuses("approve", "digest", "d1"))
        .isEqualTo(GUARD_REFUSED);
  }

  @Test
  void whoever_may_not_approve_may_not_stop_it_either() {
    Played approval = waiting("barred", List.of("kim"), "roles", List.of("security"));
    for (String name : List.of("ann", "kim")) {
      approval.as(name, "approver", "security");
      assertThat(approval.refuses("reject", "reason", "no")).isEqualTo(GUARD_REFUSED);
      assertThat(approval.refuses("escalate", "reason", "no")).isEqualTo(GUARD_REFUSED);
    }
    approval.as("bob", "approver");
    assertThat(approval.refuses("reject", "reason", "no")).isEqualTo(GUARD_REFUSED);
    approval.as("bob", "approver", "security");
    assertThat(approval.send("reject", "reason", "no").states()).containsExactly("ABORTED");
  }

  @Test
  void who_has_said_yes_may_take_it_back_until_the_quorum_is_there() {
    Played approval = waiting("quorum", 2).send("approve", "digest", "d1");
    assertThat(approval.send("reject", "reason", "I was wrong").states())
        .containsExactly("ABORTED");
  }

  @Test
  void a_say_that_was_handed_on_is_gone() {
    Played approval = waiting().send("delegate", "to", "eve");
    assertThat(approval.refuses("approve", "digest", "d1")).isEqualTo(GUARD_REFUSED);
    assertThat(approval.refuses("delegate", "to", "joe")).isEqualTo(GUARD_REFUSED);

    approval.as("eve", "approver");
    assertThat(approval.refuses("delegate", "to", "ann")).isEqualTo(GUARD_REFUSED);
    assertThat(approval.refuses("delegate", "to", "bob")).isEqualTo(GUARD_REFUSED);
    assertThat(approval.send("approve", "digest", "d1").states()).containsExactly("APPROVED");
  }

  @Test
  void a_quorum_is_made_of_different_people() {
    Played approval = waiting("quorum", 2).send("approve", "digest", "d1");
    assertThat(approval.states()).containsExactly("AWAITING_HUMAN");
    assertThat(approval.refuses("approve", "digest", "d1")).isEqualTo(GUARD_REFUSED);

    approval.as("eve", "approver").send("approve", "digest", "d1");
    assertThat(approval.states()).containsExactly("APPROVED");
    assertThat(approval.value("approvers")).isEqualTo(List.of("bob", "eve"));
  }

  @Test
  void a_reassigned_request_is_answered_by_those_it_was_given_to() {
    Played approval = waiting().send("reassign", "to", List.of("eve"));

    assertThat(approval.refuses("approve", "digest", "d1")).isEqualTo(GUARD_REFUSED);
    approval.as("eve", "approver").send("approve", "digest", "d1");
    assertThat(approval.states()).containsExactly("APPROVED");
  }

  @Test
  void an_approval_is_used_once_and_for_what_was_approved() {
    Played approval = waiting().send("approve", "digest", "d1");
    approval.send("executed", "digest", "d1");
    assertThat(approval.states()).containsExactly("EXECUTED");
    assertThat(approval.refuses("executed", "digest", "d1")).isEqualTo(INSTANCE_FINAL);
  }

  @Test
  void other_arguments_abort_an_approval() {
    assertThat(waiting().send("approve", "digest", "d1").send("executed", "digest", "d2").states())
        .containsExactly("ABORTED");
  }

  @Test
  void an_approval_under_a_condition_is_used_when_it_is_met() {
    Played approval = waiting().send("approve", "digest", "d1", "condition", "after six");
    assertThat(approval.refuses("executed", "digest", "d1")).isEqualTo(GUARD_REFUSED);

    approval.send("executed", "digest", "d1", "conditions", List.of("after six"));
    assertThat(approval.states()).containsExactly("EXECUTED");
  }

  @Test
  void nobody_answering_for_a_day_is_a_rejection() {
    Played approval = waiting().pass("24h");

    assertThat(approval.states()).containsExactly("ABORTED");
    assertThat(approval.value("reason")).isEqualTo("expired");
    assertThat(approval.records()).contains("approval.rejected", "approval.aborted");
  }

  @Test
  void an_approval_lives_as_long_as_its_request_used_or_not() {
    Played approval =
        waiting("expires_in_ms", 3_600_000).pass("50m").send("approve", "digest", "d1");
    assertThat(approval.pass("9m").states()).containsExactly("APPROVED");

    assertThat(approval.pass("1m").states()).containsExactly("ABORTED");
  }

  @Test
  void escalated_and_orphaned_requests_are_called_off() {
    Played escalated = waiting().send("escalate", "reason", "too big");
    assertThat(escalated.states()).containsExactly("ABORTED");
    assertThat(escalated.value("outcome")).isEqualTo("escalated");
    assertThat(waiting().send("orphaned").states()).containsExactly("ABORTED");
    assertThat(waiting().send("approve", "digest", "d1").send("orphaned").states())
        .containsExactly("ABORTED");
  }

  @Test
  void a_request_without_a_digest_is_not_put_before_people() {
    assertThat(Played.start("approval", "requester", "ann").refuses("saved"))
        .isEqualTo(GUARD_REFUSED);
  }

  @Test
  void an_approval_that_names_no_digest_is_refused() {
    assertThat(waiting().refuses("approve")).isEqualTo(EXPRESSION_FAILED);
  }

  @Test
  void silence_is_reassigned_and_then_escalated() {
    Played approval =
        waiting(
            "reassign_after_ms",
            60_000,
            "reassign_to",
            List.of("eve"),
            "escalate_after_ms",
            120_000);
    assertThat(approval.pass("1m").refuses("approve", "digest", "d1")).isEqualTo(GUARD_REFUSED);
    assertThat(approval.value("assigned_to")).isEqualTo(List.of("eve"));

    assertThat(approval.pass("1m").states()).containsExactly("ABORTED");
    assertThat(approval.value("reason")).isEqualTo("escalated: nobody answered in time");
  }

  @Test
  void whoever_waits_is_told_what_became_of_it() {
    Played approval =
        waiting("tell", "r-1", "tell_events", Played.map("rejected", "denied"))
            .send("reject", "reason", "no");

    assertThat(approval.messages())
        .singleElement()
        .satisfies(m -> assertThat(m.event().name()).isEqualTo("denied"));
    assertThat(waiting("tell", "r-1").send("reject", "reason", "no").messages()).isEmpty();
  }

  @Test
  void reminders_are_counted_and_told() {
    Played approval = waiting().send("remind").send("remind");

    assertThat(approval.lastRecord("approval.reminder", "reminders")).isEqualTo(2L);
  }
}
