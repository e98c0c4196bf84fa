package dev.signalbox.systems.runs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.runtime.Instance;
import dev.signalbox.services.approval.Approval;
import dev.signalbox.services.approval.Risk;
import dev.signalbox.services.tool.HandlerTool;
import dev.signalbox.services.tool.ToolResult;
import dev.signalbox.services.tool.ToolRisk;
import dev.signalbox.services.tool.ToolStatus;
import dev.signalbox.services.tool.ToolUsage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Risks that a tool finds while it runs, though nobody saw them in the plan. */
class RunRisksTest {
  private static final String PLAN =
      RunPlans.of(
          "name: look, handler: look, writes: [looked]",
          "name: next, command: [touch, next], writes: [next]");

  @TempDir Path folder;

  /** Something that passes and has found a risk. */
  private static HandlerTool.Handler finding(Risk risk) {
    return (call, evidence) -> {
      if (call.name().equals("look")) {
        Files.writeString(call.folder().resolve("looked"), "x");
      }
      return new ToolResult(
          ToolStatus.PASS,
          List.of(evidence.put("log", "it drops a table")),
          List.of(),
          List.of(),
          List.of(),
          List.of(new ToolRisk(risk, "it drops a table")),
          List.of(),
          ToolUsage.NONE,
          null,
          "");
    };
  }

  @Test
  void a_high_one_is_put_before_a_person_who_says_yes() throws IOException {
    try (RunHouse house = RunHouse.with(folder, "look", finding(Risk.HIGH))) {
      String run = house.start(PLAN);
      Approval asked = house.untilAsked(run).getFirst();
      Instance waiting = house.runs.run(run);
      assertThat(waiting.context())
          .containsEntry("asked_because", "high risk found by 'look': it drops a table")
          .containsEntry("tools_completed", List.of());
      house.approve(asked);

      Instance ended = house.untilEnd(run);

      assertThat(Runs.state(ended)).as("%s", ended.context()).isEqualTo("COMPLETE");
      assertThat(ended.context())
          .containsEntry("final_status", "OK_WITH_WARNINGS")
          .containsEntry("approvals_granted", List.of(asked.id()));
    }
  }

  @Test
  void a_high_one_that_a_person_does_not_want_is_not_brought_in() throws IOException {
    try (RunHouse house = RunHouse.with(folder, "look", finding(Risk.HIGH))) {
      String before = house.tree();
      String run = house.start(PLAN);
      Approval asked = house.untilAsked(run).getFirst();
      assertThat(house.tree())
          .as("nothing is brought in before a person wants it")
          .isEqualTo(before);

      house.approvals.reject(asked.id(), RunHouse.BOB, "not that one");

      assertThat(Runs.state(house.untilEnd(run))).isEqualTo("ROLLED_BACK");
      assertThat(house.tree()).isEqualTo(before);
    }
  }

  @Test
  void a_critical_one_halts_and_brings_nothing_in() throws IOException {
    try (RunHouse house = RunHouse.with(folder, "look", finding(Risk.CRITICAL))) {
      Instance ended = house.ended(PLAN);

      assertThat(Runs.state(ended)).isEqualTo("HALTED_UNSAFE");
      assertThat(ended.context())
          .containsEntry("failure", "critical risk found by 'look': it drops a table");
      assertThat(house.work.resolve("looked")).doesNotExist();
      assertThat(house.work.resolve("next")).doesNotExist();
      assertThat(house.evidence(ended.id())).contains("it drops a table");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "CRITICAL, FAILED_VERIFY, 'check ''ok'': critical risk found: it drops a table'",
    "HIGH, STOPPED, stopped by the auditor of silent_failure"
  })
  void one_that_a_check_finds_rolls_back(Risk risk, String status, String failure)
      throws IOException {
    try (RunHouse house = RunHouse.with(folder, "look", finding(risk))) {
      String before = house.tree();
      Instance ended =
          house.ended(
              RunPlans.of("name: next, command: [touch, next], writes: [next]")
                  .replace("command: [\"true\"]", "handler: look"));

      assertThat(Runs.state(ended)).as("%s", ended.context()).isEqualTo("ROLLED_BACK");
      assertThat(ended.context())
          .containsEntry("final_status", status)
          .containsEntry("failure", failure);
      assertThat(house.tree()).isEqualTo(before);
    }
  }
}
