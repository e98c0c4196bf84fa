package dev.signalbox.systems.runs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Reply;
import dev.signalbox.services.evidence.EvidenceStore;
import dev.signalbox.services.tool.ToolResult;
import dev.signalbox.services.tool.ToolStatus;
import dev.signalbox.services.tool.ToolUsage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What tools, checks, auditors and undos use counts against the run's limits, however they end. */
class RunUsageTest {
  private static final String THINK = "name: think, handler: think, writes: [think]";

  @TempDir Path folder;

  /** What a call comes to that used a model call and so many tokens. */
  private static ToolResult used(ToolStatus status, long tokens, EvidenceStore evidence) {
    return ToolResult.of(status, List.of(evidence.put("log", "thought")), "as it was told")
        .using(new ToolUsage(1, tokens, 0));
  }

  private static void assertEnded(Instance ended, String state, String failure) {
    assertThat(Runs.state(ended)).as("%s", ended.context()).isEqualTo(state);
    assertThat(ended.context().get("failure")).isEqualTo(failure);
  }

  private static void assertUsed(Instance run, long calls, long tokens) {
    assertThat(run.context()).containsEntry("model_calls", calls).containsEntry("tokens", tokens);
  }

  @ParameterizedTest
  @CsvSource({
    "fail, 30, ROLLED_BACK, as it was told",
    "fail, 60, HALTED_UNSAFE, 'over a limit, with think'",
    "fail, 101, HALTED_UNSAFE, 'emergency halt: over twice a limit, with think'",
    "halted, 30, HALTED_UNSAFE, as it was told",
    "halted, 60, HALTED_UNSAFE, as it was told",
    "needs_approval, 60, HALTED_UNSAFE, 'over a limit, with think'"
  })
  void a_tool_that_does_not_pass_has_used_something_too(
      String status, long tokens, String state, String failure) throws IOException {
    try (RunHouse house =
        RunHouse.with(
            folder,
            "think",
            (call, evidence) -> {
              Files.writeString(call.folder().resolve("think"), "x");
              return used(ToolStatus.of(status), tokens, evidence);
            })) {
      Instance ended = house.ended(RunPlans.with(RunPlans.of(THINK), "limits: { tokens: 50 }"));

      assertEnded(ended, state, failure);
      assertUsed(ended, 1, tokens);
      assertThat(house.work.resolve("think")).doesNotExist();
    }
  }

  @Test
  void what_was_used_to_find_out_that_a_person_must_decide_counts() throws IOException {
    Map<String, Integer> begun = new ConcurrentHashMap<>();
    try (RunHouse house =
        RunHouse.with(
            folder,
            "think",
            (call, evidence) ->
                used(
                    begun.merge(call.name(), 1, Integer::sum) == 1
                        ? ToolStatus.NEEDS_APPROVAL
                        : ToolStatus.PASS,
                    30,
                    evidence))) {
      String run = house.start(RunPlans.with(RunPlans.of(THINK), "limits: { tokens: 50 }"));
      var asked = house.untilAsked(run);
      assertUsed(house.runs.run(run), 1, 30);
      house.approve(asked.getFirst());

      Instance ended = house.untilEnd(run);

      assertEnded(ended, "HALTED_UNSAFE", "over a limit, with think");
      assertUsed(ended, 2, 60);
    }
  }

  @Test
  void each_attempt_counts() throws IOException {
    try (RunHouse house =
        RunHouse.with(folder, "think", (_, evidence) -> used(ToolStatus.FAIL, 20, evidence))) {
      Instance ended =
          house.ended(RunPlans.with(RunPlans.of(THINK + ", retries: 3"), "limits: { tokens: 50 }"));

      assertEnded(ended, "HALTED_UNSAFE", "over a limit, with think");
      assertUsed(ended, 3, 60);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "pass, 30, COMPLETE, ''",
    "pass, 60, ROLLED_BACK, 'over a limit, with ok'",
    "fail, 30, ROLLED_BACK, 'check ''ok'': as it was told'"
  })
  void a_check_counts(String status, long tokens, String state, String failure) throws IOException {
    try (RunHouse house =
        RunHouse.with(
            folder, "think", (_, evidence) -> used(ToolStatus.of(status), tokens, evidence))) {
      String plan =
          RunPlans.of("name: note, command: [touch, note], writes: [note]")
              .replace("command: [\"true\"]", "handler: think");

      Instance ended = house.ended(RunPlans.with(plan, "limits: { tokens: 50 }"));

      assertEnded(ended, state, failure);
      assertUsed(ended, 1, tokens);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "pass, 30, COMPLETE, ''",
    "pass, 60, ROLLED_BACK, 'over a limit, with the auditor of drift'",
    "fail, 30, ROLLED_BACK, stopped by the auditor of drift"
  })
  void an_auditor_s_model_counts(String status, long tokens, String state, String failure)
      throws IOException {
    try (RunHouse house =
        RunHouse.with(
            folder, "think", (_, evidence) -> used(ToolStatus.of(status), tokens, evidence))) {
      String plan =
          RunPlans.with(
              RunPlans.of("name: note, command: [touch, note], writes: [note]"),
              "auditors: { drift: { handler: think } }\nlimits: { tokens: 50 }");

      Instance ended = house.ended(plan);

      assertEnded(ended, state, failure);
      assertUsed(ended, 1, tokens);
      assertThat(Files.exists(house.work.resolve("note"))).isEqualTo(state.equals("COMPLETE"));
    }
  }

  private static String together(String... names) {
    String[] tools = new String[names.length];
    for (int i = 0; i < names.length; i++) {
      tools[i] =
          "name: %1$s, handler: think, access: read, arguments: { n: %1$s }".formatted(names[i]);
    }
    return RunPlans.with(RunPlans.of(tools), "limits: { tools_at_a_time: 3, tokens: 50 }");
  }

  @ParameterizedTest
  @CsvSource({
    "a, 10, ROLLED_BACK, as it was told",
    "b, 10, ROLLED_BACK, as it was told",
    "c, 10, ROLLED_BACK, as it was told",
    "a, 20, HALTED_UNSAFE, 'over a limit, with a'",
    "b, 20, HALTED_UNSAFE, 'over a limit, with b'"
  })
  void of_tools_that_ran_together_those_count_whose_turn_never_comes(
      String failing, long tokens, String state, String failure) throws IOException {
    try (RunHouse house =
        RunHouse.with(
            folder,
            "think",
            (call, evidence) ->
                used(
                    call.name().equals(failing) ? ToolStatus.FAIL : ToolStatus.PASS,
                    tokens,
                    evidence))) {
      Instance ended = house.ended(together("a", "b", "c"));

      assertEnded(ended, state, failure);
      assertUsed(ended, 3, 3 * tokens);
    }
  }

  @Test
  void what_is_read_again_after_a_question_counts_each_time() throws IOException {
    Map<String, Integer> begun = new ConcurrentHashMap<>();
    try (RunHouse house =
        RunHouse.with(
            folder,
            "think",
            (call, evidence) ->
                used(
                    begun.merge(call.name(), 1, Integer::sum) == 1 && call.name().equals("a")
                        ? ToolStatus.NEEDS_APPROVAL
                        : ToolStatus.PASS,
                    8,
                    evidence))) {
      String run = house.start(together("a", "b", "c"));
      house.approve(house.untilAsked(run).getFirst());

      Instance ended = house.untilEnd(run);

      assertEnded(ended, "COMPLETE", "");
      assertThat(begun).isEqualTo(Map.of("a", 2, "b", 2, "c", 2));
      assertUsed(ended, 6, 48);
    }
  }

  /** A tool whose undo is the function. */
  private static String taking(String name) {
    return "name: %1$s, command: [touch, %1$s], writes: [%1$s], undo: { handler: think }"
        .formatted(name);
  }

  private static final String BAD = "name: bad, command: [\"false\"], access: read";

  @ParameterizedTest
  @CsvSource({
    "tool, pass, ROLLED_BACK, bad",
    "tool, fail, HALTED_UNSAFE, 'not undone: note: its undo ended with fail: as it was told'",
    "check, pass, ROLLED_BACK, check 'ok'",
    "check, fail, HALTED_UNSAFE, 'not undone: note: its undo ended with fail: as it was told'",
    "auditor, pass, ROLLED_BACK, stopped by the auditor of drift",
    "auditor, fail, HALTED_UNSAFE, 'not undone: note: its undo ended with fail: as it was told'",
    "person, pass, ROLLED_BACK, not today",
    "person, fail, HALTED_UNSAFE, 'not undone: note: its undo ended with fail: as it was told'"
  })
  void an_undo_counts_whatever_ends_the_run(String who, String status, String state, String failure)
      throws IOException {
    String note = taking("note");
    String plan =
        switch (who) {
          case "tool" -> RunPlans.of(note, BAD);
          case "check" -> RunPlans.of(note).replace("\"true\"", "\"false\"");
          case "auditor" ->
              RunPlans.with(RunPlans.of(note), "auditors: { drift: { command: [\"false\"] } }");
          default -> RunPlans.of(note, "name: last, command: [\"true\"], risks: [merge_to_main]");
        };
    try (RunHouse house =
        RunHouse.with(
            folder, "think", (_, evidence) -> used(ToolStatus.of(status), 30, evidence))) {
      String run = house.start(plan);
      if (who.equals("person")) {
        String asked = house.untilAsked(run).getFirst().id();
        assertThat(house.approvals.reject(asked, RunHouse.BOB, "not today"))
            .isInstanceOf(Reply.Accepted.class);
      }

      Instance ended = house.untilEnd(run);

      assertThat(Runs.state(ended)).as("%s", ended.context()).isEqualTo(state);
      assertThat(String.valueOf(ended.context().get("failure"))).contains(failure);
      assertUsed(ended, 1, 30);
      List<?> rollback = RunEntry.list(house.runs.story(run).asMap().get("rollback"));
      assertThat(RunEntry.map(rollback.getFirst()))
          .containsEntry("model_calls", 1L)
          .containsEntry("tokens", 30L);
    }
  }

  @Test
  void after_an_undo_that_is_over_a_limit_nothing_more_is_undone() throws IOException {
    try (RunHouse house =
        RunHouse.with(folder, "think", (_, evidence) -> used(ToolStatus.PASS, 60, evidence))) {
      Instance ended =
          house.ended(
              RunPlans.with(RunPlans.of(taking("a"), taking("b"), BAD), "limits: { tokens: 50 }"));

      assertEnded(ended, "HALTED_UNSAFE", "not undone: a: over a limit, with the undo of b");
      assertUsed(ended, 1, 60);
      assertThat(ended.context()).containsEntry("undo_remaining", List.of("a"));
      assertThat(house.work.resolve("a")).exists();
      assertThat(house.work.resolve("b")).doesNotExist();
    }
  }

  @Test
  void what_is_undone_to_the_end_is_rolled_back_though_the_last_undo_is_over_a_limit()
      throws IOException {
    try (RunHouse house =
        RunHouse.with(folder, "think", (_, evidence) -> used(ToolStatus.PASS, 60, evidence))) {
      Instance ended =
          house.ended(RunPlans.with(RunPlans.of(taking("a"), BAD), "limits: { tokens: 50 }"));

      assertThat(Runs.state(ended)).as("%s", ended.context()).isEqualTo("ROLLED_BACK");
      assertUsed(ended, 1, 60);
      assertThat(house.work.resolve("a")).doesNotExist();
    }
  }

  @Test
  void an_undo_that_passed_is_done_and_counted_once_though_the_backup_does_not_fit()
      throws IOException {
    Map<String, Integer> begun = new ConcurrentHashMap<>();
    try (RunHouse house =
        RunHouse.with(
            folder,
            "think",
            (call, evidence) -> {
              begun.merge(call.name(), 1, Integer::sum);
              Files.writeString(call.folder().resolve("a"), "somebody else's");
              return used(ToolStatus.PASS, 10, evidence);
            })) {
      Instance ended = house.ended(RunPlans.of(taking("a"), BAD));

      assertThat(Runs.state(ended)).isEqualTo("HALTED_UNSAFE");
      assertThat(String.valueOf(ended.context().get("failure"))).startsWith("not undone: a: ");
      assertThat(begun.values()).containsExactly(1);
      assertUsed(ended, 1, 10);
    }
  }
}
