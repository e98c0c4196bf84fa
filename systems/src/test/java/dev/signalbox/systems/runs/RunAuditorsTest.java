package dev.signalbox.systems.runs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.runtime.Instance;
import dev.signalbox.services.approval.Risk;
import dev.signalbox.services.tool.HandlerTool;
import dev.signalbox.services.tool.ToolResult;
import dev.signalbox.services.tool.ToolRisk;
import dev.signalbox.services.tool.ToolStatus;
import dev.signalbox.services.tool.ToolUsage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Auditors that look beside the rules, as a plan names them. */
class RunAuditorsTest {
  private static final String NOTE = RunPlans.of("name: note, command: [touch, a], writes: [a]");

  @TempDir Path folder;

  private static Map<?, ?> verdict(RunHouse house, Instance run, String auditor) {
    return RunEntry.list(house.runs.story(run.id()).asMap().get("verdicts")).stream()
        .map(each -> (Map<?, ?>) each)
        .filter(each -> auditor.equals(each.get("auditor")))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void a_command_that_fails_stops_and_everything_is_taken_back() throws IOException {
    try (RunHouse house = RunHouse.in(folder)) {
      house.file("look.sh", "test -d \"$1/evidence\" && test \"$2\" = drift && exit 1\n");
      String before = house.tree();
      Instance ended =
          house.ended(
              RunPlans.with(
                  NOTE,
                  "auditors: { drift: { command: [sh, look.sh, '{run_folder}', '{auditor}'] } }"));

      assertThat(Runs.state(ended)).as("%s", ended.context()).isEqualTo("ROLLED_BACK");
      assertThat(ended.context())
          .containsEntry("final_status", "STOPPED")
          .containsEntry("failure", "stopped by the auditor of drift");
      assertThat(verdict(house, ended, "drift").get("verdict")).isEqualTo("STOP");
      assertThat(verdict(house, ended, "privilege").get("verdict")).isEqualTo("CLEARED");
      assertThat(house.tree()).isEqualTo(before);
    }
  }

  @Test
  void a_command_that_passes_adds_nothing() throws IOException {
    try (RunHouse house = RunHouse.in(folder)) {
      Instance ended =
          house.ended(
              RunPlans.with(
                  NOTE, "auditors: { amnesia: { command: [test, -d, '{run_folder}/evidence'] } }"));

      assertThat(ended.context()).containsEntry("final_status", "ALL_CLEAR");
    }
  }

  @Test
  void what_a_model_notes_completes_with_a_warning() throws IOException {
    Map<String, Object> given = new ConcurrentHashMap<>();
    HandlerTool.Handler model =
        (call, evidence) -> {
          given.putAll(call.arguments());
          return new ToolResult(
              ToolStatus.PASS,
              List.of(evidence.put("answer", "it reads well")),
              List.of(),
              List.of(),
              List.of(),
              List.of(new ToolRisk(Risk.MEDIUM, "the note says little")),
              List.of(),
              ToolUsage.NONE,
              null,
              "");
        };
    try (RunHouse house = RunHouse.with(folder, "model", model)) {
      Instance ended =
          house.ended(
              RunPlans.with(
                  NOTE,
                  "auditors: { hallucination: { handler: model, arguments: { tone: strict } } }"));

      assertThat(Runs.state(ended)).isEqualTo("COMPLETE");
      assertThat(ended.context()).containsEntry("final_status", "OK_WITH_WARNINGS");
      Map<?, ?> verdict = verdict(house, ended, "hallucination");
      assertThat(verdict.get("verdict")).isEqualTo("CONTAMINATED");
      assertThat(String.valueOf(verdict.get("notes"))).contains("the note says little");
      assertThat(given)
          .containsEntry("tone", "strict")
          .containsEntry("run_id", ended.id())
          .containsEntry("auditor", "hallucination");
    }
  }

  @Test
  void a_model_that_can_not_look_stops() throws IOException {
    HandlerTool.Handler model =
        (_, _) -> {
          throw new IOException("no model today");
        };
    try (RunHouse house = RunHouse.with(folder, "model", model)) {
      Instance ended =
          house.ended(RunPlans.with(NOTE, "auditors: { silent_failure: { handler: model } }"));

      assertThat(Runs.state(ended)).isEqualTo("ROLLED_BACK");
      assertThat(verdict(house, ended, "silent_failure").get("verdict")).isEqualTo("STOP");
    }
  }
}
