package dev.signalbox.systems.runs;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import dev.signalbox.definition.Json;
import dev.signalbox.definition.Source;
import dev.signalbox.kernel.machine.Durations;
import dev.signalbox.runtime.Instance;
import dev.signalbox.services.approval.Approval;
import dev.signalbox.systems.RunRows;
import dev.signalbox.systems.Values;
import dev.signalbox.systems.runs.file.ReaderProcess;
import dev.signalbox.systems.runs.file.RunFiles;
import dev.signalbox.systems.runs.file.RunVerifier;
import dev.signalbox.testkit.ManualClock;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * {@code RUN_STATE.json} of runs that really happen: tools that are processes, in a folder, with
 * people who answer, to each of their ends.
 */
class RunStateTest {
  /** The example of the source, as it stands there. */
  private static final String EXAMPLE =
      """
      {
        "run_id": "RUN-PROJECT-20260131-120000",
        "project_id": "PROJECT",
        "current_state": "EXECUTING",
        "previous_state": "PLANNING",
        "state_history": [
          {"state": "INIT", "entered_at": "2026-01-31T12:00:00Z", "exited_at": "2026-01-31T12:00:01Z"},
          {"state": "PLANNING", "entered_at": "2026-01-31T12:00:01Z", "exited_at": "2026-01-31T12:00:05Z"},
          {"state": "EXECUTING", "entered_at": "2026-01-31T12:00:05Z", "exited_at": null}
        ],
        "tools_planned": ["tool_inspector", "tool_browser", "tool_reporter"],
        "tools_completed": ["tool_inspector"],
        "tools_remaining": ["tool_browser", "tool_reporter"],
        "current_tool": "tool_browser",
        "approvals_pending": [],
        "approvals_granted": [],
        "created_at": "2026-01-31T12:00:00Z",
        "updated_at": "2026-01-31T12:00:30Z"
      }
      """;

  private static final String PLAN =
      """
      project: demo
      tools:
        - { name: look, command: [cat, notes.txt], access: read }
        - { name: note, command: [cp, notes.txt, copy.txt], writes: [copy.txt] }
        - { name: merge, command: [cp, copy.txt, merged.txt], risks: [merge_to_main], writes: [merged.txt] }
      checks:
        - { name: there, command: [test, -f, merged.txt] }
      """;

  /** One that changes nothing. */
  private static final String READING =
      """
      project: demo
      tools:
        - { name: look, command: [cat, notes.txt], access: read }
      checks:
        - { name: there, command: [test, -f, notes.txt] }
      """;

  private static final String NOT_UNDONE =
      PLAN.replace("writes: [copy.txt]", "writes: [copy.txt], undo: { command: [\"false\"] }");

  private static final String HAPPY =
      "INIT PLANNING EXECUTING AWAITING_APPROVAL EXECUTING VERIFYING AUDITING";

  /** The ends of a run, with the states that lead there. */
  enum Ending {
    COMPLETE(PLAN, HAPPY + " COMPLETE"),
    PLAN_APPROVED(PLAN.replace("tools:", "approval: person\ntools:"), HAPPY + " COMPLETE"),
    REJECTED(PLAN, "INIT PLANNING EXECUTING AWAITING_APPROVAL ROLLED_BACK"),
    ESCALATED(PLAN, "INIT PLANNING EXECUTING AWAITING_APPROVAL HALTED_UNSAFE"),
    CHANGED_AFTER_APPROVAL(
        PLAN.replace("[cp, copy.txt", "[sh, merge.sh, copy.txt"),
        "INIT PLANNING EXECUTING" + " AWAITING_APPROVAL EXECUTING".repeat(4) + " HALTED_UNSAFE"),
    TOOL_FAILED(
        PLAN.replace("[cp, copy.txt", "[cp, no"),
        "INIT PLANNING EXECUTING AWAITING_APPROVAL EXECUTING ROLLED_BACK"),
    TESTS_FAILED(
        PLAN.replace("test, -f", "test, -d"),
        "INIT PLANNING EXECUTING AWAITING_APPROVAL EXECUTING VERIFYING ROLLED_BACK"),
    AUDIT_FAILED(
        PLAN.replace("writes: [merged.txt]", "writes: [other.txt]"), HAPPY + " ROLLED_BACK"),
    UNDO_FAILED(
        NOT_UNDONE.replace("test, -f", "test, -d"),
        "INIT PLANNING EXECUTING AWAITING_APPROVAL EXECUTING VERIFYING HALTED_UNSAFE"),
    OVER_A_LIMIT(
        PLAN.replace("tools:", "limits: { files: 0 }\ntools:"),
        "INIT PLANNING EXECUTING HALTED_UNSAFE"),
    CRITICAL_PLAN(PLAN.replace("[cat, notes.txt]", "[rm, -rf, /]"), "INIT PLANNING HALTED_UNSAFE"),
    TOOL_FAILED_AND_UNDO_TOO(
        NOT_UNDONE.replace("[cp, copy.txt", "[cp, no"),
        "INIT PLANNING EXECUTING AWAITING_APPROVAL EXECUTING HALTED_UNSAFE"),
    REJECTED_AND_NOT_UNDONE(NOT_UNDONE, "INIT PLANNING EXECUTING AWAITING_APPROVAL HALTED_UNSAFE"),
    AUDIT_FAILED_AND_NOT_UNDONE(
        NOT_UNDONE.replace("writes: [merged.txt]", "writes: [other.txt]"),
        HAPPY + " HALTED_UNSAFE"),
    NOT_BEGUN_IN_TIME(PLAN, "INIT HALTED_UNSAFE", "runs.begin", "60s"),
    NOT_PLANNED_IN_TIME(PLAN, "INIT PLANNING HALTED_UNSAFE", "runs.plan", "5m"),
    NOT_EXECUTED_IN_TIME(PLAN, "INIT PLANNING EXECUTING HALTED_UNSAFE", "runs.tool", "30m"),
    NOT_ANSWERED_IN_TIME(
        PLAN, "INIT PLANNING EXECUTING AWAITING_APPROVAL HALTED_UNSAFE", "nothing", "24h"),
    NOT_VERIFIED_IN_TIME(
        READING, "INIT PLANNING EXECUTING VERIFYING ROLLED_BACK", "runs.check", "10m"),
    NOT_VERIFIED_IN_TIME_AND_UNDONE(
        PLAN,
        "INIT PLANNING EXECUTING AWAITING_APPROVAL EXECUTING VERIFYING ROLLED_BACK",
        "runs.check",
        "10m"),
    NOT_AUDITED_IN_TIME(
        READING, "INIT PLANNING EXECUTING VERIFYING AUDITING ROLLED_BACK", "runs.audit", "15m");

    private final String plan;
    private final List<String> states;
    private final String stuck;
    private final Duration time;

    Ending(String plan, String states) {
      this(plan, states, "", "0s");
    }

    /** One in which an effect never ends and the time of the state before the last runs out. */
    Ending(String plan, String states, String stuck, String time) {
      this.plan = plan;
      this.states = List.of(states.split(" ", -1));
      this.stuck = stuck;
      this.time = Durations.parse(time).orElseThrow();
    }

    /** Starts it there, and does what people and the clock do until it has ended. */
    String take(RunHouse house, ManualClock clock, Path work) throws IOException {
      Files.writeString(work.resolve("notes.txt"), "one\n");
      Files.writeString(work.resolve("merge.sh"), "exit 0\n");
      house.stuck.add(stuck);
      String run =
          house.runs.start(PlanReader.read(new Source("plan.yaml", plan), work), RunHouse.ANN);
      answer(house, run, work);
      if (!stuck.isEmpty()) {
        house.until(run, i -> Runs.state(i).equals(states.get(states.size() - 2)));
        clock.advance(time);
      }
      house.untilEnd(run);
      house.stuck.remove(stuck);
      return run;
    }

    private void answer(RunHouse house, String run, Path work) throws IOException {
      if (this == PLAN_APPROVED) {
        Instance planning = house.until(run, i -> !plan(i).isEmpty());
        house.approve(house.approvals.approval(plan(planning)));
      }
      if (states.contains("AWAITING_APPROVAL")) {
        Approval asked = house.untilAsked(run).getFirst();
        switch (this) {
          case NOT_ANSWERED_IN_TIME -> {}
          case REJECTED, REJECTED_AND_NOT_UNDONE ->
              house.approvals.reject(asked.id(), RunHouse.BOB, "not today");
          case ESCALATED -> house.approvals.escalate(asked.id(), RunHouse.BOB, "not mine");
          case CHANGED_AFTER_APPROVAL -> {
            for (int times = 1; times <= 4; times++) {
              int answered = times - 1;
              house.until(
                  run, i -> RunEntry.list(i.context().get("approvals_granted")).size() == answered);
              Approval one = house.untilAsked(run).getFirst();
              Files.writeString(work.resolve("merge.sh"), "exit 0" + " ".repeat(times) + "\n");
              house.approve(one);
            }
          }
          default -> house.approve(asked);
        }
      }
    }

    private static String plan(Instance run) {
      return String.valueOf(run.context().get("plan_approval"));
    }
  }

  @TempDir Path folder;

  @ParameterizedTest
  @EnumSource
  void after_every_entry_it_has_exactly_the_fields_of_the_source(Ending ending) throws Exception {
    Schema schema = schema();
    assertThat(schema.validate(EXAMPLE, InputFormat.JSON)).isEmpty();
    List<String> states = new ArrayList<>();
    ManualClock clock = new ManualClock();
    try (RunHouse house = RunHouse.in(folder, settings -> settings, clock);
        RunFiles files = house.files()) {
      String run = ending.take(house, clock, house.work);

      Path own = house.settings.folder().resolve(run);
      Path file = own.resolve("RUN_STATE.json");
      String seen = "";
      for (boolean more = true; more; ) {
        more = files.catchUp(1);
        String text = Files.exists(file) ? Files.readString(file) : "";
        if (!text.equals(seen)) {
          seen = text;
          assertThat(schema.validate(text, InputFormat.JSON)).as(text).isEmpty();
          assertSameFields(parsed(EXAMPLE), parsed(text));
          assertThat(RunVerifier.verify(own)).as(text).isEmpty();
          String state = String.valueOf(parsed(text).get("current_state"));
          if (states.isEmpty() || !states.getLast().equals(state)) {
            states.add(state);
          }
        }
      }
      assertThat(states).isEqualTo(ending.states);
      assertThat(states.getLast()).isEqualTo(Runs.state(house.runs.run(run)));
    }
  }

  @Test
  void a_reader_never_sees_a_part_of_it_while_runs_take_every_row_of_the_table() throws Exception {
    ManualClock clock = new ManualClock();
    Set<String> rows = new LinkedHashSet<>();
    try (RunHouse house = RunHouse.in(folder, settings -> settings, clock)) {
      Files.createDirectories(house.settings.folder());
      try (ReaderProcess reader = ReaderProcess.of(house.settings.folder())) {
        for (int round = 0; round < Integer.getInteger("run.state.rounds", 1); round++) {
          for (Ending ending : Ending.values()) {
            Path work = Files.createDirectory(house.work.resolve(ending.name() + round));
            String run = ending.take(house, clock, work);
            rows.addAll(RunRows.taken(house.box.history(run, 1, 1_000)));
          }
        }
        // Each run goes through several states, and several entries in most of them.
        assertThat(reader.states()).isGreaterThan(3L * Ending.values().length);
      }
    }
    assertThat(rows).isEqualTo(RunRows.all());
  }

  /** The same names in the same order, also inside the history. */
  private static void assertSameFields(Map<?, ?> example, Map<?, ?> state) {
    assertThat(List.copyOf(state.keySet())).isEqualTo(List.copyOf(example.keySet()));
    List<?> visit = names(Values.list(example.get("state_history")).getFirst());
    for (Object each : Values.list(state.get("state_history"))) {
      assertThat(names(each)).isEqualTo(visit);
    }
  }

  private static List<?> names(Object visit) {
    return List.copyOf(((Map<?, ?>) visit).keySet());
  }

  private static Map<?, ?> parsed(String text) throws Json.SyntaxException {
    return (Map<?, ?>) Objects.requireNonNull(Json.parse(text));
  }

  private static Schema schema() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(
            RunFiles.class.getResourceAsStream(
                "/dev/signalbox/systems/runs/file/run-state.schema.json"))) {
      return SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
          .getSchema(new String(in.readAllBytes(), StandardCharsets.UTF_8), InputFormat.JSON);
    }
  }
}
