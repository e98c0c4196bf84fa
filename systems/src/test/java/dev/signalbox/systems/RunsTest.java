package dev.signalbox.systems;

import static dev.signalbox.kernel.Rejection.Code.GUARD_REFUSED;
import static dev.signalbox.kernel.Rejection.Code.INSTANCE_FINAL;
import static dev.signalbox.kernel.Rejection.Code.NO_TRANSITION;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RunsTest {

  private static Played executing(String... tools) {
    return Played.start("runs.run", "project_id", "DEMO")
        .send("plan")
        .ready("tools", List.of(tools));
  }

  /** A run that is at its third tool, with two that changed something behind it. */
  private static Played changed() {
    return Played.start("runs.run", "project_id", "DEMO")
        .send("plan")
        .ready(
            "tools",
            List.of("edit", "deploy", "tell"),
            "writing",
            List.of("edit", "deploy"),
            "checks",
            List.of("tests"))
        .send("tool_passed", "tool", "edit", "evidence", List.of("diff"))
        .send("tool_passed", "tool", "deploy", "evidence", List.of("log"));
  }

  private static Played verifying() {
    return changed().send("tool_passed", "tool", "tell", "evidence", List.of("log"));
  }

  private static Played auditing() {
    return executing("lint").send("tool_passed", "tool", "lint", "evidence", List.of("report"));
  }

  private static Played awaiting() {
    return executing("a")
        .send("high_risk_action", "reason", "it merges")
        .send("approval_requested", "approval_id", "p1");
  }

  /** What the effect of the current tool came to. */
  private static Played ended(Played run, String tool, String status) {
    return run.send(
        "tool.succeeded",
        "tool",
        tool,
        "status",
        status,
        "evidence",
        List.of("log"),
        "result",
        Map.of(),
        "reason",
        "because",
        "model_calls",
        0,
        "tokens",
        0,
        "files",
        0);
  }

  /** The run after all five have spoken, the last of them so. */
  private static Played audited(Played run, String last) {
    for (String auditor :
        List.of("hallucination", "amnesia", "drift", "privilege", "silent_failure")) {
      run.send(
          "verdict_given",
          "auditor",
          auditor,
          "verdict",
          auditor.equals("silent_failure") ? last : "CLEARED",
          "notes",
          List.of());
    }
    return run;
  }

  @Test
  void a_run_that_passes_everything_is_complete() {
    Played run = audited(auditing(), "CLEARED");

    assertThat(run.states()).containsExactly("COMPLETE");
    assertThat(run.value("final_status")).isEqualTo("ALL_CLEAR");
    assertThat(run.records()).containsExactly("run.tool_started", "run.finished");
    assertThat(run.refuses("plan")).isEqualTo(INSTANCE_FINAL);
  }

  @Test
  void a_contaminated_verdict_completes_with_a_warning_and_a_stop_does_not() {
    assertThat(audited(auditing(), "STOP").states()).containsExactly("ROLLED_BACK");
    assertThat(audited(auditing(), "CONTAMINATED").value("final_status"))
        .isEqualTo("OK_WITH_WARNINGS");
  }

  @Test
  void what_was_audited_is_what_the_run_heard_and_not_what_an_event_says() {
    Played run = auditing();
    assertThat(run.refuses("audit_passed")).isEqualTo(GUARD_REFUSED);
    for (String auditor : List.of("hallucination", "amnesia", "drift", "privilege")) {
      run.send("verdict_given", "auditor", auditor, "verdict", "CLEARED", "notes", List.of());
      assertThat(run.refuses("audit_passed")).as("after " + auditor).isEqualTo(GUARD_REFUSED);
    }
  }

  @Test
  void a_plan_stands_when_the_run_knows_who_approved_it_and_not_because_an_event_says_so() {
    Played planning = Played.start("runs.run").send("plan");
    assertThat(planning.refuses("plan_ready")).isEqualTo(GUARD_REFUSED);

    planning.planned("verdict", "ask", "approval_id", "p1");
    assertThat(planning.refuses("plan_ready")).isEqualTo(GUARD_REFUSED);
    assertThat(
            planning.refuses(
                "plan_approved",
                "approval_id",
                "p2",
                "digest",
                "d",
                "approver",
                "eve",
                "reason",
                ""))
        .as("an approval that the run did not ask for")
        .isEqualTo(GUARD_REFUSED);
    assertThat(
            planning.refuses(
                "plan_refused",
                "approval_id",
                "p2",
                "digest",
                "d",
                "approver",
                "eve",
                "reason",
                "mine"))
        .isEqualTo(GUARD_REFUSED);

    planning.send("adopted.succeeded", "approver", "kim");
    assertThat(planning.in("EXECUTING")).isTrue();
    assertThat(planning.value("plan_approved_by")).isEqualTo("kim");
  }

  @Test
  void an_answer_that_is_faster_than_the_receipt_counts_if_it_is_the_run_s_own() {
    Object[] mine = {"approval_id", "p1", "digest", "d", "approver", "kim", "reason", "no"};
    Object[] other = {"approval_id", "p2", "digest", "d", "approver", "eve", "reason", "no"};
    Played refused =
        Played.start("runs.run")
            .send("plan")
            .send("plan_refused", mine)
            .planned("verdict", "ask", "approval_id", "p1");
    assertThat(refused.states()).containsExactly("HALTED_UNSAFE");
    assertThat(refused.value("failure")).isEqualTo("the plan was refused by kim: no");

    Played still =
        Played.start("runs.run")
            .send("plan")
            .send("plan_refused", other)
            .send("plan_approved", other)
            .planned("verdict", "ask", "approval_id", "p1");
    assertThat(still.states()).containsExactly("PLANNING");
  }

  @Test
  void a_plan_needs_tools_and_each_of_them_once() {
    for (List<String> tools : List.of(List.<String>of(), List.of("a", "a"), List.of(""))) {
      Played planning = Played.start("runs.run").send("plan").ready("tools", tools);

      assertThat(planning.in("EXECUTING")).as(tools.toString()).isFalse();
    }
  }

  @Test
  void a_halt_goes_the_way_that_the_state_has_for_it() {
    assertThat(Played.start("runs.run").send("plan").send("halt", "reason", "r").states())
        .containsExactly("HALTED_UNSAFE");
    assertThat(executing("a").send("halt", "reason", "r").states())
        .containsExactly("HALTED_UNSAFE");
    assertThat(awaiting().send("halt", "reason", "r").states()).containsExactly("HALTED_UNSAFE");
    assertThat(verifying().send("halt", "reason", "r").states())
        .containsExactly("verifying_reverting");
    assertThat(auditing().send("halt", "reason", "r").states()).containsExactly("ROLLED_BACK");
    assertThat(auditing().send("halt", "reason", "r").value("failure")).isEqualTo("r");
  }

  @Test
  void executing_is_reached_only_by_planning() {
    assertThat(Played.start("runs.run").refuses("plan_ready")).isEqualTo(NO_TRANSITION);
  }

  @Test
  void one_tool_runs_at_a_time_and_a_pass_needs_evidence() {
    Played run = executing("a", "b");

    assertThat(run.value("current_tool")).isEqualTo("a");
    assertThat(run.refuses("tool_passed", "tool", "b", "evidence", List.of("log")))
        .isEqualTo(GUARD_REFUSED);
    assertThat(run.refuses("tool_passed", "tool", "a", "evidence", List.of()))
        .isEqualTo(GUARD_REFUSED);
    assertThat(run.value("tools_remaining")).isEqualTo(List.of("a", "b"));
    run.send("tool_passed", "tool", "a", "evidence", List.of("log"));
    assertThat(run.value("current_tool")).isEqualTo("b");
    assertThat(run.value("tools_remaining")).isEqualTo(List.of("b"));
  }

  @Test
  void a_tool_is_retried_three_times_and_no_more() {
    Played run = executing("a");
    for (int retry = 0; retry < 3; retry++) {
      assertThat(ended(run, "a", "retry").states()).containsExactly("executing_tools");
    }

    assertThat(ended(run, "a", "retry").states()).containsExactly("ROLLED_BACK");
  }

  @Test
  void a_tool_without_a_name_is_never_passed() {
    Played run = executing("a");

    assertThat(run.refuses("tool_passed", "tool", "", "evidence", List.of("log")))
        .isEqualTo(GUARD_REFUSED);
    assertThat(run.value("tools_completed")).isEqualTo(List.of());
  }

  @Test
  void a_risky_tool_waits_for_a_person_and_then_runs() {
    Played run =
        Played.start("runs.run")
            .send("plan")
            .ready("tools", List.of("merge"), "risky", List.of("merge"));
    assertThat(run.states()).containsExactly("awaiting_request");

    run.send("approval_requested", "approval_id", "p1").send("approved", "approval_id", "p1");
    assertThat(run.states()).containsExactly("executing_tools");
    assertThat(run.value("tool_approval")).isEqualTo("p1");
    assertThat(run.records()).containsExactly("run.tool_started");
  }

  @Test
  void a_person_who_is_faster_than_the_receipt_of_the_request_is_heard() {
    Played run =
        executing("a")
            .send("high_risk_action", "reason", "it merges")
            .send("approved", "approval_id", "p1");
    assertThat(run.states()).containsExactly("awaiting_request");

    assertThat(run.send("approval_requested", "approval_id", "p1").states())
        .containsExactly("executing_tools");
  }

  @Test
  void over_its_own_limit_of_minutes_it_halts_and_waiting_for_people_does_not_count() {
    Played run =
        Played.start(
                "runs.run",
                "limits",
                Played.map(
                    "model_calls", 100, "tokens", 50_000, "files", 20, "minutes", 2, "retries", 3))
            .send("plan")
            .ready("tools", List.of("a"))
            .pass("1m")
            .send("high_risk_action", "reason", "it merges")
            .send("approval_requested", "approval_id", "p1")
            .pass("3h")
            .send("approved", "approval_id", "p1")
            .pass("59s");
    assertThat(run.states()).containsExactly("executing_tools");

    assertThat(run.pass("1s").states()).containsExactly("HALTED_UNSAFE");
    assertThat(run.value("failure")).isEqualTo("over the limit of minutes");
  }

  @Test
  void who_answers_something_that_is_not_asked_any_more_changes_nothing() {
    for (String answer : List.of("approved", "rejected", "escalated")) {
      assertThat(awaiting().refuses(answer, "approval_id", "p0", "reason", "late"))
          .isEqualTo(GUARD_REFUSED);
    }
    assertThat(awaiting().send("rejected", "approval_id", "p1").states())
        .containsExactly("ROLLED_BACK");
    assertThat(awaiting().send("escalated", "approval_id", "p1").states())
        .containsExactly("HALTED_UNSAFE");
  }

  @Test
  void an_unknown_outcome_asks_where_the_plan_says_so_and_halts_otherwise() {
    Played asks =
        Played.start("runs.run")
            .send("plan")
            .ready("tools", List.of("pay"), "once", List.of("pay"), "asking", List.of("pay"));

    assertThat(asks.send("tool.unknown", "why", "cut off").in("AWAITING_APPROVAL")).isTrue();
    assertThat(executing("pay").send("tool.unknown", "why", "cut off").states())
        .containsExactly("HALTED_UNSAFE");
  }

  @Test
  void an_approval_that_accepts_a_tool_as_done_does_not_start_it_again() {
    Played run =
        Played.start("runs.run")
            .send("plan")
            .ready("tools", List.of("pay"), "asking", List.of("pay"))
            .send("tool.unknown", "why", "cut off")
            .send("approval_requested", "approval_id", "repeat", "accept_id", "accept")
            .send("approved", "approval_id", "accept");

    assertThat(run.value("accepting")).isEqualTo(true);
    assertThat(run.records()).containsExactly("run.tool_started");
    assertThat(ended(run, "pay", "pass").in("AUDITING")).isTrue();
  }

  @Test
  void tools_that_remain_stand_in_the_way_of_verifying() {
    assertThat(executing("a").refuses("all_tools_passed")).isEqualTo(GUARD_REFUSED);
  }

  @Test
  void thirty_minutes_of_executing_go_on_after_an_approval() {
    Played run =
        executing("a")
            .pass("20m")
            .send("high_risk_action", "reason", "it merges")
            .send("approval_requested", "approval_id", "p1");
    run.pass("23h").send("approved", "approval_id", "p1").pass("9m");
    assertThat(run.in("EXECUTING")).isTrue();

    assertThat(run.pass("1m").states()).containsExactly("HALTED_UNSAFE");
  }

  @Test
  void only_the_approval_that_was_asked_for_counts() {
    Played run = awaiting();

    assertThat(run.refuses("approved", "approval_id", "p2")).isEqualTo(GUARD_REFUSED);
    assertThat(run.send("approved", "approval_id", "p1").value("approvals_granted"))
        .isEqualTo(List.of("p1"));
  }

  @Test
  void no_decision_in_a_day_halts() {
    assertThat(awaiting().pass("24h").states()).containsExactly("HALTED_UNSAFE");
  }

  @Test
  void a_failed_tool_rolls_back_at_once_when_nothing_has_changed() {
    assertThat(executing("a").send("tool_failed").states()).containsExactly("ROLLED_BACK");
  }

  @Test
  void changes_are_undone_in_reverse_order_before_the_run_is_rolled_back() {
    Played run = changed().send("tool_failed");
    assertThat(run.states()).containsExactly("executing_reverting");
    assertThat(run.refuses("undone", "step", "edit")).isEqualTo(GUARD_REFUSED);

    run.send("undone", "step", "deploy").send("undone", "step", "edit");
    assertThat(run.states()).containsExactly("ROLLED_BACK");
    assertThat(run.value("final_status")).isEqualTo("FAILED");
  }

  @Test
  void an_undo_that_fails_halts() {
    assertThat(changed().send("tool_failed").send("rollback_failed").states())
        .containsExactly("HALTED_UNSAFE");
  }

  @Test
  void nothing_else_goes_on_while_a_run_is_reverted() {
    Played run = changed().send("tool_failed");

    assertThat(run.refuses("all_tools_passed")).isEqualTo(NO_TRANSITION);
    assertThat(run.refuses("high_risk_action", "reason", "r")).isEqualTo(NO_TRANSITION);
    assertThat(run.refuses("tool_failed")).isEqualTo(GUARD_REFUSED);
  }

  @Test
  void a_rejection_is_undone_inside_the_state_that_was_rejected() {
    Played run = changed().send("high_risk_action", "reason", "r").send("rejected");
    assertThat(run.in("AWAITING_APPROVAL")).isTrue();

    run.send("undone", "step", "deploy").send("undone", "step", "edit");
    assertThat(run.states()).containsExactly("ROLLED_BACK");
  }

  @Test
  void verification_that_takes_too_long_is_undone_too() {
    Played run = verifying().pass("10m");
    assertThat(run.states()).containsExactly("verifying_reverting");

    run.send("undone", "step", "deploy").send("undone", "step", "edit");
    assertThat(run.states()).containsExactly("ROLLED_BACK");
    assertThat(run.value("failure")).isEqualTo("not verified in time");
    assertThat(run.value("final_status")).isEqualTo("FAILED_VERIFY");
  }

  @Test
  void what_is_undone_already_when_the_time_is_over_still_says_why() {
    Played run = verifying().pass("9m").send("tests_failed", "reason", "red").pass("2m");
    assertThat(run.states()).containsExactly("verifying_reverting");
    run.send("undone", "step", "deploy").send("undone", "step", "edit");
    assertThat(run.states()).containsExactly("ROLLED_BACK");
    assertThat(run.value("failure")).isEqualTo("red");

    run =
        verifying()
            .send("check_passed", "check", "tests", "evidence", List.of("log"))
            .pass("14m")
            .send("audit_failed", "reason", "drift")
            .pass("2m");
    assertThat(run.states()).containsExactly("auditing_reverting");
    run.send("undone", "step", "deploy").send("undone", "step", "edit");
    assertThat(run.states()).containsExactly("ROLLED_BACK");
    assertThat(run.value("failure")).isEqualTo("drift");
  }

  @Test
  void a_rejection_that_is_not_undone_when_the_day_is_over_halts_and_says_so() {
    Played run =
        changed()
            .send("high_risk_action", "reason", "it merges")
            .send("approval_requested", "approval_id", "p1")
            .pass("23h")
            .send("rejected", "approval_id", "p1", "reason", "not today")
            .send("undone", "step", "deploy")
            .pass("1h");

    assertThat(run.states()).containsExactly("HALTED_UNSAFE");
    assertThat(run.value("failure")).isEqualTo("not undone in time: edit");
  }

  @Test
  void checks_pass_one_after_the_other_before_a_run_is_audited() {
    Played run = verifying();
    assertThat(run.refuses("tests_passed")).isEqualTo(GUARD_REFUSED);

    assertThat(run.send("check_passed", "check", "tests", "evidence", List.of("log")).states())
        .containsExactly("auditing_verdicts");
  }

  @Test
  void five_verdicts_in_their_order_end_an_audit() {
    Played run = auditing();
    assertThat(
            run.refuses(
                "verdict_given", "auditor", "drift", "verdict", "CLEARED", "notes", List.of()))
        .isEqualTo(GUARD_REFUSED);
    for (String auditor :
        List.of("hallucination", "amnesia", "drift", "privilege", "silent_failure")) {
      run.send("verdict_given", "auditor", auditor, "verdict", "CLEARED", "notes", List.of());
    }

    assertThat(run.states()).containsExactly("COMPLETE");
  }

  @Test
  void an_audit_that_takes_too_long_rolls_back() {
    assertThat(auditing().pass("15m").states()).containsExactly("ROLLED_BACK");
  }

  @Test
  void an_emergency_halt_rolls_nothing_back() {
    Played run = changed().send("critical_failure", "reason", "the same call five times");

    assertThat(run.states()).containsExactly("HALTED_UNSAFE");
    assertThat(run.value("undo_remaining")).isEqualTo(List.of("deploy", "edit"));
  }

  @Test
  void over_a_limit_the_run_halts() {
    Played run =
        executing("a").send("usage_recorded", "model_calls", 100, "tokens", 10, "files", 1);
    assertThat(run.in("EXECUTING")).isTrue();

    run.send("usage_recorded", "model_calls", 1, "tokens", 10, "files", 0);
    assertThat(run.states()).containsExactly("HALTED_UNSAFE");
  }
}
