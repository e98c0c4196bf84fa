package dev.signalbox.systems;

import static dev.signalbox.kernel.Rejection.Code.GUARD_REFUSED;
import static dev.signalbox.kernel.Rejection.Code.NO_TRANSITION;
import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.kernel.ChildChange;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AgentsTest {

  private static Played tool(Object... more) {
    List<Object> context = new ArrayList<>(List.of("call_id", "c1", "digest", "d1"));
    context.addAll(List.of(more));
    return Played.start("agents.tool", context.toArray());
  }

  private static Played asked() {
    return tool().send("requires_approval", "policy_reason", "side effects", "approval_id", "p1");
  }

  private static Played runningTool() {
    return tool().send("auto_approved");
  }

  @Test
  void every_way_a_tool_call_ends_gives_exactly_one_result() {
    Map<String, Played> ends =
        Map.of(
            "denied", asked().send("denied", "approval_id", "p1", "reason", "no"),
            "timeout", asked().pass("24h"),
            "success", runningTool().send("success", "output", "42"),
            "unknown", runningTool().send("execution_error", "status", "unknown", "error", "died"),
            "error", runningTool().send("execution_error", "status", "error", "error", "exit 1"),
            "cancelled", tool().send("cancelled"));

    ends.forEach((status, call) -> {
      assertThat(call.isDone()).as(status).isTrue();
      assertThat(call.records()).as(status).containsOnlyOnce("tool.call", "tool.result");
      assertThat(call.lastRecord("tool.result", "status")).isEqualTo(status);
    });
  }

  @Test
  void an_approved_call_runs_with_the_arguments_that_were_seen() {
    Played call = asked();
    assertThat(call.refuses("approved", "approval_id", "p1", "approver", "bob", "digest", "d2"))
        .isEqualTo(GUARD_REFUSED);
    assertThat(call.refuses("approved", "approval_id", "p2", "approver", "bob", "digest", "d1"))
        .as("an approval that was not asked for")
        .isEqualTo(GUARD_REFUSED);
    assertThat(call.refuses("denied", "approval_id", "p2", "reason", "no"))
        .isEqualTo(GUARD_REFUSED);

    call.send("approved", "approval_id", "p1", "approver", "bob", "digest", "d1");
    assertThat(call.states()).containsExactly("executing");
    assertThat(call.records())
        .containsExactly("tool.call", "tool.approval_requested", "tool.approved");
  }

  @Test
  void a_tool_that_always_needs_approval_is_never_approved_by_itself() {
    assertThat(tool("approval", "always").refuses("auto_approved")).isEqualTo(GUARD_REFUSED);
    assertThat(tool("mode", "read_only").refuses("auto_approved")).isEqualTo(GUARD_REFUSED);
    assertThat(tool("mode", "read_only", "side_effects", false).send("auto_approved").states())
        .containsExactly("executing");
  }

  @Test
  void the_outcome_of_an_idempotent_tool_is_never_unknown() {
    Played call = tool("idempotent", true).send("auto_approved");

    assertThat(call.refuses("execution_error", "status", "unknown", "error", "died"))
        .isEqualTo(GUARD_REFUSED);
  }

  @Test
  void progress_does_not_buy_time() {
    Played call =
        runningTool().pass("100s").send("progress_update", "stream", "stdout", "chunk", "x");
    assertThat(call.pass("19s").states()).containsExactly("executing");

    assertThat(call.pass("1s").states()).containsExactly("timeout_result");
    assertThat(call.records()).contains("tool.progress");
  }

  @Test
  void a_turn_streams_calls_tools_and_completes() {
    Played turn =
        Played.start("agents.turn")
            .send("start_turn", "turn_id", "t1", "input", "hi")
            .send("delta", "content", "Hel")
            .send("delta", "content", "lo")
            .send("tool_calls_received", "call_ids", List.of("c1", "c2"));
    assertThat(turn.refuses("tools_finished", "summaries", List.of(), "more", true))
        .isEqualTo(GUARD_REFUSED);

    turn.send("tool_finished", "call_id", "c2")
        .send("tool_finished", "call_id", "c1")
        .send("tools_finished", "summaries", List.of(), "more", true)
        .send("response_done", "final_output", "Hello", "tokens", 12);
    assertThat(turn.states()).containsExactly("completed");
    assertThat(turn.records())
        .containsExactly(
            "turn.started",
            "turn.assistant_delta",
            "turn.assistant_delta",
            "turn.tool_calls_received",
            "turn.tools_finished",
            "turn.completed");
    assertThat(turn.send("turn_finalized").states()).containsExactly("idle");
  }

  @Test
  void an_interrupt_while_tools_run_ends_the_turn_with_its_rune() {
    Played turn =
        Played.start("agents.turn")
            .send("start_turn", "turn_id", "t1")
            .send("delta", "content", "so far")
            .send("tool_calls_received", "call_ids", List.of("c1"));
    assertThat(turn.refuses("steer", "input", "other way")).isEqualTo(NO_TRANSITION);

    turn.send("interrupt", "reason", "stop");
    assertThat(turn.states()).containsExactly("interrupted");
    assertThat(turn.lastRecord("turn.interrupted", "partial_output")).isEqualTo("so far");
  }

  @Test
  void a_steer_keeps_the_input_for_the_next_turn() {
    Played turn =
        Played.start("agents.turn")
            .send("start_turn", "turn_id", "t1")
            .send("steer", "input", "other way");

    assertThat(turn.states()).containsExactly("interrupted");
    assertThat(turn.value("next_input")).isEqualTo("other way");
  }

  private static Played ready() {
    return Played.start("agents.agent", "agent_id", "a1").send("init_complete");
  }

  @Test
  void an_agent_that_is_given_a_turn_starts_one_that_runs_and_reports_back() {
    Played agent = ready().send("turn_assigned", "turn_id", "t1", "input", "hi");
    ChildChange.Started started = (ChildChange.Started) agent.children().getFirst();
    assertThat(started.source()).isEqualTo("agents.turn");

    Played turn = Played.start(started);
    assertThat(turn.states()).containsExactly("streaming");

    turn.send("response_done", "final_output", "", "tokens", 7).send("turn_finalized");
    assertThat(turn.states()).containsExactly("idle");
    assertThat(turn.messages()).extracting(m -> m.event().name()).containsExactly("turn_completed");
    agent.deliver(turn.messages().getFirst());
    assertThat(agent.states()).containsExactly("idle");
    assertThat(agent.value("used")).isEqualTo(Map.of("tokens", 7L, "tool_calls", 0L));
  }

  @Test
  void an_agent_runs_one_turn_at_a_time_and_is_killed_in_it_only_by_force() {
    Played agent = ready().send("turn_assigned", "turn_id", "t1");

    assertThat(agent.refuses("turn_assigned", "turn_id", "t2")).isEqualTo(NO_TRANSITION);
    assertThat(agent.refuses("kill", "reason", "done with it")).isEqualTo(GUARD_REFUSED);
    agent.send("kill", "reason", "now", "force", true);
    assertThat(agent.states()).containsExactly("terminated");
    assertThat(agent.records())
        .containsExactly("agent.spawning", "agent.ready", "agent.terminated");
  }

  @Test
  void a_spent_budget_refuses_the_next_turn() {
    Played agent =
        ready()
            .send("turn_assigned", "turn_id", "t1")
            .send("turn_error", "turn_id", "t1", "tokens", 500_001, "tool_calls", 0);

    assertThat(agent.refuses("turn_assigned", "turn_id", "t2")).isEqualTo(GUARD_REFUSED);
    assertThat(agent.send("budget_exhausted").states()).containsExactly("terminated");
  }

  @Test
  void a_session_goes_from_created_to_archived_with_its_runes() {
    Played session =
        Played.start("agents.session", "conversation_id", "s1")
            .send("first_message", "root_agent_id", "a1")
            .send("new_turn")
            .send("pause_requested", "reason", "lunch")
            .send("resume_requested")
            .send("budget_exhausted", "reason", "tokens")
            .send("budget_replenished", "tokens", 1, "tool_calls", 0, "wall_ms", 0)
            .send("close_requested", "reason", "done")
            .send("cleanup_complete")
            .send("archive_requested");

    assertThat(session.records())
        .containsExactly(
            "session.created",
            "session.activated",
            "session.paused",
            "session.resumed",
            "session.suspended",
            "session.unsuspended",
            "session.closing",
            "session.closed");
    assertThat(session.isDone()).isTrue();
  }

  @Test
  void a_session_over_its_budget_takes_no_new_turn() {
    Played session =
        Played.start("agents.session")
            .send("agent_ready", "root_agent_id", "a1")
            .send("turn_completed", "tokens", 10, "tool_calls", 200, "wall_ms", 0);

    assertThat(session.refuses("new_turn")).isEqualTo(GUARD_REFUSED);
  }

  private static final List<Object> ERROR = List.of(Map.of("severity", "error", "text", "no"));

  private static Played planned() {
    return Played.start("agents.autonomy", "goal", "g")
        .send("decompose_goal")
        .send("plan_created", "plan_id", "p1", "tasks", List.of("t1", "t2"))
        .send("auto_start");
  }

  @Test
  void a_goal_is_met_by_tasks_and_a_critic() {
    Played goal = planned();
    assertThat(goal.refuses("all_tasks_terminal", "task_id", "t1", "evidence", List.of()))
        .isEqualTo(GUARD_REFUSED);
    goal.send("task_completed", "task_id", "t1", "evidence", List.of("e"))
        .send("all_tasks_terminal", "task_id", "t2", "evidence", List.of("e"));
    assertThat(goal.refuses("critique_passed", "findings", ERROR, "summary", "s"))
        .isEqualTo(GUARD_REFUSED);

    goal.send("critique_passed", "findings", List.of(), "summary", "all well");
    assertThat(goal.states()).containsExactly("goal_met");
    assertThat(goal.records())
        .containsExactly(
            "plan.goal_received",
            "plan.created",
            "plan.task_completed",
            "plan.task_completed",
            "plan.critique",
            "plan.goal_met");
  }

  @Test
  void there_is_no_start_without_a_plan() {
    assertThat(Played.start("agents.autonomy").send("decompose_goal").refuses("auto_start"))
        .isEqualTo(GUARD_REFUSED);
  }

  @Test
  void after_ten_iterations_a_goal_is_met_or_stopped() {
    Played goal = planned().send("task_completed", "task_id", "t1", "evidence", List.of());
    for (int i = 1; i <= 10; i++) {
      goal.send("all_tasks_terminal", "task_id", "t2", "evidence", List.of());
      if (i < 10) {
        assertThat(goal.refuses("iterations_exhausted")).isEqualTo(GUARD_REFUSED);
        goal.send("critique_found_issues", "findings", ERROR, "tasks", List.of("t2"));
      }
    }

    assertThat(goal.refuses("critique_found_issues", "findings", ERROR, "tasks", List.of("t2")))
        .isEqualTo(GUARD_REFUSED);
    assertThat(goal.refuses("needs_replan", "findings", ERROR)).isEqualTo(GUARD_REFUSED);
    assertThat(goal.send("iterations_exhausted").states()).containsExactly("stopped");
  }
}
