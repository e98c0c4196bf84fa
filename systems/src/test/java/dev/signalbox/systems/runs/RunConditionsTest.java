package dev.signalbox.systems.runs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Reply;
import dev.signalbox.services.approval.Approval;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Approvals with conditions, which are looked at right before the tool runs, and with patience. */
class RunConditionsTest {
  @TempDir Path folder;

  private static final String MERGE =
      """
      project: demo
      tools:
        - name: merge
          command: [sh, merge.sh, "{branch}"]
          arguments: { branch: topic, size: 5 }
          risks: [merge_to_main]
          writes: [merged.txt]
      checks:
        - { name: there, command: [test, -f, merged.txt] }
      """;

  @Test
  void a_condition_that_holds_lets_it_run() throws IOException {
    try (RunHouse house = RunHouse.in(folder)) {
      house.file("merge.sh", "echo $1 > merged.txt\n");
      String run = house.start(MERGE);
      Approval asked = house.untilAsked(run).getFirst();
      assertThat(
              house.approvals.approve(
                  asked.id(), RunHouse.BOB, asked.digest(), "call.arguments.size < 10"))
          .isInstanceOf(Reply.Accepted.class);

      assertThat(Runs.state(house.untilEnd(run))).isEqualTo("COMPLETE");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"call.arguments.size > 10", "call.arguments.none", "not CEL at all ("})
  void a_condition_that_fails_or_says_nothing_lets_nothing_run(String condition)
      throws IOException {
    try (RunHouse house = RunHouse.in(folder)) {
      house.file("merge.sh", "echo $1 > merged.txt\n");
      String run = house.start(MERGE);
      Approval asked = house.untilAsked(run).getFirst();
      house.approvals.approve(asked.id(), RunHouse.BOB, asked.digest(), condition);

      Instance ended = house.untilEnd(run);

      assertThat(Runs.state(ended)).isEqualTo("HALTED_UNSAFE");
      assertThat(String.valueOf(ended.context().get("failure"))).contains(condition);
      assertThat(house.work.resolve("merged.txt")).doesNotExist();
    }
  }

  @Test
  void what_nobody_answers_is_put_to_others_where_the_plan_says_so() throws IOException {
    try (RunHouse house = RunHouse.in(folder)) {
      house.file("merge.sh", "echo $1 > merged.txt\n");
      String run =
          house.start(
              MERGE.replace(
                  "project: demo\n",
                  """
                  project: demo
                  approvers: { assigned_to: [bob], reassign_after: 1s, reassign_to: [eve] }
                  """));
      String asked = house.untilAsked(run).getFirst().id();
      house.until(run, _ -> house.approvals.approval(asked).assignedTo().contains("eve"));

      Approval now = house.approvals.approval(asked);
      house.approvals.approve(asked, RunHouse.BOB, now.digest());
      assertThat(house.approvals.approval(asked).state()).isEqualTo("AWAITING_HUMAN");
      house.approvals.approve(
          asked, new Actor(Actor.Kind.USER, "eve", List.of("approver")), now.digest());

      assertThat(Runs.state(house.untilEnd(run))).isEqualTo("COMPLETE");
    }
  }
}
