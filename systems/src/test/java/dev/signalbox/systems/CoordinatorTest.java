package dev.signalbox.systems;

import static dev.signalbox.kernel.Rejection.Code.GUARD_REFUSED;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CoordinatorTest {

  private static Played accepted(String mode, String risk) {
    return Played.start("coordinator.plan")
        .send(
            "intent_accepted",
            "run_id",
            "r",
            "intent_id",
            "intent_1",
            "intent_sha256",
            "00",
            "mode",
            mode,
            "risk",
            risk,
            "question_budget",
            2);
  }

  private static Played drafted(String mode) {
    return accepted(mode, "low")
        .send("validation_passed")
        .send("context_ready")
        .send("rules_adjudicated");
  }

  private static Played asked(boolean defaults) {
    return drafted("interactive")
        .send("questions_needed", "questions", 2, "defaults_usable", defaults)
        .send("questions_emitted");
  }

  @Test
  void a_plan_without_questions_is_frozen() {
    Played plan =
        drafted("full_auto")
            .send("no_questions_needed")
            .send("graph_complete")
            .send("review_pack_ready")
            .send("outputs_frozen", "outputs", Map.of("graph.json", "ab"));

    assertThat(plan.states()).containsExactly("DONE");
    assertThat(plan.records()).containsExactly("coordinator.frozen");
  }

  @Test
  void full_auto_never_asks() {
    assertThat(
            drafted("full_auto")
                .refuses("questions_needed", "questions", 1, "defaults_usable", true))
        .isEqualTo(GUARD_REFUSED);
  }

  @Test
  void high_risk_is_never_full_auto() {
    assertThat(accepted("full_auto", "high").refuses("validation_passed")).isEqualTo(GUARD_REFUSED);
    assertThat(accepted("full_auto", "critical").refuses("validation_passed"))
        .isEqualTo(GUARD_REFUSED);
    assertThat(accepted("semi_auto", "critical").send("validation_passed").states())
        .containsExactly("CONTEXT_BUILT");
  }

  @Test
  void an_execution_payload_aborts_and_alerts() {
    Played plan =
        accepted("interactive", "low").send("execution_payload_found", "path", "$.a.shell");

    assertThat(plan.states()).containsExactly("ABORTED");
    assertThat(plan.records()).containsExactly("coordinator.failure_pack", "coordinator.alert");
    assertThat(plan.lastRecord("coordinator.failure_pack", "type")).isEqualTo("red_line_violation");
  }

  @Test
  void nobody_answers_and_the_defaults_are_used() {
    Played plan = asked(true);
    assertThat(plan.pass("23h").states()).containsExactly("AWAITING_ANSWERS");

    assertThat(plan.pass("1h").states()).containsExactly("GRAPH_FINALIZED");
  }

  @Test
  void nobody_answers_and_no_default_may_be_used() {
    assertThat(asked(false).pass("24h").states()).containsExactly("BLOCKED");
    assertThat(asked(false).refuses("timeout_with_defaults")).isEqualTo(GUARD_REFUSED);
  }

  @Test
  void more_questions_than_the_budget_are_not_emitted() {
    Played plan =
        drafted("interactive").send("questions_needed", "questions", 3, "defaults_usable", true);

    assertThat(plan.refuses("questions_emitted")).isEqualTo(GUARD_REFUSED);
    assertThat(plan.send("question_budget_exceeded", "cause", "3 of 2").states())
        .containsExactly("BLOCKED");
  }

  @Test
  void answers_that_contradict_the_rules_lead_back_three_times_and_then_block() {
    Played plan = asked(true);
    for (int i = 1; i <= 3; i++) {
      plan.send("answers_conflict", "details", List.of("c" + i));
      assertThat(plan.states()).containsExactly("RULES_EVALUATED");
      plan.send("rules_adjudicated")
          .send("questions_needed", "questions", 1, "defaults_usable", true)
          .send("questions_emitted");
    }

    plan.send("answers_conflict", "details", List.of("c4"));
    assertThat(plan.states()).containsExactly("BLOCKED");
    assertThat(plan.value("conflict_details")).isEqualTo(List.of("c1", "c2", "c3", "c4"));
  }

  @Test
  void a_denied_action_blocks_and_a_denied_critical_one_aborts() {
    Played plan = accepted("interactive", "low").send("validation_passed").send("context_ready");
    assertThat(plan.send("action_denied", "cause", "rule 7").states()).containsExactly("BLOCKED");
    assertThat(plan.value("failure_type")).isEqualTo("rule_denied");

    plan = accepted("interactive", "low").send("validation_passed").send("context_ready");
    assertThat(plan.send("critical_action_denied", "cause", "rule 7").states())
        .containsExactly("ABORTED");
  }

  @Test
  void nothing_is_done_without_outputs() {
    Played plan =
        drafted("full_auto")
            .send("no_questions_needed")
            .send("graph_complete")
            .send("review_pack_ready");

    assertThat(plan.refuses("outputs_frozen", "outputs", Map.of())).isEqualTo(GUARD_REFUSED);
  }
}
