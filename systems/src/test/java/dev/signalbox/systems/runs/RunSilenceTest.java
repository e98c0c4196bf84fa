package dev.signalbox.systems.runs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Reply;
import dev.signalbox.services.approval.Approval;
import dev.signalbox.services.approval.Outcome;
import dev.signalbox.testkit.ManualClock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a plan lets happen while nobody answers, on a clock that is moved by hand. */
class RunSilenceTest {
  private static final Actor ODA = RunHouse.person("oda", "operator");
  private static final String FIRST =
      "tools:\n  - { name: first, command: [touch, first.txt], writes: [first.txt] }\n";

  @TempDir Path folder;
  private final ManualClock clock = new ManualClock();

  private static String plan(String approvers) {
    return RunPlans.with(RunPlans.MERGE, "approvers: { %s }".formatted(approvers))
        .replace("tools:\n", FIRST);
  }

  /** Goes to a second before the time, at which nothing has happened, and then to the time. */
  private void pass(Duration time, RunHouse house, Approval asked) {
    clock.advance(time.minusSeconds(1));
    assertThat(house.approvals.remind(asked.id(), ODA)).isInstanceOf(Reply.Accepted.class);
    assertThat(house.runs.run(asked.owner()).status()).isEqualTo("live");
    clock.advance(Duration.ofSeconds(1));
  }

  /** It halts, nothing is rolled back, and nothing was merged. */
  private static Instance halted(RunHouse house, String run, String why) {
    Instance ended = house.untilEnd(run);
    assertThat(Runs.state(ended)).as("%s", ended.context()).isEqualTo("HALTED_UNSAFE");
    assertThat(ended.context())
        .containsEntry("failure", why)
        .containsEntry("final_status", "STOPPED");
    assertThat(house.work.resolve("merged.txt")).doesNotExist();
    return ended;
  }

  @Test
  void after_escalate_after_the_run_halts() throws IOException {
    try (RunHouse house = RunHouse.merging(folder, clock)) {
      String run = house.start(plan("escalate_after: 2h"));
      Approval asked = house.untilAsked(run).getFirst();

      pass(Duration.ofHours(2), house, asked);

      halted(house, run, "escalated: nobody answered in time");
      assertThat(house.work.resolve("first.txt")).exists();
      assertThat(house.approvals.approval(asked.id()).outcome()).isEqualTo(Outcome.ESCALATED);
    }
  }

  @Test
  void after_expires_in_the_run_halts() throws IOException {
    try (RunHouse house = RunHouse.merging(folder, clock)) {
      String run = house.start(plan("expires_in: 90m"));
      Approval asked = house.untilAsked(run).getFirst();

      pass(Duration.ofMinutes(90), house, asked);

      halted(house, run, "expired");
      assertThat(house.work.resolve("first.txt")).exists();
      assertThat(house.approvals.approval(asked.id()).outcome()).isEqualTo(Outcome.EXPIRED);
    }
  }

  @Test
  void where_the_plan_says_nothing_it_halts_after_a_day() throws IOException {
    try (RunHouse house = RunHouse.merging(folder, clock)) {
      String run = house.start(plan("quorum: 1"));
      Approval asked = house.untilAsked(run).getFirst();

      pass(Duration.ofHours(24), house, asked);

      halted(house, run, "no decision in time");
    }
  }

  @Test
  void who_answers_in_time_stops_the_clock() throws IOException {
    try (RunHouse house = RunHouse.merging(folder, clock)) {
      String run = house.start(plan("escalate_after: 2h, expires_in: 3h"));
      Approval asked = house.untilAsked(run).getFirst();
      clock.advance(Duration.ofMinutes(119));
      house.approve(asked);

      assertThat(Runs.state(house.untilEnd(run))).isEqualTo("COMPLETE");
    }
  }

  @Test
  void people_are_reminded_as_often_as_the_plan_says() throws IOException {
    try (RunHouse house = RunHouse.merging(folder, clock)) {
      String run = house.start(plan("remind_every: 30m"));
      Approval asked = house.untilAsked(run).getFirst();

      clock.advance(Duration.ofMinutes(30).minusSeconds(1));
      house.approvals.tend();
      assertThat(house.approvals.approval(asked.id()).reminders()).isZero();
      for (long times = 1; times <= 2; times++) {
        clock.advance(times == 1 ? Duration.ofSeconds(1) : Duration.ofMinutes(30));
        house.approvals.tend();
        assertThat(house.approvals.approval(asked.id()).reminders()).isEqualTo(times);
      }
      house.approve(asked);
      assertThat(Runs.state(house.untilEnd(run))).isEqualTo("COMPLETE");
    }
  }

  @Test
  void what_nobody_answers_is_put_to_others() throws IOException {
    try (RunHouse house = RunHouse.merging(folder, clock)) {
      String run =
          house.start(
              plan(
                  "assigned_to: [bob], reassign_after: 1h, reassign_to: [eve], escalate_after:"
                      + " 2h"));
      Approval asked = house.untilAsked(run).getFirst();
      pass(Duration.ofHours(1), house, asked);
      house.until(run, _ -> house.approvals.approval(asked.id()).assignedTo().contains("eve"));

      assertThat(house.approvals.approve(asked.id(), RunHouse.BOB, asked.digest()))
          .isInstanceOf(Reply.Rejected.class);
      assertThat(house.approvals.approve(asked.id(), RunHouse.EVE, asked.digest()))
          .isInstanceOf(Reply.Accepted.class);

      assertThat(Runs.state(house.untilEnd(run))).isEqualTo("COMPLETE");
    }
  }

  @Test
  void a_plan_that_nobody_approves_is_escalated_too() throws IOException {
    try (RunHouse house = RunHouse.merging(folder, clock)) {
      String run =
          house.start(plan("escalate_after: 2m").replace("tools:", "approval: person\ntools:"));
      Instance waiting =
          house.until(run, i -> !String.valueOf(i.context().get("plan_approval")).isEmpty());
      Approval asked =
          house.approvals.approval(String.valueOf(waiting.context().get("plan_approval")));

      pass(Duration.ofMinutes(2), house, asked);

      halted(house, run, "the plan was refused by policy: escalated: nobody answered in time");
      assertThat(house.work.resolve("first.txt")).doesNotExist();
    }
  }
}
