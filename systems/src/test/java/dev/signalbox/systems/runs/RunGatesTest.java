package dev.signalbox.systems.runs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Source;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Reply;
import dev.signalbox.services.approval.Action;
import dev.signalbox.services.approval.Approval;
import dev.signalbox.services.approval.Asker;
import dev.signalbox.services.approval.Outcome;
import dev.signalbox.services.approval.Request;
import dev.signalbox.services.tool.HandlerTool;
import dev.signalbox.services.tool.ToolResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nothing that a plan starts, and nobody beside a run, gets past its gates. */
class RunGatesTest {
  private static final Actor PLANNER =
      new Actor(
          Actor.Kind.AGENT, "bot", List.of("agent", "planner", "auditor", "operator", "system"));
  private static final String NOTE = RunPlans.of("name: note, command: [touch, a], writes: [a]");

  @TempDir Path folder;

  private Plan plan(RunHouse house, String text) {
    return PlanReader.read(new Source("plan.yaml", text), house.work);
  }

  private static void isReserved(Reply reply) {
    assertThat(reply)
        .isInstanceOfSatisfying(
            Reply.Rejected.class,
            r -> assertThat(r.rejection().code()).isEqualTo(Rejection.Code.RESERVED_MACHINE));
  }

  @Test
  void an_auditor_that_is_risky_makes_the_plan_critical() throws IOException {
    try (RunHouse house = RunHouse.in(folder)) {
      house.file("kept.txt", "kept");
      Instance ended =
          house.ended(RunPlans.with(NOTE, "auditors: { drift: { command: [rm, kept.txt] } }"));

      assertThat(Runs.state(ended)).isEqualTo("HALTED_UNSAFE");
      assertThat(String.valueOf(ended.context().get("failure")))
          .contains("an auditor may not be risky", "it deletes");
      assertThat(house.work.resolve("kept.txt")).exists();
      assertThat(house.work.resolve("a")).doesNotExist();
    }
  }

  @Test
  void an_auditor_that_changes_something_stops_the_run_and_it_is_taken_back() throws IOException {
    HandlerTool.Handler meddling =
        (call, evidence) -> {
          Files.writeString(call.folder().resolve("kept.txt"), "changed");
          return ToolResult.pass(List.of(evidence.put("look", call.name())), "");
        };
    try (RunHouse house = RunHouse.with(folder, "meddle", meddling)) {
      house.file("kept.txt", "kept");
      String before = house.tree();
      Instance ended = house.ended(RunPlans.with(NOTE, "auditors: { drift: { handler: meddle } }"));

      assertThat(Runs.state(ended)).isEqualTo("ROLLED_BACK");
      assertThat(String.valueOf(ended.context().get("failure")))
          .startsWith("stopped by the auditor of ");
      assertThat(String.valueOf(ended.context().get("verdicts"))).contains("kept.txt");
      assertThat(house.tree()).isEqualTo(before);
    }
  }

  @Test
  void a_risky_undo_is_approved_with_its_tool() throws IOException {
    String undo =
        RunPlans.of("name: note, command: [touch, a], writes: [a], undo: { command: [rm, a] }");
    try (RunHouse house = RunHouse.in(folder)) {
      String run = house.start(undo);
      List<Approval> asked = house.untilAsked(run);

      assertThat(asked).hasSize(1);
      assertThat(asked.getFirst().action().identity().toString())
          .contains("its undo: it deletes", "[rm, a]");
      house.approve(asked.getFirst());
      assertThat(house.untilEnd(run).context()).containsEntry("final_status", "ALL_CLEAR");
    }
  }

  @Test
  void a_tenant_is_the_project_s_own_however_its_letters_are_written() throws IOException {
    try (RunHouse house = RunHouse.in(folder)) {
      for (String own : List.of("demo", "DEMO", "Demo")) {
        assertThat(asks(house, own)).as(own).isFalse();
      }
      for (String other : List.of("other", "", "demo ", "de\\u017Fo", "DEMO2")) {
        assertThat(asks(house, other)).as(other).isTrue();
      }
    }
  }

  private boolean asks(RunHouse house, String tenant) {
    String text =
        RunPlans.of(
                "name: look, command: [ls], access: read, arguments: { tenant: \"%s\" }"
                    .formatted(tenant))
            .replaceFirst("project: \\w+", "project: demo");
    Map<String, Object> frozen = plan(house, text).frozen(Policy.STANDARD);
    return Form.flag(Form.maps(frozen, "tools").getFirst(), "approval");
  }

  @Test
  void who_halts_a_run_is_in_its_journal_whatever_state_it_is_in() throws IOException {
    for (String effect : List.of("runs.plan", "runs.tool", "runs.check", "runs.audit")) {
      Path place = folder.resolve(effect);
      Files.createDirectories(place);
      try (RunHouse house = RunHouse.in(place)) {
        house.stuck.add(effect);
        String run = house.start(NOTE);
        String state =
            switch (effect) {
              case "runs.plan" -> "PLANNING";
              case "runs.tool" -> "EXECUTING";
              case "runs.check" -> "VERIFYING";
              default -> "AUDITING";
            };
        house.until(run, i -> i.states().contains(state));

        assertThat(house.runs.halt(run, RunHouse.EVE, "not today"))
            .as(state)
            .isInstanceOf(Reply.Accepted.class);
        house.stuck.clear();
        Instance ended = house.untilEnd(run);

        assertThat(String.valueOf(ended.context().get("failure"))).contains("eve", "not today");
        assertThat(
                house.box.history(run, 1, 1_000).stream()
                    .map(RunEntry::of)
                    .filter(entry -> entry.event().equals("halt"))
                    .map(entry -> String.valueOf(RunEntry.map(entry.event("actor")).get("name"))))
            .as(state)
            .containsExactly("eve");
      }
    }
  }

  @Test
  void no_role_lets_anybody_speak_to_a_run_past_its_own_routes() throws IOException {
    try (RunHouse house = RunHouse.in(folder)) {
      house.stuck.add("runs.plan");
      String run = house.start(NOTE);
      house.until(run, i -> i.states().contains("PLANNING"));
      for (String event :
          List.of(
              "plan_ready", "plan_approved", "audit_passed", "approved", "tool_passed", "halt")) {
        isReserved(
            house.box.submit(
                new Command.Send(run, event, Map.of("approved_by", "kim"), PLANNER, null, null)));
      }
      isReserved(
          house.box.submit(
              new Command.Start(
                  "runs.run", "RUN-MINE", Map.of("tokens", -1_000_000_000L), PLANNER, null)));
      isReserved(house.box.submit(new Command.Cancel(run, PLANNER, null)));
      house.stuck.clear();
    }
  }

  @Test
  void what_counts_in_a_run_is_its_own_whoever_starts_it() throws IOException {
    try (RunHouse house = RunHouse.in(folder)) {
      for (Map<String, Object> input :
          List.<Map<String, Object>>of(
              Map.of("tokens", -1_000_000_000L),
              Map.of("model_calls", -5L),
              Map.of("plan_approved_by", "kim"),
              Map.of("plan_stands", true),
              Map.of("tools_completed", List.of("note")),
              Map.of("approvals_granted", List.of("p")),
              Map.of("final_status", "ALL_CLEAR"),
              Map.of("verdicts", List.of()))) {
        Reply reply =
            house.box.submit(new Command.Start("runs.run", null, input, Actor.SYSTEM, null));
        assertThat(reply).as(input.toString()).isInstanceOf(Reply.Rejected.class);
      }
    }
  }

  @Test
  void another_s_approval_that_tells_a_run_moves_nothing_in_it() throws IOException {
    try (RunHouse house = RunHouse.in(folder)) {
      house.file("merge.sh", "echo merged > merged.txt\n");
      String run = house.start(RunPlans.MERGE);
      Approval own = house.untilAsked(run).getFirst();
      for (String event : List.of("approved", "rejected", "escalated")) {
        Request other =
            Request.of(Action.of(run, "mine", Map.of()), Asker.of(RunHouse.ANN))
                .telling(run, Outcome.GRANTED, event);
        String id = house.approvals.request(other);
        house.approvals.approve(id, RunHouse.EVE, house.approvals.approval(id).digest());
        assertThat(house.box.rest(Duration.ofMinutes(1))).isTrue();
        assertThat(house.runs.run(run).leaves()).as(event).containsExactly("awaiting_decision");
      }
      house.approve(own);
      assertThat(house.untilEnd(run).context()).containsEntry("final_status", "ALL_CLEAR");
    }
  }

  @Test
  void another_s_approval_of_another_plan_moves_no_plan() throws IOException {
    try (RunHouse house = RunHouse.in(folder)) {
      String run = house.start(NOTE + "approval: person\n");
      house.until(run, i -> !String.valueOf(i.context().get("plan_approval")).isEmpty());
      for (String event : List.of("plan_approved", "plan_refused")) {
        Request other =
            Request.of(Action.of(run, "plan", Map.of()), Asker.of(RunHouse.ANN))
                .telling(run, Outcome.GRANTED, event);
        String id = house.approvals.request(other);
        house.approvals.approve(id, RunHouse.EVE, house.approvals.approval(id).digest());
        assertThat(house.box.rest(Duration.ofMinutes(1))).isTrue();
        assertThat(house.runs.run(run).leaves()).as(event).containsExactly("PLANNING");
      }
      String own = String.valueOf(house.runs.run(run).context().get("plan_approval"));
      house.approve(house.approvals.approval(own));
      assertThat(house.untilEnd(run).context())
          .containsEntry("plan_approved_by", "bob")
          .containsEntry("final_status", "ALL_CLEAR");
    }
  }
}
