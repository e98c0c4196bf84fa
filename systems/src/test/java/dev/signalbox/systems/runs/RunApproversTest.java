package dev.signalbox.systems.runs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Rejection;
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

/** Who may approve what a run asks, and under which conditions. */
class RunApproversTest {
  @TempDir Path folder;

  private static boolean says(RunHouse house, Approval asked, Actor who) {
    return house.approvals.approve(asked.id(), who, asked.digest()) instanceof Reply.Accepted;
  }

  private static void assertMerged(RunHouse house, String run) {
    Instance ended = house.untilEnd(run);
    assertThat(Runs.state(ended)).as("%s", ended.context()).isEqualTo("COMPLETE");
    assertThat(ended.context()).containsEntry("final_status", "ALL_CLEAR");
    assertThat(house.work.resolve("merged.txt")).hasContent("topic");
  }

  @Test
  void a_quorum_needs_as_many_people() throws IOException {
    try (RunHouse house = RunHouse.merging(folder)) {
      String run = house.start(RunPlans.with(RunPlans.MERGE, "approvers: { quorum: 2 }"));
      Approval asked = house.untilAsked(run).getFirst();

      assertThat(says(house, asked, RunHouse.BOB)).isTrue();
      assertThat(says(house, asked, RunHouse.BOB)).isFalse();
      assertThat(Runs.state(house.runs.run(run))).isEqualTo("AWAITING_APPROVAL");
      assertThat(says(house, asked, RunHouse.EVE)).isTrue();

      assertMerged(house, run);
    }
  }

  @Test
  void only_who_has_a_role_and_is_named_may() throws IOException {
    try (RunHouse house = RunHouse.merging(folder)) {
      String run =
          house.start(
              RunPlans.with(
                  RunPlans.MERGE, "approvers: { roles: [release], assigned_to: [bob, eve] }"));
      Approval asked = house.untilAsked(run).getFirst();

      assertThat(says(house, asked, RunHouse.BOB)).isFalse();
      assertThat(says(house, asked, RunHouse.person("lee", "approver", "release"))).isFalse();
      assertThat(says(house, asked, RunHouse.person("eve", "approver", "release"))).isTrue();

      assertMerged(house, run);
    }
  }

  @Test
  void each_tool_has_the_approvers_that_it_says_and_the_plans_otherwise() throws IOException {
    try (RunHouse house = RunHouse.merging(folder)) {
      String run =
          house.start(
              """
              project: demo
              approvers: { assigned_to: [kim] }
              tools:
                - { name: draft, command: [touch, draft.txt], writes: [draft.txt], risk: high }
                - name: merge
                  command: [sh, merge.sh, topic]
                  risks: [merge_to_main]
                  writes: [merged.txt]
                  approvers: { assigned_to: [lee], roles: [release] }
              checks:
                - { name: there, command: [test, -f, merged.txt] }
              """);
      Actor kim = RunHouse.person("kim", "approver", "release");
      Actor lee = RunHouse.person("lee", "approver", "release");

      Approval draft = house.untilAsked(run).getFirst();
      assertThat(draft.action().name()).isEqualTo("draft");
      assertRefused(house, draft, lee);
      assertThat(says(house, draft, kim)).isTrue();

      house.until(
          run,
          i ->
              i.leaves().contains("awaiting_decision")
                  && "merge".equals(i.context().get("current_tool")));
      Approval merge = house.untilAsked(run).getFirst();
      assertThat(merge.action().name()).isEqualTo("merge");
      assertRefused(house, merge, kim);
      assertRefused(house, merge, RunHouse.person("lee", "approver"));
      assertThat(house.work.resolve("merged.txt")).doesNotExist();
      assertThat(says(house, merge, lee)).isTrue();

      assertMerged(house, run);
      assertThat(house.approvals.approval(merge.id()).approvers()).containsExactly("lee");
    }
  }

  private static void assertRefused(RunHouse house, Approval asked, Actor who) {
    assertThat(house.approvals.approve(asked.id(), who, asked.digest()))
        .isInstanceOfSatisfying(
            Reply.Rejected.class,
            refused ->
                assertThat(refused.rejection().code()).isEqualTo(Rejection.Code.GUARD_REFUSED));
  }

  @Test
  void who_started_the_run_is_not_named_for_a_tool_either() throws IOException {
    try (RunHouse house = RunHouse.merging(folder)) {
      Instance ended =
          house.ended(
              RunPlans.MERGE.replace(
                  "writes: [merged.txt]",
                  "writes: [merged.txt]\n    approvers: { assigned_to: [ann, bob] }"));

      assertThat(ended.context()).containsEntry("tools_planned", List.of());
      assertThat(String.valueOf(ended.context().get("failure")))
          .contains("'ann'", "approvers of 'merge'");
    }
  }

  @Test
  void who_may_can_give_their_say_to_another() throws IOException {
    try (RunHouse house = RunHouse.merging(folder)) {
      String run = house.start(RunPlans.with(RunPlans.MERGE, "approvers: { assigned_to: [bob] }"));
      Approval asked = house.untilAsked(run).getFirst();
      assertThat(house.approvals.delegate(asked.id(), RunHouse.BOB, "ann"))
          .isInstanceOf(Reply.Rejected.class);
      assertThat(house.approvals.delegate(asked.id(), RunHouse.BOB, "eve"))
          .isInstanceOf(Reply.Accepted.class);

      assertThat(says(house, asked, RunHouse.BOB)).isFalse();
      assertThat(says(house, asked, RunHouse.EVE)).isTrue();

      assertMerged(house, run);
    }
  }

  @Test
  void it_can_be_put_to_others() throws IOException {
    try (RunHouse house = RunHouse.merging(folder)) {
      String run = house.start(RunPlans.with(RunPlans.MERGE, "approvers: { assigned_to: [bob] }"));
      Approval asked = house.untilAsked(run).getFirst();
      Actor oda = RunHouse.person("oda", "operator");
      assertThat(house.approvals.reassign(asked.id(), oda, List.of("eve")))
          .isInstanceOf(Reply.Accepted.class);

      assertThat(says(house, asked, RunHouse.BOB)).isFalse();
      assertThat(says(house, asked, RunHouse.EVE)).isTrue();

      assertMerged(house, run);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "assigned_to: [ann, bob]",
        "assigned_to: [bob], reassign_after: 1h, reassign_to: [ann]"
      })
  void who_started_the_run_is_not_named_and_nothing_runs(String approvers) throws IOException {
    try (RunHouse house = RunHouse.merging(folder)) {
      Instance ended =
          house.ended(RunPlans.with(RunPlans.MERGE, "approvers: { %s }".formatted(approvers)));

      assertThat(ended.context()).containsEntry("tools_planned", List.of());
      assertThat(String.valueOf(ended.context().get("failure")))
          .startsWith("Expected others than 'ann'");
    }
  }

  @Test
  void a_condition_that_holds_lets_it_run() throws IOException {
    try (RunHouse house = RunHouse.merging(folder)) {
      String run = house.start(RunPlans.MERGE);
      Approval asked = house.untilAsked(run).getFirst();
      assertThat(
              house.approvals.approve(
                  asked.id(), RunHouse.BOB, asked.digest(), "call.arguments.size < 10"))
          .isInstanceOf(Reply.Accepted.class);

      assertMerged(house, run);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"call.arguments.size > 10", "call.arguments.none", "not CEL at all ("})
  void a_condition_that_fails_or_says_nothing_lets_nothing_run(String condition)
      throws IOException {
    try (RunHouse house = RunHouse.merging(folder)) {
      String run = house.start(RunPlans.MERGE);
      Approval asked = house.untilAsked(run).getFirst();
      house.approvals.approve(asked.id(), RunHouse.BOB, asked.digest(), condition);

      Instance ended = house.untilEnd(run);

      assertThat(Runs.state(ended)).isEqualTo("HALTED_UNSAFE");
      assertThat(String.valueOf(ended.context().get("failure"))).contains(condition);
      assertThat(house.work.resolve("merged.txt")).doesNotExist();
    }
  }
}
