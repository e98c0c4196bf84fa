package dev.signalbox.systems.runs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.runtime.Instance;
import dev.signalbox.services.tool.HandlerTool;
import dev.signalbox.services.tool.ToolResult;
import dev.signalbox.services.tool.ToolStatus;
import dev.signalbox.services.tool.ToolUsage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runs that use too much, fail too often or touch what they must not: they halt and keep all. */
class RunLimitsTest {
  private static final String TOUCH =
      RunPlans.with(
          RunPlans.of("name: touch, command: [touch, a], writes: [a]"), "environment: prod");

  @TempDir Path folder;

  private static HandlerTool.Handler using(ToolUsage usage) {
    return (call, evidence) -> {
      Files.writeString(call.folder().resolve(call.name()), "x");
      return new ToolResult(
          ToolStatus.PASS,
          List.of(evidence.put("log", "thought")),
          List.of(),
          List.of(),
          List.of(),
          List.of(),
          List.of(),
          usage,
          null,
          "");
    };
  }

  /** A plan with limits, of a tool that uses something and one that comes after it. */
  private static String limited(String limits) {
    return RunPlans.with(
        RunPlans.of(
            "name: think, handler: think, writes: [think]",
            "name: never, command: [touch, never], writes: [never]"),
        "limits: { %s }".formatted(limits));
  }

  private static Instance assertHalted(RunHouse house, String plan, String failure) {
    Instance ended = house.ended(plan);
    assertThat(Runs.state(ended)).isEqualTo("HALTED_UNSAFE");
    assertThat(String.valueOf(ended.context().get("failure"))).contains(failure);
    return ended;
  }

  @ParameterizedTest
  @CsvSource({
    "model_calls, 3, 0, 0, 'over a limit, with think'",
    "tokens, 0, 3, 0, 'over a limit, with think'",
    "files, 0, 0, 3, 'over a limit, with think'",
    "model_calls, 5, 0, 0, 'emergency halt: over twice a limit, with think'",
    "tokens, 0, 5, 0, 'emergency halt: over twice a limit, with think'",
    "files, 0, 0, 5, 'emergency halt: over twice a limit, with think'"
  })
  void over_each_limit_and_over_twice_of_it_a_run_halts_and_rolls_nothing_back(
      String limit, long calls, long tokens, long files, String failure) throws IOException {
    ToolUsage usage = new ToolUsage(calls, tokens, files);
    try (RunHouse house = RunHouse.with(folder, "think", using(usage))) {
      Instance ended = assertHalted(house, limited("%s: 2".formatted(limit)), failure);

      assertThat(house.work.resolve("think")).exists();
      assertThat(house.work.resolve("never")).doesNotExist();
      assertThat(house.evidence(ended.id())).contains("thought");
    }
  }

  @Test
  void exactly_at_its_limits_a_run_goes_on() throws IOException {
    ToolUsage usage = new ToolUsage(2, 2, 2);
    try (RunHouse house = RunHouse.with(folder, "think", using(usage))) {
      Instance ended = house.ended(limited("model_calls: 2, tokens: 2, files: 3"));

      assertThat(Runs.state(ended)).as("%s", ended.context()).isEqualTo("COMPLETE");
    }
  }

  @Test
  void when_more_than_half_of_ten_calls_failed_it_is_an_emergency() throws IOException {
    AtomicInteger calls = new AtomicInteger();
    // Each tool fails twice and passes then: of ten calls, seven fail.
    HandlerTool.Handler flaky =
        (_, evidence) ->
            calls.incrementAndGet() % 3 != 0
                ? ToolResult.fail(List.of(evidence.put("log", "no")), "no")
                : ToolResult.pass(List.of(evidence.put("log", "yes")), "yes");
    try (RunHouse house = RunHouse.with(folder, "flaky", flaky)) {
      String[] tools =
          IntStream.rangeClosed(1, 5)
              .mapToObj(
                  "name: t%1$d, handler: flaky, access: read, retries: 2, arguments: { n: %1$d }"
                      ::formatted)
              .toArray(String[]::new);

      assertHalted(
          house,
          RunPlans.of(tools),
          "emergency halt: more than half of the calls failed, the last one t4");
      assertThat(calls).hasValue(10);
    }
  }

  @Test
  void production_is_not_touched_by_what_the_policy_would_let_pass_without_a_person()
      throws IOException {
    // Whoever runs this has thrown the rules of the environments away.
    Policy lax = new Policy(List.of());
    try (RunHouse house = RunHouse.in(folder, settings -> settings.policy(lax))) {
      assertHalted(
          house, TOUCH, "emergency halt: production would be touched without approval, by touch");
      assertThat(house.work.resolve("a")).doesNotExist();
    }
  }

  @Test
  void production_is_touched_when_a_person_has_approved_it() throws IOException {
    try (RunHouse house = RunHouse.in(folder)) {
      String run = house.start(TOUCH);
      house.approve(house.untilAsked(run).getFirst());

      assertThat(Runs.state(house.untilEnd(run))).isEqualTo("COMPLETE");
      assertThat(house.work.resolve("a")).exists();
    }
  }

  @Test
  void the_same_call_five_times_is_an_emergency() throws IOException {
    AtomicInteger calls = new AtomicInteger();
    HandlerTool.Handler poll =
        (_, evidence) -> {
          calls.incrementAndGet();
          return ToolResult.pass(List.of(evidence.put("log", "again")), "again");
        };
    try (RunHouse house = RunHouse.with(folder, "poll", poll)) {
      String[] tools =
          IntStream.rangeClosed(1, 6)
              .mapToObj("name: poll%d, handler: poll, access: read"::formatted)
              .toArray(String[]::new);

      assertHalted(house, RunPlans.of(tools), "emergency halt: the same call five times");
      assertThat(calls).hasValue(4);
    }
  }

  @Test
  void files_that_a_tool_really_changed_count() throws IOException {
    try (RunHouse house = RunHouse.in(folder)) {
      String plan =
          RunPlans.of(
              "name: two, command: [touch, a, b], writes: [a, b]",
              "name: never, command: [touch, c], writes: [c]");

      assertHalted(house, RunPlans.with(plan, "limits: { files: 1 }"), "over a limit, with two");
      assertThat(house.work.resolve("a")).exists();
      assertThat(house.work.resolve("c")).doesNotExist();
    }
  }

  @Test
  void a_tool_that_says_it_reads_can_not_write() throws IOException {
    try (RunHouse house = RunHouse.in(folder)) {
      String plan = RunPlans.of("name: sneak, command: [touch, a], access: read");

      Instance ended = house.ended(RunPlans.with(plan, "environment: prod"));

      assertThat(Runs.state(ended)).isEqualTo("ROLLED_BACK");
      assertThat(String.valueOf(ended.context().get("failure"))).contains("'sneak' exited with 1");
      assertThat(house.work.resolve("a")).doesNotExist();
    }
  }

  @Test
  void a_tool_that_says_it_reads_and_writes_halts_the_run_where_nothing_keeps_it()
      throws IOException {
    try (RunHouse house = RunHouse.unconfined(folder)) {
      String plan = RunPlans.of("name: sneak, command: [touch, a], access: read");

      assertHalted(house, RunPlans.with(plan, "environment: prod"), "production was touched");
    }
  }
}
