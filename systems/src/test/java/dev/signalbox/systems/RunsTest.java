package dev.signalbox.systems;

import static dev.signalbox.kernel.Rejection.Code.GUARD_REFUSED;
import static dev.signalbox.kernel.Rejection.Code.INSTANCE_FINAL;
import static dev.signalbox.kernel.Rejection.Code.NO_TRANSITION;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RunsTest {

  private static Played executing(String... tools) {
    return Played.start("runs.run", "project_id", "DEMO")
        .send("plan")
        .send("plan_ready", "tools", List.of(tools));
  }

  /** A run with two tools done, each with an undo. */
  private static Played changed() {
    return executing("edit", "deploy")
        .send("tool_started", "tool", "edit")
        .send("tool_passed", "tool", "edit", "evidence", List.of("diff"), "undo", "undo edit")
        .send("tool_started", "tool", "deploy")
        .send("tool_passed", "tool", "deploy", "evidence", List.of("log"), "undo", "undo deploy");
  }

  private static Played auditing() {
    return executing("lint")
        .send("tool_started", "tool", "lint")
        .send("tool_passed", "tool", "lint", "evidence", List.of("report"))
        .send("all_tools_passed")
        .send("tests_passed");
  }

  private static List<Object> verdicts(String last) {
    return Stream.of("hallucination", "amnesia", "drift", "privilege", "silent_failure")
        .map(auditor ->
            (Object)
                Map.of(
                    "auditor",
                    auditor,
                    "verdict",
                    auditor.equals("silent_failure") ? last : "CLEARED"))
        .toList();
  }

  @Test
  void a_run_that_passes_everything_is_complete() {
    Played run = auditing().send("audit_passed", "verdicts", verdicts("CLEARED"));

    assertThat(run.states()).containsExactly("COMPLETE");
    assertThat(run.value("final_status")).isEqualTo("ALL_CLEAR");
    assertThat(run.records()).containsExactly("run.finished");
    assertThat(run.refuses("plan")).isEqualTo(INSTANCE_FINAL);
  }

  @Test
  void a_contaminated_verdict_completes_with_a_warning_and_a_stop_does_not() {
    assertThat(auditing().refuses("audit_passed", "verdicts", verdicts("STOP")))
        .isEqualTo(GUARD_REFUSED);
    assertThat(
            auditing()
                .send("audit_passed", "verdicts", verdicts("CONTAMINATED"))
                .value("final_status"))
        .isEqualTo("OK_WITH_WARNINGS");
  }

  @Test
  void four_auditors_are_not_five() {
    assertThat(auditing().refuses("audit_passed", "verdicts", verdicts("CLEARED").subList(0, 4)))
        .isEqualTo(GUARD_REFUSED);
  }

  @Test
  void a_plan_needs_tools_and_each_of_them_once() {
    Played planning = Played.start("runs.run").send("plan");

    assertThat(planning.refuses("plan_ready", "tools", List.of())).isEqualTo(GUARD_REFUSED);
    assertThat(planning.refuses("plan_ready", "tools", List.of("a", "a"))).isEqualTo(GUARD_REFUSED);
  }

  @Test
  void executing_is_reached_only_by_planning() {
    assertThat(Played.start("runs.run").refuses("plan_ready", "tools", List.of("a")))
        .isEqualTo(NO_TRANSITION);
  }

  @Test
  void one_tool_runs_at_a_time_and_a_pass_needs_evidence() {
    Played run = executing("a", "b").send("tool_started", "tool", "a");

    assertThat(run.refuses("tool_started", "tool", "b")).isEqualTo(GUARD_REFUSED);
    assertThat(run.refuses("tool_passed", "tool", "a", "evidence", List.of()))
        .isEqualTo(GUARD_REFUSED);
    assertThat(run.value("tools_remaining")).isEqualTo(List.of("a", "b"));
  }

  @Test
  void a_tool_is_retried_three_times_and_no_more() {
    Played run = executing("a").send("tool_started", "tool", "a");
    for (int retry = 0; retry < 3; retry++) {
      run.send("tool_started", "tool", "a");
    }

    assertThat(run.refuses("tool_started", "tool", "a")).isEqualTo(GUARD_REFUSED);
  }

  @Test
  void a_tool_without_a_name_is_never_planned_started_or_passed() {
    Played run = executing("a");

    assertThat(Played.start("runs.run").send("plan").refuses("plan_ready", "tools", List.of("")))
        .isEqualTo(GUARD_REFUSED);
    assertThat(run.refuses("tool_started", "tool", "")).isEqualTo(GUARD_REFUSED);
    assertThat(run.refuses("tool_passed", "tool", "", "evidence", List.of("log")))
        .isEqualTo(GUARD_REFUSED);
    assertThat(run.value("tools_completed")).isEqualTo(List.of());
  }

  @Test
  void tools_that_remain_stand_in_the_way_of_verifying() {
    assertThat(executing("a").refuses("all_tools_passed")).isEqualTo(GUARD_REFUSED);
  }

  @Test
  void thirty_minutes_of_executing_go_on_after_an_approval() {
    Played run = executing("a").pass("20m").send("high_risk_action", "approval_id", "p1");
    run.pass("23h").send("approved", "approval_id", "p1").pass("9m");
    assertThat(run.in("EXECUTING")).isTrue();

    assertThat(run.pass("1m").states()).containsExactly("HALTED_UNSAFE");
  }

  @Test
  void only_the_approval_that_was_asked_for_counts() {
    Played run = executing("a").send("high_risk_action", "approval_id", "p1");

    assertThat(run.refuses("approved", "approval_id", "p2")).isEqualTo(GUARD_REFUSED);
    assertThat(run.send("approved", "approval_id", "p1").value("approvals_granted"))
        .isEqualTo(List.of("p1"));
  }

  @Test
  void no_decision_in_a_day_halts() {
    assertThat(executing("a").send("high_risk_action", "approval_id", "p").pass("24h").states())
        .containsExactly("HALTED_UNSAFE");
  }

  @Test
  void a_failed_tool_rolls_back_at_once_when_nothing_has_changed() {
    assertThat(executing("a").send("tool_failed").states()).containsExactly("ROLLED_BACK");
  }

  @Test
  void changes_are_undone_in_reverse_order_before_the_run_is_rolled_back() {
    Played run = changed().send("tool_failed");
    assertThat(run.states()).containsExactly("executing_reverting");
    assertThat(run.refuses("undone", "step", "undo edit")).isEqualTo(GUARD_REFUSED);

    run.send("undone", "step", "undo deploy").send("undone", "step", "undo edit");
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
    assertThat(run.refuses("high_risk_action", "approval_id", "p")).isEqualTo(NO_TRANSITION);
    assertThat(run.refuses("tool_failed")).isEqualTo(GUARD_REFUSED);
  }

  @Test
  void a_rejection_is_undone_inside_the_state_that_was_rejected() {
    Played run = changed().send("high_risk_action", "approval_id", "p").send("rejected");
    assertThat(run.in("AWAITING_APPROVAL")).isTrue();

    run.send("undone", "step", "undo deploy").send("undone", "step", "undo edit");
    assertThat(run.states()).containsExactly("ROLLED_BACK");
  }

  @Test
  void verification_that_takes_too_long_is_undone_too() {
    Played run = changed().send("all_tools_passed").pass("10m");
    assertThat(run.states()).containsExactly("verifying_reverting");

    run.send("undone", "step", "undo deploy").send("undone", "step", "undo edit");
    assertThat(run.states()).containsExactly("ROLLED_BACK");
    assertThat(run.value("failure")).isEqualTo("not verified in time");
    assertThat(run.value("final_status")).isEqualTo("FAILED_VERIFY");
  }

  @Test
  void an_audit_that_takes_too_long_rolls_back() {
    assertThat(auditing().pass("15m").states()).containsExactly("ROLLED_BACK");
  }

  @Test
  void an_emergency_halt_rolls_nothing_back() {
    Played run = changed().send("critical_failure", "reason", "the same call five times");

    assertThat(run.states()).containsExactly("HALTED_UNSAFE");
    assertThat(run.value("undo_remaining")).isEqualTo(List.of("undo deploy", "undo edit"));
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
