package dev.signalbox.systems.runs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.runtime.Instance;
import dev.signalbox.services.approval.Approval;
import dev.signalbox.systems.Values;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs of a frozen plan, on a store in a file and with real tools. */
@SuppressWarnings("NullAway.Init")
class FrozenRunTest {
  @TempDir Path temp;
  private FrozenExample example;

  @BeforeEach
  void the_example() throws Exception {
    Files.createDirectories(temp.resolve("example"));
    example = FrozenExample.in(temp.resolve("example"));
  }

  private RunHouse house() throws Exception {
    return RunHouse.in(temp, settings -> RunsSettings.in(settings.folder(), example.folder));
  }

  private static Map<String, @Nullable Object> drift(RunHouse house, String run) {
    return Values.list(house.runs.story(run).asMap().get("verdicts")).stream()
        .map(Values::map)
        .filter(verdict -> "drift".equals(verdict.get("auditor")))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void it_asks_where_the_graph_has_a_review_and_is_complete() throws Exception {
    try (RunHouse house = house()) {
      String run = house.runs.start(example.read(), RunHouse.ANN);
      List<Approval> asked = house.untilAsked(run);
      assertThat(asked).extracting(each -> each.action().name()).containsExactly("greeting.change");
      house.approve(asked.getFirst());
      Instance ended = house.untilEnd(run);

      assertThat(Runs.state(ended)).as("%s", ended.context()).isEqualTo("COMPLETE");
      assertThat(ended.context()).containsEntry("final_status", "ALL_CLEAR");
      assertThat(Values.list(ended.context().get("tools_completed")).toString())
          .isEqualTo("[greeting.lint, greeting.change, greeting.lint-2, greeting.test]");
      assertThat(example.folder.resolve("project/src/greeting.txt")).hasContent("Welcome, world");
      Map<String, ?> plan = Values.map(house.runs.story(run).asMap().get("plan"));
      assertThat(Values.map(plan.get("origin")))
          .containsEntry("run_id", "PLAN-6f1c2a")
          .containsEntry("graph_sha256", example.read().origin().get("graph_sha256"))
          .containsEntry("manifest_sha256", example.read().origin().get("manifest_sha256"));
    }
  }

  @Test
  void a_critical_action_halts_before_anything_runs() throws Exception {
    example.graph("\"risk_level\": \"medium\"", "\"risk_level\": \"critical\"");
    try (RunHouse house = house()) {
      Instance ended = house.untilEnd(house.runs.start(example.read(), RunHouse.ANN));

      assertThat(Runs.state(ended)).isEqualTo("HALTED_UNSAFE");
      assertThat(Values.list(ended.context().get("tools_completed"))).isEmpty();
    }
  }

  @Test
  void what_the_graph_says_changes_nothing_and_changes_something_is_drift() throws Exception {
    example.spoil(
        "tools.yaml",
        "    access: test                # worse than the effect 'read' of the graph, so it counts",
        "    access: write\n    writes: [src/greeting.txt]");
    example.spoil("tools.yaml", "files: 1", "files: 5");
    example.spoil(
        "project/tools/test.sh",
        "grep ', world$' src/greeting.txt",
        "echo x, world >> src/greeting.txt");
    try (RunHouse house = house()) {
      String run = house.runs.start(example.read(), RunHouse.ANN);
      house.approve(house.untilAsked(run).getFirst());
      Instance ended = house.untilEnd(run);

      assertThat(Runs.state(ended)).as("%s", ended.context()).isEqualTo("ROLLED_BACK");
      assertThat(drift(house, run).toString())
          .contains("STOP")
          .contains("effect-unplanned")
          .contains("the graph says of 'test' that it changes nothing");
    }
  }
}
