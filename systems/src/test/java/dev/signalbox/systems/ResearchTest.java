package dev.signalbox.systems;

import static dev.signalbox.kernel.Rejection.Code.GUARD_REFUSED;
import static dev.signalbox.kernel.Rejection.Code.NO_TRANSITION;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ResearchTest {

  private static Played active() {
    return Played.start("research.session", "goal", "g")
        .send("goal_accepted", "summary", "s", "safe", true, "resources", true);
  }

  @Test
  void an_unsafe_goal_does_not_start() {
    Played session = Played.start("research.session");

    assertThat(session.refuses("goal_accepted", "summary", "s", "safe", false, "resources", true))
        .isEqualTo(GUARD_REFUSED);
    assertThat(session.send("goal_rejected", "reason", "prohibited").pass("1d").states())
        .containsExactly("ARCHIVED");
  }

  @Test
  void a_session_ends_with_a_report_and_is_archived_after_thirty_days() {
    Played session = active().send("converged").send("finished", "report", "r");
    assertThat(session.pass("29d").states()).containsExactly("COMPLETED");
    assertThat(session.refuses("resume")).isEqualTo(NO_TRANSITION);

    assertThat(session.pass("1d").states()).containsExactly("ARCHIVED");
  }

  @Test
  void the_24_hours_of_work_stand_still_in_a_pause() {
    Played session = active().pass("20h").send("pause").pass("6d").send("resume").pass("3h");
    assertThat(session.states()).containsExactly("ACTIVE");

    assertThat(session.pass("1h").states()).containsExactly("TERMINATING");
  }

  @Test
  void a_pause_expires_after_seven_days() {
    assertThat(active().send("pause").pass("7d").states()).containsExactly("EXPIRED");
  }

  @Test
  void a_session_that_does_not_start_or_end_in_time_has_failed() {
    assertThat(Played.start("research.session").pass("60s").states()).containsExactly("FAILED");
    assertThat(active().send("stop").pass("5m").states()).containsExactly("FAILED");
  }

  private static Played reviewed(double safety) {
    return Played.start("research.hypothesis", "content", "h")
        .send("review_started")
        .send(
            "scored",
            "alignment",
            0.8,
            "plausibility",
            0.7,
            "novelty",
            0.6,
            "testability",
            0.6,
            "safety",
            safety);
  }

  private static Played ranked() {
    return reviewed(0.9).send("review_passed").send("rated");
  }

  @Test
  void a_safe_hypothesis_is_ranked() {
    assertThat(ranked().states()).containsExactly("RANKED");
  }

  @Test
  void a_hypothesis_that_nobody_reviews_is_discarded_and_deleted() {
    Played hypothesis = Played.start("research.hypothesis").pass("5m");
    assertThat(hypothesis.states()).containsExactly("DISCARDED");

    assertThat(hypothesis.pass("1h").states()).containsExactly("DELETED");
  }

  @Test
  void safety_below_three_tenths_is_unsafe_at_once() {
    Played hypothesis = reviewed(0.2);

    assertThat(hypothesis.states()).containsExactly("UNSAFE");
    assertThat(hypothesis.send("quarantine").states()).containsExactly("QUARANTINED");
    assertThat(hypothesis.refuses("discard")).isEqualTo(NO_TRANSITION);
  }

  @Test
  void doubtful_safety_needs_a_person() {
    Played hypothesis = reviewed(0.5);
    assertThat(hypothesis.refuses("review_passed")).isEqualTo(GUARD_REFUSED);

    hypothesis.send("person_needed").as("kim", "reviewer").send("cleared_by_person");
    assertThat(hypothesis.send("review_passed").states()).containsExactly("REVIEWED");
    assertThat(hypothesis.value("cleared_by")).isEqualTo("kim");
  }

  @Test
  void the_ten_minutes_stand_still_while_a_person_looks_and_go_on_after() {
    Played hypothesis =
        reviewed(0.5).pass("9m").send("person_needed").pass("23h").send("cleared_by_person");
    assertThat(hypothesis.pass("59s").states()).containsExactly("automatic");

    assertThat(hypothesis.pass("1s").states()).containsExactly("FAILED_REVIEW");
  }

  @Test
  void a_person_who_does_not_answer_in_a_day_has_said_no() {
    Played hypothesis = reviewed(0.5).send("person_needed").pass("24h");

    assertThat(hypothesis.states()).containsExactly("UNSAFE");
    assertThat(hypothesis.records()).containsExactly("hypothesis.unsafe");
  }

  @Test
  void selection_needs_three_matches_a_top_rank_and_confidence() {
    Played hypothesis = ranked();
    assertThat(hypothesis.refuses("selected", "rank", 1, "of", 100, "confidence", 0.9))
        .isEqualTo(GUARD_REFUSED);
    for (int i = 0; i < 3; i++) {
      hypothesis.send("match_played", "elo", 1216.0);
    }
    assertThat(hypothesis.refuses("selected", "rank", 11, "of", 100, "confidence", 0.9))
        .isEqualTo(GUARD_REFUSED);
    assertThat(hypothesis.refuses("selected", "rank", 10, "of", 100, "confidence", 0.7))
        .isEqualTo(GUARD_REFUSED);

    hypothesis.send("selected", "rank", 10, "of", 100, "confidence", 0.71);
    assertThat(hypothesis.send("finalize").send("archive").states()).containsExactly("ARCHIVED");
  }

  @Test
  void three_cycles_without_gain_are_stale() {
    Played hypothesis = ranked();
    for (int i = 0; i < 3; i++) {
      assertThat(hypothesis.refuses("no_improvement")).isEqualTo(GUARD_REFUSED);
      hypothesis.send("evolution_started").send("evolved", "child", "c" + i, "gain", false);
    }

    assertThat(hypothesis.send("no_improvement").states()).containsExactly("STALE");
  }

  @Test
  void a_failed_evolution_goes_back_to_its_earlier_form() {
    Played hypothesis = ranked().send("evolution_started").pass("5m");
    assertThat(hypothesis.states()).containsExactly("FAILED_EVOLUTION");

    assertThat(hypothesis.send("restored").states()).containsExactly("RANKED");
  }

  @Test
  void a_selected_hypothesis_can_still_be_unsafe() {
    Played hypothesis = ranked();
    for (int i = 0; i < 3; i++) {
      hypothesis.send("match_played", "elo", 1216.0);
    }
    hypothesis.send("selected", "rank", 1, "of", 5, "confidence", 0.9);
    assertThat(hypothesis.send("safety_flag", "reason", "dual use").states())
        .containsExactly("UNSAFE");
  }

  @Test
  void a_finalized_hypothesis_is_out_of_reach_of_a_flag() {
    Played hypothesis = ranked();
    for (int i = 0; i < 3; i++) {
      hypothesis.send("match_played", "elo", 1216.0);
    }
    hypothesis.send("selected", "rank", 1, "of", 5, "confidence", 0.9).send("finalize");

    assertThat(hypothesis.refuses("safety_flag", "reason", "dual use")).isEqualTo(NO_TRANSITION);
  }

  @Test
  void an_agent_is_overloaded_when_its_queue_is_full() {
    Played agent = Played.start("research.agent").send("work_assigned", "work", "w");
    assertThat(agent.refuses("queue_full")).isEqualTo(GUARD_REFUSED);
    for (int i = 0; i < 10; i++) {
      agent.send("work_queued");
    }
    assertThat(agent.refuses("work_queued")).isEqualTo(GUARD_REFUSED);

    assertThat(agent.send("queue_full").states()).containsExactly("OVERLOADED");
    assertThat(agent.send("queue_drained", "queued", 4).states()).containsExactly("PROCESSING");
  }
}
