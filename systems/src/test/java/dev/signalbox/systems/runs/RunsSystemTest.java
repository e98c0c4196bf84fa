package dev.signalbox.systems.runs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.approval.Approval;
import dev.signalbox.services.approval.Approvals;
import dev.signalbox.services.approval.Outcome;
import dev.signalbox.services.tool.ToolResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs from their plans to their ends, with real processes in a real folder on a real file. */
class RunsSystemTest {
  @TempDir Path folder;

  private static final String PLAN =
      """
      project: demo
      tools:
        - { name: look, command: [cat, notes.txt], access: read }
        - { name: note, command: [cp, notes.txt, copy.txt], writes: [copy.txt] }
      checks:
        - { name: there, command: [test, -f, copy.txt] }
      """;

  @Test
  void a_run_that_passes_everything_is_complete() throws IOException {
    try (RunHouse house = RunHouse.in(folder)) {
      house.file("notes.txt", "one\n");
      String run = house.start(PLAN);

      Instance ended = house.untilEnd(run);

      assertThat(Runs.state(ended)).as("%s", ended.context()).isEqualTo("COMPLETE");
      assertThat(run).matches("RUN-DEMO-\\d{8}-\\d{6}");
      assertThat(ended.context()).containsEntry("tools_completed", List.of("look", "note"));
      assertThat(house.work.resolve("copy.txt")).hasContent("one");
      Map<String, ?> story = house.runs.story(run).asMap();
      assertThat((List<?>) story.get("verdicts")).hasSize(5);
      assertThat((List<?>) story.get("tools")).hasSize(2);
    }
  }

  @Test
  void a_failed_tool_takes_everything_back_in_reverse_order() throws IOException {
    try (RunHouse house = RunHouse.in(folder)) {
      house.file("notes.txt", "one\n");
      String before = house.tree();
      String run =
          house.start(
              """
              project: demo
              tools:
                - { name: note, command: [cp, notes.txt, copy.txt], writes: [copy.txt] }
                - { name: more, command: [sh, -c, "echo two >> copy.txt; ln -s copy.txt link"], writes: [copy.txt, link] }
                - { name: fail, command: [sh, -c, "echo three > notes.txt; exit 3"], writes: [notes.txt] }
              checks:
                - { name: there, command: [test, -f, copy.txt] }
              """);

      Instance ended = house.untilEnd(run);

      assertThat(Runs.state(ended)).as("%s", ended.context()).isEqualTo("ROLLED_BACK");
      assertThat(ended.context()).containsEntry("final_status", "FAILED");
      assertThat(house.tree()).isEqualTo(before).isEqualTo(ended.context().get("tree_before"));
      assertThat(steps(house, run)).containsExactly("fail", "more", "note");
    }
  }

  private static List<String> steps(RunHouse house, String run) {
    return RunEntry.list(house.runs.story(run).asMap().get("rollback")).stream()
        .map(step -> String.valueOf(((Map<?, ?>) step).get("step")))
        .toList();
  }

  @Test
  void an_undo_that_fails_halts_the_run_and_says_which() throws IOException {
    try (RunHouse house = RunHouse.in(folder)) {
      house.file("notes.txt", "one\n");
      String run =
          house.start(
              """
              project: demo
              tools:
                - name: note
                  command: [cp, notes.txt, copy.txt]
                  writes: [copy.txt]
                  undo: { command: ["false"] }
                - { name: more, command: [touch, more.txt], writes: [more.txt] }
              checks:
                - { name: never, command: ["false"] }
              """);

      Instance ended = house.untilEnd(run);

      assertThat(Runs.state(ended)).isEqualTo("HALTED_UNSAFE");
      assertThat(String.valueOf(ended.context().get("failure")))
          .startsWith("not undone: note: its undo ended with fail");
      assertThat(house.work.resolve("more.txt")).doesNotExist();
    }
  }

  @Test
  void a_risky_tool_runs_when_a_person_has_approved_it() throws IOException {
    try (RunHouse house = RunHouse.merging(folder)) {
      String run = house.start(RunPlans.MERGE);
      Approval asked = house.untilAsked(run).getFirst();
      assertThat(house.work.resolve("merged.txt")).doesNotExist();
      assertThat(asked.action().subject()).isEqualTo(run);

      house.approve(asked);

      assertThat(Runs.state(house.untilEnd(run))).isEqualTo("COMPLETE");
      assertThat(house.work.resolve("merged.txt")).hasContent("topic");
      assertThat(house.approvals.approval(asked.id()).state()).isEqualTo("EXECUTED");
    }
  }

  @Test
  void what_differs_in_one_byte_from_what_was_approved_does_not_run() throws IOException {
    try (RunHouse house = RunHouse.merging(folder)) {
      String run = house.start(RunPlans.MERGE);
      Approval asked = house.untilAsked(run).getFirst();
      house.file("merge.sh", "echo $1 > merged.txT\n");

      house.approve(asked);
      house.until(run, i -> Long.valueOf(2).equals(i.context().get("asked_times")));

      assertThat(house.untilAsked(run).getFirst().digest()).isNotEqualTo(asked.digest());
      assertThat(house.work.resolve("merged.txT")).doesNotExist();
      assertThat(house.approvals.approval(asked.id()).outcome()).isEqualTo(Outcome.ORPHANED);
    }
  }

  @Test
  void arguments_that_were_changed_in_the_store_after_the_approval_do_not_run() throws Exception {
    RunHouse first = RunHouse.merging(folder);
    String run = first.start(RunPlans.MERGE);
    Approval asked = first.untilAsked(run).getFirst();
    first.leave();
    // A person approves while nobody does the work.
    try (Signalbox box = Signalbox.open("jdbc:sqlite:" + folder.resolve("box.db"))) {
      Approvals.on(box).approve(asked.id(), RunHouse.BOB, asked.digest());
      for (int looks = 0; looks < 1_000 && !isExecuting(box, run); looks++) {
        java.util.concurrent.locks.LockSupport.parkNanos(1_000_000);
      }
      assertThat(isExecuting(box, run)).isTrue();
    }
    try (Connection store = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("box.db"));
        PreparedStatement change =
            store.prepareStatement(
                "update instance set snapshot = cast(replace(cast(snapshot as text),"
                    + " '\"branch\":\"topic\"', '\"branch\":\"topiC\"') as blob) where id = ?")) {
      change.setString(1, run);
      assertThat(change.executeUpdate()).isEqualTo(1);
    }

    RunHouse second = RunHouse.in(folder);
    Instance ended = second.untilEnd(run);

    assertThat(Runs.state(ended)).isEqualTo("HALTED_UNSAFE");
    assertThat(String.valueOf(ended.context().get("failure"))).contains("this is another action");
    assertThat(second.work.resolve("merged.txt")).doesNotExist();
    assertThat(second.approvals.approval(asked.id()).state()).isEqualTo("ABORTED");
    second.leave();
  }

  private static boolean isExecuting(Signalbox box, String run) {
    return Runs.state(box.instance(run)).equals("EXECUTING");
  }

  @Test
  void an_id_that_leads_elsewhere_gets_no_folder() throws IOException {
    try (RunHouse house = RunHouse.in(folder)) {
      assertThat(
              house.box.submit(
                  new Command.Start(Runs.MACHINE, "../RUN-X-1", Map.of(), Actor.SYSTEM, null)))
          .isInstanceOf(Reply.Accepted.class);

      house.until("../RUN-X-1", i -> !"".equals(i.context().get("failure")));

      assertThat(folder.resolve("RUN-X-1")).doesNotExist();
    }
  }

  @Test
  void what_a_run_asked_is_closed_when_it_has_ended() throws IOException {
    try (RunHouse house = RunHouse.merging(folder)) {
      String run = house.start(RunPlans.MERGE);
      Approval asked = house.untilAsked(run).getFirst();
      house.runs.halt(run, RunHouse.ANN, "enough");
      house.untilEnd(run);

      house.approvals.tend();

      assertThat(house.approvals.approval(asked.id()).outcome()).isEqualTo(Outcome.ORPHANED);
    }
  }

  @Test
  void a_halt_ends_a_tool_with_everything_that_it_started() throws Exception {
    try (RunHouse house = RunHouse.in(folder)) {
      String nap = "7" + Integer.toUnsignedString(folder.hashCode());
      String run =
          house.start(
              RunPlans.of(
                  "name: wait, writes: [begun], command: [sh, -c, 'sleep %s & touch begun; wait']"
                      .formatted(nap)));
      List<ProcessHandle> alive = List.of();
      for (int looks = 0; looks < 60_000 && alive.isEmpty(); looks++) {
        java.util.concurrent.locks.LockSupport.parkNanos(1_000_000);
        alive =
            ProcessHandle.allProcesses()
                .filter(each ->
                    each.info().commandLine().filter(line -> line.contains(nap)).isPresent())
                .toList();
      }
      assertThat(alive).isNotEmpty();

      house.runs.halt(run, RunHouse.ANN, "enough");

      assertThat(Runs.state(house.untilEnd(run))).isEqualTo("HALTED_UNSAFE");
      for (ProcessHandle each : alive) {
        each.onExit().get(60, TimeUnit.SECONDS);
      }
    }
  }

  @Test
  void a_rejected_tool_rolls_the_run_back() throws IOException {
    try (RunHouse house = RunHouse.merging(folder)) {
      String before = house.tree();
      String run =
          house.start(
              RunPlans.MERGE.replace(
                  "tools:\n",
                  "tools:\n"
                      + "  - { name: first, command: [touch, first.txt], writes: [first.txt]"
                      + " }\n"));
      Approval asked = house.untilAsked(run).getFirst();
      assertThat(house.work.resolve("first.txt")).exists();

      house.approvals.reject(asked.id(), RunHouse.BOB, "not today");
      Instance ended = house.untilEnd(run);

      assertThat(Runs.state(ended)).isEqualTo("ROLLED_BACK");
      assertThat(ended.context()).containsEntry("failure", "not today");
      assertThat(house.tree()).isEqualTo(before);
    }
  }

  @Test
  void who_started_a_run_can_not_approve_it() throws IOException {
    try (RunHouse house = RunHouse.merging(folder)) {
      String run = house.start(RunPlans.MERGE);
      Approval asked = house.untilAsked(run).getFirst();

      assertThat(asked.barred()).contains("ann");
      house.runs.halt(run, RunHouse.ANN, "changed my mind");
      assertThat(Runs.state(house.untilEnd(run))).isEqualTo("HALTED_UNSAFE");
    }
  }

  @Test
  void a_critical_risk_in_the_plan_halts_before_anything_runs() throws IOException {
    try (RunHouse house = RunHouse.in(folder)) {
      String run =
          house.start(
              """
              project: demo
              tools:
                - { name: wipe, command: [rm, -rf, /] }
              checks:
                - { name: ok, command: ["true"] }
              """);

      Instance ended = house.untilEnd(run);

      assertThat(Runs.state(ended)).isEqualTo("HALTED_UNSAFE");
      assertThat(String.valueOf(ended.context().get("failure"))).contains("critical risk: wipe");
      assertThat(ended.context()).containsEntry("tools_planned", List.of());
    }
  }

  @Test
  void a_plan_waits_for_a_person_where_it_says_so() throws IOException {
    try (RunHouse house = RunHouse.in(folder)) {
      house.file("notes.txt", "one\n");
      String run = house.start(PLAN.replace("project: demo", "project: demo\napproval: person"));
      Instance waiting =
          house.until(run, i -> !String.valueOf(i.context().get("plan_approval")).isEmpty());
      assertThat(Runs.state(waiting)).isEqualTo("PLANNING");

      house.approve(
          house.approvals.approval(String.valueOf(waiting.context().get("plan_approval"))));

      Instance ended = house.untilEnd(run);
      assertThat(Runs.state(ended)).as("%s", ended.context()).isEqualTo("COMPLETE");
      assertThat(ended.context()).containsEntry("plan_approved_by", "bob");
    }
  }

  @Test
  void a_tool_is_tried_again_on_the_folder_as_it_was_and_no_more_often_than_said()
      throws IOException {
    AtomicInteger calls = new AtomicInteger();
    try (RunHouse house =
        RunHouse.in(
            folder,
            settings ->
                settings.handler(
                    "flaky",
                    (call, evidence) -> {
                      Path file = call.folder().resolve("out.txt");
                      assertThat(file).doesNotExist();
                      Files.writeString(file, "x");
                      return calls.incrementAndGet() < 3
                          ? ToolResult.fail(List.of(), "not yet")
                          : ToolResult.pass(List.of(evidence.put("log", "done")), "done");
                    }))) {
      String run =
          house.start(
              """
              project: demo
              tools:
                - { name: flaky, handler: flaky, retries: 2, writes: [out.txt] }
              checks:
                - { name: there, command: [test, -f, out.txt] }
              """);

      assertThat(Runs.state(house.untilEnd(run))).isEqualTo("COMPLETE");
      assertThat(calls).hasValue(3);
    }
  }

  @Test
  void two_runs_in_one_second_have_ids_of_their_own() throws Exception {
    try (RunHouse house = RunHouse.in(folder)) {
      house.file("notes.txt", "one\n");
      Plan plan =
          PlanReader.read(new dev.signalbox.definition.Source("plan.yaml", PLAN), house.work);
      Set<String> ids = java.util.concurrent.ConcurrentHashMap.newKeySet();
      List<Thread> threads =
          java.util.stream.IntStream.range(0, 8)
              .mapToObj(_ ->
                  Thread.ofVirtual().start(() -> ids.add(house.runs.start(plan, RunHouse.ANN))))
              .toList();
      for (Thread thread : threads) {
        thread.join();
      }

      assertThat(ids).hasSize(8);
      // They share a folder, so what one changes another is asked about.
      ids.forEach(id ->
          house.until(
              id, i -> i.status().equals("ended") || i.leaves().contains("awaiting_decision")));
    }
  }
}
