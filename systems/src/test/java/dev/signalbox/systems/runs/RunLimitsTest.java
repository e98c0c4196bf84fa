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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runs that use too much, fail too often or touch what they must not: they halt and keep all. */
class RunLimitsTest {
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
    try (RunHouse house =
        RunHouse.in(folder, settings -> settings.handler("think", using(usage)))) {
      String run =
          house.start(
              """
              project: demo
              limits: { %s: 2 }
              tools:
                - { name: think, handler: think, writes: [think] }
                - { name: never, command: [touch, never], writes: [never] }
              checks:
                - { name: ok, command: ["true"] }
              """
                  .formatted(limit));

      Instance ended = house.untilEnd(run);

      assertThat(Runs.state(ended)).isEqualTo("HALTED_UNSAFE");
      assertThat(ended.context()).containsEntry("failure", failure);
      assertThat(house.work.resolve("think")).exists();
      assertThat(house.work.resolve("never")).doesNotExist();
      assertThat(house.evidence(run)).contains("thought");
    }
  }

  @Test
  void exactly_at_its_limits_a_run_goes_on() throws IOException {
    ToolUsage usage = new ToolUsage(2, 2, 2);
    try (RunHouse house =
        RunHouse.in(folder, settings -> settings.handler("think", using(usage)))) {
      String run =
          house.start(
              """
              project: demo
              limits: { model_calls: 2, tokens: 2, files: 2 }
              tools:
                - { name: think, handler: think, writes: [think] }
              checks:
                - { name: ok, command: ["true"] }
              """);

      assertThat(Runs.state(house.untilEnd(run))).isEqualTo("COMPLETE");
    }
  }

  @Test
  void when_more_than_half_of_ten_calls_failed_it_is_an_emergency() throws IOException {
    AtomicInteger calls = new AtomicInteger();
    try (RunHouse house =
        RunHouse.in(
            folder,
            settings ->
                settings.handler(
                    "flaky",
                    // Each tool fails twice and passes then: of ten calls, seven fail.
                    (_, evidence) ->
                        calls.incrementAndGet() % 3 != 0
                            ? ToolResult.fail(List.of(evidence.put("log", "no")), "no")
                            : ToolResult.pass(List.of(evidence.put("log", "yes")), "yes")))) {
      StringBuilder plan = new StringBuilder("project: demo\ntools:\n");
      for (int i = 1; i <= 5; i++) {
        plan.append("  - { name: t%d, handler: flaky, access: read, retries: 2,".formatted(i))
            .append(" arguments: { n: %d } }\n".formatted(i));
      }
      String run = house.start(plan + "checks:\n  - { name: ok, command: [\"true\"] }\n");

      Instance ended = house.untilEnd(run);

      assertThat(Runs.state(ended)).isEqualTo("HALTED_UNSAFE");
      assertThat(ended.context())
          .containsEntry(
              "failure", "emergency halt: more than half of the calls failed, the last one t4");
      assertThat(calls).hasValue(10);
    }
  }

  @Test
  void production_is_not_touched_by_what_the_policy_would_let_pass_without_a_person()
      throws IOException {
    // Whoever runs this has thrown the rules of the environments away.
    Policy lax = new Policy(List.of());
    try (RunHouse house = RunHouse.in(folder, settings -> settings.policy(lax))) {
      String run =
          house.start(
              """
              project: demo
              environment: prod
              tools:
                - { name: touch, command: [touch, a], writes: [a] }
              checks:
                - { name: ok, command: ["true"], access: read }
              """);

      Instance ended = house.untilEnd(run);

      assertThat(Runs.state(ended)).isEqualTo("HALTED_UNSAFE");
      assertThat(ended.context())
          .containsEntry(
              "failure", "emergency halt: production would be touched without approval, by touch");
      assertThat(house.work.resolve("a")).doesNotExist();
    }
  }

  @Test
  void production_is_touched_when_a_person_has_approved_it() throws IOException {
    try (RunHouse house = RunHouse.in(folder)) {
      String run =
          house.start(
              """
              project: demo
              environment: prod
              tools:
                - { name: touch, command: [touch, a], writes: [a] }
              checks:
                - { name: ok, command: ["true"], access: read }
              """);
      house.approve(house.untilAsked(run).getFirst());

      assertThat(Runs.state(house.untilEnd(run))).isEqualTo("COMPLETE");
      assertThat(house.work.resolve("a")).exists();
    }
  }

  @Test
  void the_same_call_five_times_is_an_emergency() throws IOException {
    AtomicInteger calls = new AtomicInteger();
    try (RunHouse house =
        RunHouse.in(
            folder,
            settings ->
                settings.handler(
                    "poll",
                    (_, evidence) -> {
                      calls.incrementAndGet();
                      return ToolResult.pass(List.of(evidence.put("log", "again")), "again");
                    }))) {
      StringBuilder plan = new StringBuilder("project: demo\ntools:\n");
      for (int i = 1; i <= 6; i++) {
        plan.append("  - { name: poll").append(i).append(", handler: poll, access: read }\n");
      }
      String run = house.start(plan + "checks:\n  - { name: ok, command: [\"true\"] }\n");

      Instance ended = house.untilEnd(run);

      assertThat(Runs.state(ended)).isEqualTo("HALTED_UNSAFE");
      assertThat(String.valueOf(ended.context().get("failure")))
          .startsWith("emergency halt: the same call five times");
      assertThat(calls).hasValue(4);
    }
  }

  @Test
  void files_that_a_tool_really_changed_count() throws IOException {
    try (RunHouse house = RunHouse.in(folder)) {
      String run =
          house.start(
              """
              project: demo
              limits: { files: 1 }
              tools:
                - { name: two, command: [touch, a, b], writes: [a, b] }
                - { name: never, command: [touch, c], writes: [c] }
              checks:
                - { name: ok, command: ["true"] }
              """);

      Instance ended = house.untilEnd(run);

      assertThat(Runs.state(ended)).isEqualTo("HALTED_UNSAFE");
      assertThat(ended.context()).containsEntry("failure", "over a limit, with two");
      assertThat(house.work.resolve("a")).exists();
      assertThat(house.work.resolve("c")).doesNotExist();
    }
  }

  @Test
  void a_tool_that_says_it_reads_and_writes_halts_the_run() throws IOException {
    try (RunHouse house = RunHouse.in(folder)) {
      String run =
          house.start(
              """
              project: demo
              environment: prod
              tools:
                - { name: sneak, command: [touch, a], access: read }
              checks:
                - { name: ok, command: ["true"], access: read }
              """);

      Instance ended = house.untilEnd(run);

      assertThat(Runs.state(ended)).isEqualTo("HALTED_UNSAFE");
      assertThat(String.valueOf(ended.context().get("failure"))).contains("production was touched");
    }
  }
}
