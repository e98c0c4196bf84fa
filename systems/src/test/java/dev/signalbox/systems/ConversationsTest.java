package dev.signalbox.systems;

import static dev.signalbox.kernel.Rejection.Code.GUARD_REFUSED;
import static dev.signalbox.kernel.Rejection.Code.INSTANCE_FINAL;
import static dev.signalbox.kernel.Rejection.Code.NO_TRANSITION;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConversationsTest {

  private static Played bundle() {
    return Played.start("conversations.runtime")
        .send("start_loading")
        .send("manifest_valid", "bundle", "shop", "bundle_version", "1", "sha256", "ab")
        .send("components_loaded", "components", List.of("doctrine", "engine"));
  }

  private static Played activeBundle() {
    return bundle().send("validation_passed", "checklist", "PASSED", "missing_signals", List.of());
  }

  @Test
  void a_bundle_is_active_only_with_a_passed_checklist_and_every_signal() {
    assertThat(
            bundle()
                .refuses("validation_passed", "checklist", "OPEN", "missing_signals", List.of()))
        .isEqualTo(GUARD_REFUSED);
    assertThat(
            bundle()
                .refuses(
                    "validation_passed",
                    "checklist",
                    "PASSED",
                    "missing_signals",
                    List.of("negotiation_state")))
        .isEqualTo(GUARD_REFUSED);
    assertThat(activeBundle().states()).containsExactly("ACTIVE");
  }

  @Test
  void a_halt_says_why_inside_and_is_never_left() {
    Played runtime =
        bundle().send("hard_stop", "condition", "lock_conflict", "detail", "doctrine.md changed");

    assertThat(runtime.states()).containsExactly("HALT");
    assertThat(runtime.lastRecord("runtime.internal_error", "condition"))
        .isEqualTo("lock_conflict");
    assertThat(runtime.refuses("start_loading")).isEqualTo(INSTANCE_FINAL);
  }

  @Test
  void a_degraded_bundle_recovers_only_by_the_whole_light_validation() {
    Played runtime =
        activeBundle().send("non_critical_failure", "what", "engine", "name", "pricing");
    assertThat(
            runtime.refuses(
                "recovery_validated",
                "files_present",
                true,
                "locks_respected",
                true,
                "engines_answering",
                false))
        .isEqualTo(GUARD_REFUSED);

    runtime.send(
        "recovery_validated",
        "files_present",
        true,
        "locks_respected",
        true,
        "engines_answering",
        true);
    assertThat(runtime.states()).containsExactly("ACTIVE");
    assertThat(runtime.value("episode")).isEqualTo(1L);
  }

  private static Played open() {
    return Played.start("conversations.session", "session_id", "s1");
  }

  private static Played received() {
    return open().send("message_received", "kind", "customer");
  }

  private static Played atEngines() {
    return received().send("intake_done").send("gate_passed");
  }

  private static Played atOutput() {
    return atEngines()
        .send("qualified", "status", "READY_FOR_NEGOTIATION")
        .send("negotiated")
        .send("priced")
        .send("objections_resolved", "decision", "CONTINUE")
        .send("closing_done");
  }

  /** A conversation that answered and now waits for the customer. */
  private static Played silent() {
    return atOutput().send("output_sent", "kind", "reply", "counted", true);
  }

  @Test
  void a_conversation_starts_open_with_automation_running_and_no_silence() {
    assertThat(open().states()).containsExactly("running", "heard", "AWAITING_MESSAGE");
    assertThat(open().in("OPEN")).isTrue();
    assertThat(open().in("NONE")).isTrue();
  }

  @Test
  void a_message_takes_the_whole_way_in_order() {
    Played session = atOutput();
    assertThat(session.in("OUTPUT")).isTrue();

    session.send("output_sent", "kind", "reply", "counted", true);
    assertThat(session.states()).containsExactly("running", "counting", "COMPLETE");
    assertThat(session.send("message_received", "kind", "customer").in("INTAKE")).isTrue();
  }

  @Test
  void a_customer_who_is_not_ready_gets_no_negotiation_and_no_plain_reply() {
    Played session = atEngines().send("qualified", "status", "NOT_READY");
    assertThat(session.in("OUTPUT")).isTrue();

    assertThat(session.refuses("output_sent", "kind", "reply", "counted", true))
        .isEqualTo(GUARD_REFUSED);
    session.send("output_sent", "kind", "graceful_exit", "counted", false);
    assertThat(session.in("COMPLETE")).isTrue();
  }

  @Test
  void degraded_allows_one_clarifying_question_in_an_episode() {
    Played session = open().send("runtime_changed", "state", "DEGRADED", "episode", 1);
    clarify(session);
    session
        .send("message_received", "kind", "customer")
        .send("intake_done")
        .send("gate_passed")
        .send("qualified", "status", "NOT_READY");
    assertThat(session.refuses("output_sent", "kind", "clarification", "counted", true))
        .isEqualTo(GUARD_REFUSED);

    session
        .send("output_sent", "kind", "graceful_exit", "counted", false)
        .send("runtime_changed", "state", "DEGRADED", "episode", 2);
    clarify(session);
    assertThat(session.in("COMPLETE")).isTrue();
  }

  private static void clarify(Played session) {
    session
        .send("message_received", "kind", "customer")
        .send("intake_done")
        .send("gate_passed")
        .send("qualified", "status", "NOT_READY")
        .send("output_sent", "kind", "clarification", "counted", true);
  }

  @Test
  void a_takeover_stops_the_message_at_once_and_may_be_given_back() {
    Played session = atEngines().send("take_over");
    assertThat(session.states()).containsExactly("taken_over", "heard", "COMPLETE");
    assertThat(session.value("agent_takeover_flag")).isEqualTo(true);

    session.send("message_received", "kind", "customer").send("intake_done");
    assertThat(session.refuses("gate_passed")).isEqualTo(GUARD_REFUSED);
    session.send("held", "reason", "takeover").send("give_back");
    assertThat(session.in("running")).isTrue();
    assertThat(session.value("agent_takeover_flag")).isEqualTo(false);
  }

  @Test
  void a_handover_by_phase_4_is_never_given_back() {
    Played session = atEngines().send("handover_required");

    assertThat(session.states()).containsExactly("terminated", "heard", "COMPLETE");
    assertThat(session.value("agent_takeover_flag")).isEqualTo(true);
    assertThat(session.value("handover_required_flag")).isEqualTo(true);
    assertThat(session.refuses("give_back")).isEqualTo(NO_TRANSITION);
    assertThat(session.refuses("take_over")).isEqualTo(NO_TRANSITION);
  }

  @Test
  void after_automation_ended_a_message_needs_a_new_session() {
    Played session = open().send("automation_terminated");

    assertThat(session.refuses("message_received", "kind", "customer")).isEqualTo(GUARD_REFUSED);
    assertThat(session.refuses("customer_signal")).isEqualTo(GUARD_REFUSED);
  }

  @ParameterizedTest
  @CsvSource({
    "CLOSED_SUCCESSFULLY, PRICE_ACCEPTED",
    "CLOSED_NO_DECISION, NO_RESPONSE_TIMEOUT",
    "ESCALATED_TO_HUMAN, HUMAN_HANDOVER_REQUIRED",
    "TERMINATED_BY_SYSTEM, SYSTEM_TERMINATION",
    "TERMINATED_BY_CUSTOMER, CUSTOMER_EXIT"
  })
  void five_outcomes_of_phase_4_close_a_conversation_for_good(String outcome, String reason) {
    Played session = atEngines().send("phase4_closed", "outcome", outcome, "reason", reason);

    assertThat(session.states()).containsExactly("CLOSED");
    assertThat(session.value("conversation_status")).isEqualTo("CLOSED");
    assertThat(session.value("automation_terminated_flag")).isEqualTo(true);
    assertThat(session.value("handover_required_flag"))
        .isEqualTo(outcome.equals("ESCALATED_TO_HUMAN"));
    assertThat(session.refuses("message_received", "kind", "customer")).isEqualTo(INSTANCE_FINAL);
  }

  @Test
  void the_sixth_outcome_disqualifies() {
    Played session = open().send("phase4_disqualified", "reason", "QUALIFICATION_FAILED");

    assertThat(session.states()).containsExactly("DISQUALIFIED");
    assertThat(session.value("final_conversation_state")).isEqualTo("CLOSED_DISQUALIFIED");
    assertThat(session.refuses("take_over")).isEqualTo(INSTANCE_FINAL);
  }

  @ParameterizedTest
  @CsvSource({"5h, counting", "6h, S1", "23h, S1", "24h, S2", "71h, S2"})
  void silence_has_stages_by_its_age(String age, String stage) {
    assertThat(silent().pass(age).in(stage)).isTrue();
  }

  @Test
  void three_days_of_silence_end_it_and_leave_the_conversation_open() {
    Played session = silent().pass("72h");

    assertThat(session.states()).containsExactly("running", "SILENCE_TERMINATED", "COMPLETE");
    assertThat(session.value("silence_terminated")).isEqualTo(true);
    assertThat(session.value("conversation_status")).isEqualTo("OPEN");
  }

  @Test
  void one_follow_up_is_permitted_in_each_of_two_stages() {
    Played session = silent();
    assertThat(session.refuses("follow_up_sent")).isEqualTo(NO_TRANSITION);
    session.pass("6h").send("follow_up_sent");
    assertThat(session.refuses("follow_up_sent")).isEqualTo(GUARD_REFUSED);

    session.pass("18h").send("follow_up_sent");
    assertThat(session.in("SILENCE_TERMINATED")).isTrue();
    assertThat(session.value("follow_up_count")).isEqualTo(2L);
  }

  @Test
  void a_follow_up_is_not_a_counted_outbound() {
    Played session = silent().pass("6h").send("follow_up_sent").pass("17h");
    assertThat(session.in("S1")).isTrue();

    assertThat(session.pass("1h").in("S2")).isTrue();
  }

  @Test
  void a_new_word_of_the_customer_ends_every_silence() {
    Played session = silent().pass("72h").send("message_received", "kind", "customer");

    assertThat(session.in("heard")).isTrue();
    assertThat(session.value("silence_terminated")).isEqualTo(false);
    assertThat(session.value("follow_up_count")).isEqualTo(0L);
  }

  @ParameterizedTest
  @ValueSource(strings = {"transcript", "draft", "translation"})
  void what_is_not_the_customers_new_word_does_not_end_a_silence(String kind) {
    Played session = silent().pass("7h").send("message_received", "kind", kind);

    assertThat(session.in("S1")).isTrue();
    assertThat(session.value("last_customer_signal_timestamp")).isEqualTo(1_000_000L);
  }

  @Test
  void a_new_counted_outbound_counts_from_its_own_time() {
    Played session = silent().pass("7h").send("counted_outbound").pass("5h");
    assertThat(session.in("counting")).isTrue();

    assertThat(session.pass("1h").in("S1")).isTrue();
  }

  @Test
  void a_terminated_silence_stays_so_whatever_goes_out() {
    Played session = silent().pass("72h").send("counted_outbound").pass("72h");

    assertThat(session.in("SILENCE_TERMINATED")).isTrue();
  }

  @Test
  void a_blocker_permits_nothing_and_exits_nothing_and_is_named() {
    Played session = silent().send("take_over").pass("72h");
    assertThat(session.in("S3")).isTrue();
    assertThat(session.lastRecord("silence.decision", "blockers")).isEqualTo(List.of("takeover"));
    assertThat(session.lastRecord("silence.decision", "exit")).isEqualTo(false);

    assertThat(session.send("give_back").in("SILENCE_TERMINATED")).isTrue();
  }

  @Test
  void a_permission_does_not_outlive_a_blocker() {
    Played session = silent().pass("6h").send("silence_suppression_set", "suppressed", true);
    assertThat(session.refuses("follow_up_sent")).isEqualTo(GUARD_REFUSED);

    session.send("silence_suppression_set", "suppressed", false).send("follow_up_sent");
    assertThat(session.value("follow_up_count")).isEqualTo(1L);
  }

  @Test
  void each_blocker_has_a_name_in_the_decision() {
    Played session =
        silent()
            .send("silence_suppression_set", "suppressed", true)
            .send("input_mode_set", "mode", "BACKFILL_BATCH")
            .send("signals_set", "negotiation_active", true, "visit_scheduling", true)
            .send("runtime_changed", "state", "HALT", "episode", 0)
            .send("automation_terminated");

    assertThat(session.lastRecord("silence.decision", "blockers"))
        .isEqualTo(
            List.of(
                "automation_terminated",
                "suppressed",
                "backfill_batch",
                "negotiation_active",
                "visit_scheduling",
                "runtime_not_ready"));
  }

  @Test
  void backfill_computes_stages_and_nothing_else() {
    Played session = silent().send("input_mode_set", "mode", "BACKFILL_BATCH").pass("24h");

    assertThat(session.in("S2")).isTrue();
    assertThat(session.refuses("follow_up_sent")).isEqualTo(GUARD_REFUSED);
    assertThat(session.lastRecord("silence.decision", "stage")).isEqualTo("S2");
  }
}
