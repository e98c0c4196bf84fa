package dev.signalbox.systems.runs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.runtime.Instance;
import dev.signalbox.services.evidence.EvidenceStore;
import dev.signalbox.services.tool.ToolCall;
import dev.signalbox.services.tool.ToolResult;
import dev.signalbox.services.tool.ToolStatus;
import dev.signalbox.services.tool.ToolUsage;
import dev.signalbox.systems.runs.file.RunFiles;
import dev.signalbox.systems.runs.file.RunVerifier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tools that only read and run together. */
class RunTogetherTest {
  @TempDir Path folder;

  private static ToolResult passed(EvidenceStore evidence, String text) {
    return ToolResult.pass(List.of(evidence.put("log", text)), text);
  }

  private static String together(int many, String... tools) {
    return RunPlans.with(RunPlans.of(tools), "limits: { tools_at_a_time: %d }".formatted(many));
  }

  private static String reading(String name) {
    return "name: %1$s, handler: tool, access: read, arguments: { n: %1$s }".formatted(name);
  }

  private static void assertComplete(Instance ended) {
    assertThat(Runs.state(ended)).as("%s", ended.context()).isEqualTo("COMPLETE");
    assertThat(ended.context()).containsEntry("final_status", "ALL_CLEAR");
  }

  /** How the tools were begun and ended, attempt by attempt. */
  private static List<String> attempts(RunHouse house, String run) {
    List<String> told = new ArrayList<>();
    for (Object each : RunEntry.list(house.runs.story(run).asMap().get("tools"))) {
      Map<String, ?> tool = RunEntry.map(each);
      for (Object attempt : RunEntry.list(tool.get("attempts"))) {
        told.add(tool.get("name") + " " + RunEntry.map(attempt).get("status"));
      }
    }
    return told;
  }

  private static String statuses(RunHouse house, String run) {
    return RunEntry.list(house.runs.story(run).asMap().get("tools")).stream()
        .map(each -> String.valueOf(RunEntry.map(each).get("status")))
        .toList()
        .toString();
  }

  @Test
  void tools_that_only_read_meet_and_their_results_count_in_the_order_of_the_plan()
      throws IOException {
    CyclicBarrier barrier = new CyclicBarrier(3);
    List<String> states = new CopyOnWriteArrayList<>();
    RunHouse[] at = new RunHouse[1];
    try (RunHouse house =
        RunHouse.with(
            folder,
            "tool",
            (call, evidence) -> {
              barrier.await(20, TimeUnit.SECONDS);
              Map<String, ?> now = at[0].runs.list(null, null, true, 0, 1).getFirst().context();
              states.add(now.get("current_tool") + " " + now.get("tools_remaining"));
              states.add(statuses(at[0], String.valueOf(now.get("run_id"))));
              return passed(evidence, call.name());
            })) {
      at[0] = house;
      RunFiles files = house.files();
      Instance ended =
          house.ended(
              together(3, reading("a"), reading("b"), reading("c"), reading("d"))
                  .replace(
                      "handler: tool, access: read, arguments: { n: d }", "command: [\"true\"]"));
      files.catchUpWholly();

      assertComplete(ended);
      assertThat(ended.context()).containsEntry("tools_completed", List.of("a", "b", "c", "d"));
      assertThat(states)
          .hasSize(6)
          .containsOnly("a [a, b, c, d]", "[running, running, running, planned]");
      assertThat(attempts(house, ended.id()))
          .containsExactly("a pass", "b pass", "c pass", "d pass");
      assertThat(RunVerifier.verify(house.settings.folder().resolve(ended.id()))).isEmpty();
    }
  }

  @Test
  void what_writes_tests_or_must_not_be_repeated_has_the_folder_to_itself() throws IOException {
    Set<String> inside = ConcurrentHashMap.newKeySet();
    List<String> seen = new CopyOnWriteArrayList<>();
    CyclicBarrier pair = new CyclicBarrier(2);
    try (RunHouse house =
        RunHouse.with(
            folder,
            "tool",
            (call, evidence) -> {
              inside.add(call.name());
              if (call.name().startsWith("r")) {
                pair.await(20, TimeUnit.SECONDS);
              } else {
                seen.add(call.name() + " with " + inside);
              }
              if (call.name().startsWith("w")) {
                Files.writeString(call.folder().resolve(call.name()), "x");
              }
              inside.remove(call.name());
              return passed(evidence, call.name());
            })) {
      Instance ended =
          house.ended(
              together(
                  8,
                  reading("r1"),
                  reading("r2"),
                  "name: w1, handler: tool, writes: [w1]",
                  reading("r3"),
                  reading("r4"),
                  "name: t1, handler: tool, access: test",
                  "name: o1, handler: tool, access: read, idempotent: false",
                  "name: w2, handler: tool, writes: [w2]"));

      assertComplete(ended);
      assertThat(seen)
          .containsExactly("w1 with [w1]", "t1 with [t1]", "o1 with [o1]", "w2 with [w2]");
    }
  }

  @Test
  void without_the_limit_one_tool_runs_at_a_time() throws IOException {
    Set<String> inside = ConcurrentHashMap.newKeySet();
    List<Integer> seen = new CopyOnWriteArrayList<>();
    try (RunHouse house =
        RunHouse.with(
            folder,
            "tool",
            (call, evidence) -> {
              inside.add(call.name());
              seen.add(inside.size());
              inside.remove(call.name());
              return passed(evidence, call.name());
            })) {
      assertComplete(house.ended(RunPlans.of(reading("a"), reading("b"), reading("c"))));
      assertThat(seen).containsExactly(1, 1, 1);
    }
  }

  /** The first time the tools come to what the words say, after that they pass. */
  @ParameterizedTest
  @CsvSource({
    "pass fail pass, ROLLED_BACK, a pass; b fail, [a], 'a=1, b=1, c=1'",
    "fail pass pass, ROLLED_BACK, a fail, [], 'a=1, b=1, c=1'",
    "pass retry pass, COMPLETE, a pass; b retry; b pass; c pass, '[a, b, c]', 'a=1, b=2, c=1'",
    "retry pass pass, COMPLETE, a retry; a pass; b pass; c pass, '[a, b, c]', 'a=2, b=1, c=1'",
    "pass pass retry, COMPLETE, a pass; b pass; c retry; c pass, '[a, b, c]', 'a=1, b=1, c=2'",
    "pass fail halted, HALTED_UNSAFE, a halted, [], 'a=1, b=1, c=1'"
  })
  void what_is_not_passed_counts_as_it_would_in_sequence(
      String first, String state, String attempts, String completed, String times)
      throws IOException {
    String[] words = first.split(" ");
    Map<String, Integer> begun = new ConcurrentSkipListMap<>();
    try (RunHouse house =
        RunHouse.with(
            folder,
            "tool",
            (call, evidence) -> {
              String word =
                  begun.merge(call.name(), 1, Integer::sum) == 1
                      ? words["abc".indexOf(call.name())]
                      : "pass";
              return switch (word) {
                case "pass" -> passed(evidence, call.name());
                case "halted" -> ToolResult.of(ToolStatus.HALTED, List.of(), "unsafe");
                default -> ToolResult.fail(List.of(evidence.put("log", "no")), "no");
              };
            })) {
      List<String> tools = new ArrayList<>();
      for (String name : List.of("a", "b", "c")) {
        boolean again = words["abc".indexOf(name)].equals("retry");
        tools.add(reading(name) + (again ? ", retries: 1" : ""));
      }
      Instance ended = house.ended(together(3, tools.toArray(String[]::new)));

      assertThat(Runs.state(ended)).as("%s", ended.context()).isEqualTo(state);
      assertThat(attempts(house, ended.id())).containsExactly(attempts.split("; "));
      assertThat(ended.context().get("tools_completed")).hasToString(completed);
      assertThat(begun).hasToString("{" + times + "}");
    }
  }

  @Test
  void one_that_asks_does_so_in_its_turn_and_what_was_read_before_is_read_again_after()
      throws IOException {
    Map<String, Integer> begun = new ConcurrentHashMap<>();
    try (RunHouse house =
        RunHouse.with(
            folder,
            "tool",
            (call, evidence) -> {
              int time = begun.merge(call.name(), 1, Integer::sum);
              return call.name().equals("b") && time < 2
                  ? ToolResult.of(
                      ToolStatus.NEEDS_APPROVAL,
                      List.of(evidence.put("log", "risky")),
                      "it is risky")
                  : passed(evidence, call.name());
            })) {
      String run = house.start(together(3, reading("a"), reading("b"), reading("c")));
      var asked = house.untilAsked(run);
      assertThat(asked.getFirst().action().name()).isEqualTo("b");
      assertThat(begun).isEqualTo(Map.of("a", 1, "b", 1, "c", 1));
      house.approve(asked.getFirst());

      assertThat(Runs.state(house.untilEnd(run))).isEqualTo("COMPLETE");
      assertThat(begun).isEqualTo(Map.of("a", 1, "b", 2, "c", 2));
    }
  }

  @Test
  void what_all_of_them_use_counts_against_the_limits() throws IOException {
    try (RunHouse house =
        RunHouse.with(
            folder,
            "tool",
            (call, evidence) ->
                new ToolResult(
                    ToolStatus.PASS,
                    List.of(evidence.put("log", call.name())),
                    List.of(),
                    List.of(),
                    List.of(),
                    List.of(),
                    List.of(),
                    new ToolUsage(0, 30_000, 0),
                    null,
                    ""))) {
      Instance ended = house.ended(together(2, reading("a"), reading("b")));

      assertThat(Runs.state(ended)).isEqualTo("HALTED_UNSAFE");
      assertThat(ended.context())
          .containsEntry("tokens", 60_000L)
          .containsEntry("failure", "over a limit, with b");
    }
  }

  @Test
  void the_same_call_five_times_is_an_emergency_also_when_they_run_together() throws IOException {
    Semaphore calls = new Semaphore(0);
    try (RunHouse house =
        RunHouse.with(
            folder,
            "tool",
            (_, evidence) -> {
              calls.release();
              return passed(evidence, "again");
            })) {
      String[] tools = new String[6];
      for (int i = 0; i < tools.length; i++) {
        tools[i] = "name: poll%d, handler: tool, access: read".formatted(i);
      }
      Instance ended = house.ended(together(6, tools));

      assertThat(Runs.state(ended)).isEqualTo("HALTED_UNSAFE");
      assertThat(String.valueOf(ended.context().get("failure")))
          .contains("the same call five times, with poll4");
      assertThat(calls.availablePermits()).isEqualTo(4);
    }
  }

  @Test
  void one_that_changes_a_file_halts_the_run_which_names_all_that_had_the_folder()
      throws IOException {
    try (RunHouse house =
        RunHouse.with(
            folder,
            "tool",
            (call, evidence) -> {
              if (call.name().equals("b")) {
                Files.writeString(call.folder().resolve("sneaked"), "x");
              }
              return passed(evidence, call.name());
            })) {
      Instance ended = house.ended(together(2, reading("a"), reading("b")));

      assertThat(Runs.state(ended)).isEqualTo("HALTED_UNSAFE");
      assertThat(String.valueOf(ended.context().get("failure")))
          .contains("Expected 'a' and 'b' to read only", "sneaked");
    }
  }

  /** Tools that tell when they are inside and when they are interrupted, and never end. */
  private static final class Endless {
    final Semaphore inside = new Semaphore(0);
    final Semaphore interrupted = new Semaphore(0);

    ToolResult run(ToolCall call, EvidenceStore evidence) throws InterruptedException {
      inside.release();
      try {
        new CountDownLatch(1).await();
        return passed(evidence, call.name());
      } catch (InterruptedException e) {
        interrupted.release();
        throw e;
      }
    }
  }

  @Test
  void a_halt_ends_all_of_them() throws IOException, InterruptedException {
    Endless endless = new Endless();
    try (RunHouse house = RunHouse.with(folder, "tool", endless::run)) {
      String run = house.start(together(2, reading("a"), reading("b")));
      assertThat(endless.inside.tryAcquire(2, 30, TimeUnit.SECONDS)).isTrue();
      house.runs.halt(run, RunHouse.ANN, "enough");

      assertThat(endless.interrupted.tryAcquire(2, 30, TimeUnit.SECONDS)).isTrue();
      assertThat(Runs.state(house.untilEnd(run))).isEqualTo("HALTED_UNSAFE");
    }
  }

  @Test
  void cut_off_they_are_done_again_together_and_what_had_passed_is_not()
      throws IOException, InterruptedException {
    Endless endless = new Endless();
    String run;
    RunHouse first = RunHouse.abandoned(folder, "tool", endless::run);
    run =
        first.start(
            together(
                2,
                "name: before, command: [touch, before.txt], writes: [before.txt]",
                reading("a"),
                reading("b")));
    assertThat(endless.inside.tryAcquire(2, 30, TimeUnit.SECONDS)).isTrue();
    first.leave();

    Map<String, Integer> keys = new ConcurrentHashMap<>();
    CyclicBarrier barrier = new CyclicBarrier(2);
    try (RunHouse house =
        RunHouse.with(
            folder,
            "tool",
            (call, evidence) -> {
              keys.merge(call.key(), 1, Integer::sum);
              barrier.await(20, TimeUnit.SECONDS);
              return passed(evidence, call.name());
            })) {
      assertComplete(house.untilEnd(run));
      assertThat(keys).isEqualTo(Map.of(run + "/a/1", 1, run + "/b/1", 1));
      assertThat(attempts(house, run)).containsExactly("before pass", "a pass", "b pass");
    }
  }
}
