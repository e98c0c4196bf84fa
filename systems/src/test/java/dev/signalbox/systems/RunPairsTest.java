package dev.signalbox.systems;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.journal.Journal;
import dev.signalbox.journal.memory.MemoryJournal;
import dev.signalbox.journal.postgres.PostgresJournal;
import dev.signalbox.journal.sqlite.SqliteJournal;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.kernel.machine.EventType;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.ManualSignalbox;
import dev.signalbox.runtime.Outcome;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Settings;
import dev.signalbox.testkit.ManualClock;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * All 81 pairs of a run's states: from every state, in every substate of it, every event of the
 * machine is sent by somebody who may send anything. What then happens between two of the nine
 * states is in the table, with its trigger; everything else is refused with a code and recorded.
 */
class RunPairsTest {
  private static final Machine MACHINE = SystemMachines.machine("runs.run");
  private static final Actor ANYBODY =
      new Actor(Actor.Kind.SYSTEM, "anybody", List.of("system", "operator", "planner", "auditor"));
  private static final Set<Rejection.Code> CODES =
      Set.of(
          Rejection.Code.NO_TRANSITION,
          Rejection.Code.GUARD_REFUSED,
          // What only an approval itself may say.
          Rejection.Code.ROLE_REQUIRED,
          Rejection.Code.INSTANCE_FINAL,
          Rejection.Code.RESERVED_EVENT,
          Rejection.Code.EXPRESSION_FAILED,
          Rejection.Code.INVARIANT_BROKEN);

  @TempDir Path folder;

  /** An event with the data that lets it do most. */
  private record Sent(String event, Map<String, Object> data) {
    static Sent of(String event, Object... data) {
      return new Sent(event, Played.map(data));
    }
  }

  /** A way into a state, and the innermost state that it ends in. */
  private record Scene(String name, String leaf, List<Sent> way) {
    Scene then(String next, String into, Sent... more) {
      List<Sent> longer = new ArrayList<>(way);
      longer.addAll(List.of(more));
      return new Scene(next, into, longer);
    }
  }

  private static List<Scene> scenes() {
    Scene init = new Scene("INIT", "INIT", List.of());
    Scene planning = init.then("PLANNING", "PLANNING", Sent.of("plan"));
    Scene executing =
        planning.then(
            "EXECUTING",
            "executing_tools",
            Sent.of(PLANNED, "tools", List.of("a"), "checks", List.of("t")));
    Scene writing =
        planning.then(
            "EXECUTING with changes",
            "executing_tools",
            Sent.of(
                PLANNED, "tools", List.of("a"), "checks", List.of("t"), "writing", List.of("a")));
    Scene requesting =
        executing.then(
            "AWAITING_APPROVAL asks",
            "awaiting_request",
            Sent.of("high_risk_action", "reason", "r"));
    Scene waiting =
        requesting.then(
            "AWAITING_APPROVAL",
            "awaiting_decision",
            Sent.of("approval_requested", "approval_id", "p"));
    Scene waitingWithChanges =
        writing.then(
            "AWAITING_APPROVAL with changes",
            "awaiting_decision",
            Sent.of("high_risk_action", "reason", "r"),
            Sent.of("approval_requested", "approval_id", "p"));
    Sent passed = Sent.of("tool_passed", "tool", "a", "evidence", List.of("e"));
    Sent checked = Sent.of("check_passed", "check", "t", "evidence", List.of("e"));
    Scene verifying = executing.then("VERIFYING", "verifying_checks", passed);
    Scene verifyingChanges = writing.then("VERIFYING with changes", "verifying_checks", passed);
    Scene auditing = verifying.then("AUDITING", "auditing_verdicts", checked);
    Scene auditingChanges =
        verifyingChanges.then("AUDITING with changes", "auditing_verdicts", checked);
    return List.of(
        init,
        planning,
        executing,
        writing,
        writing.then("EXECUTING reverts", "executing_reverting", Sent.of("tool_failed")),
        requesting,
        waiting,
        waitingWithChanges,
        waitingWithChanges.then(
            "AWAITING_APPROVAL reverts", "awaiting_reverting", Sent.of("rejected")),
        verifying,
        verifyingChanges,
        verifyingChanges.then("VERIFYING reverts", "verifying_reverting", Sent.of("tests_failed")),
        auditing,
        auditingChanges,
        auditingChanges.then("AUDITING reverts", "auditing_reverting", Sent.of("audit_failed")),
        auditing.then("COMPLETE", "COMPLETE", verdicts()),
        executing.then("ROLLED_BACK", "ROLLED_BACK", Sent.of("tool_failed")),
        executing.then(
            "HALTED_UNSAFE", "HALTED_UNSAFE", Sent.of("critical_failure", "reason", "r")));
  }

  private static Sent[] verdicts() {
    return Stream.of("hallucination", "amnesia", "drift", "privilege", "silent_failure")
        .map(auditor ->
            Sent.of("verdict_given", "auditor", auditor, "verdict", "CLEARED", "notes", List.of()))
        .toArray(Sent[]::new);
  }

  /** Every event of the machine, with data that lets it through where anything does. */
  private static List<Sent> events() {
    List<Sent> sent = new ArrayList<>();
    for (EventType type : MACHINE.events()) {
      sent.add(
          switch (type.name()) {
            case "tool_passed" -> Sent.of("tool_passed", "tool", "a", "evidence", List.of("e"));
            case "check_passed" -> Sent.of("check_passed", "check", "t", "evidence", List.of("e"));
            case "usage_recorded" ->
                Sent.of("usage_recorded", "model_calls", 1_000, "tokens", 0, "files", 0);
            case "high_risk_action", "critical_failure", "critical_risk", "halt" ->
                Sent.of(type.name(), "reason", "r");
            case "approval_requested", "approved" -> Sent.of(type.name(), "approval_id", "p");
            case "plan_approved", "plan_refused" ->
                Sent.of(
                    type.name(), "approval_id", "p", "digest", "", "approver", "x", "reason", "");
            case "verdict_given" ->
                Sent.of(
                    type.name(),
                    "auditor",
                    "hallucination",
                    "verdict",
                    "CLEARED",
                    "notes",
                    List.of());
            case "undone" -> Sent.of("undone", "step", "a");
            default -> Sent.of(type.name());
          });
    }
    sent.add(Sent.of("an_event_that_is_none"));
    return sent;
  }

  @Test
  void every_pair_is_as_the_table_says_in_memory() {
    ManualClock clock = new ManualClock();
    pairs(new MemoryJournal(clock), clock);
  }

  @Test
  void every_pair_is_as_the_table_says_on_sqlite() {
    ManualClock clock = new ManualClock();
    try (Journal journal = SqliteJournal.open(folder.resolve("pairs.db"), clock)) {
      pairs(journal, clock);
    }
  }

  @Test
  void every_pair_is_as_the_table_says_on_postgresql() throws Exception {
    ManualClock clock = new ManualClock();
    try (EmbeddedPostgres server = EmbeddedPostgres.builder().start();
        Journal journal =
            PostgresJournal.open(server.getJdbcUrl("postgres", "postgres"), null, null)) {
      pairs(journal, clock);
    }
  }

  private static void pairs(Journal journal, ManualClock clock) {
    ManualSignalbox box = new ManualSignalbox(journal, Settings.DEFAULT, clock, new Random(1));
    SystemMachines.publish(box, "runs.run");
    List<Scene> scenes = scenes();
    List<Sent> events = events();
    brought(box, scenes, events);
    Map<String, CompletableFuture<Reply>> replies = new LinkedHashMap<>();
    Map<String, Instance> before = new HashMap<>();
    for (int s = 0; s < scenes.size(); s++) {
      for (int e = 0; e < events.size(); e++) {
        String id = id(s, e);
        Instance instance = Objects.requireNonNull(box.find(id));
        assertThat(instance.leaves()).as(scenes.get(s).name).containsExactly(scenes.get(s).leaf);
        before.put(id, instance);
        replies.put(id, box.submit(send(id, events.get(e))));
      }
    }
    box.rest();
    Set<Row> seen = new LinkedHashSet<>();
    replies.forEach((id, reply) -> {
      Instance after = Objects.requireNonNull(box.find(id));
      Instance was = Objects.requireNonNull(before.get(id));
      switch (reply.join()) {
        case Reply.Accepted _ -> {}
        case Reply.Rejected(Rejection rejection) -> {
          assertThat(CODES).as(rejection.message()).contains(rejection.code());
          assertThat(after.states()).isEqualTo(was.states());
          assertThat(after.refusals()).as("recorded").isEqualTo(was.refusals() + 1);
        }
      }
      seen.addAll(RunRows.of(box.history(id, 1, 100)));
    });
    Set<Row> table =
        TransitionTable.of("runs.run").rows().stream()
            .filter(row -> !row.trigger().startsWith("after "))
            .collect(Collectors.toCollection(LinkedHashSet::new));
    assertThat(seen).containsExactlyInAnyOrderElementsOf(table);
  }

  /** What the effect that judges a plan says; in a way it stands for that, not for an event. */
  private static final String PLANNED = "planned";

  private static Outcome planned(List<Scene> scenes, String run) {
    Scene scene = scenes.get(Integer.parseInt(run.split("-", -1)[1]));
    for (Sent sent : scene.way) {
      if (sent.event.equals(PLANNED)) {
        return Outcome.succeeded(Played.judged(sent.data));
      }
    }
    return new Outcome.RetryAfter(Duration.ofDays(30), "it is still planning");
  }

  /** Starts an instance for each scene and event, and takes all of them the way of their scenes. */
  private static void brought(ManualSignalbox box, List<Scene> scenes, List<Sent> events) {
    box.handle("runs.plan", call -> planned(scenes, call.instance()));
    List<CompletableFuture<Reply>> replies = new ArrayList<>();
    for (int s = 0; s < scenes.size(); s++) {
      for (int e = 0; e < events.size(); e++) {
        replies.add(
            box.submit(new Command.Start("runs.run", id(s, e), Map.of(), Actor.SYSTEM, null)));
      }
    }
    box.rest();
    int longest = scenes.stream().mapToInt(scene -> scene.way.size()).max().orElse(0);
    for (int step = 0; step < longest; step++) {
      for (int s = 0; s < scenes.size(); s++) {
        for (int e = 0; e < events.size() && step < scenes.get(s).way.size(); e++) {
          if (!scenes.get(s).way.get(step).event.equals(PLANNED)) {
            replies.add(box.submit(send(id(s, e), scenes.get(s).way.get(step))));
          }
        }
      }
      box.rest();
    }
    assertThat(replies)
        .extracting(CompletableFuture::join)
        .filteredOn(reply -> !(reply instanceof Reply.Accepted))
        .isEmpty();
  }

  private static String id(int scene, int event) {
    return "run-%d-%d".formatted(scene, event);
  }

  private static Command send(String id, Sent sent) {
    return new Command.Send(id, sent.event, sent.data, ANYBODY, null, null);
  }

  @ParameterizedTest
  @CsvSource({
    "INIT, 60s, HALTED_UNSAFE",
    "PLANNING, 5m, HALTED_UNSAFE",
    "EXECUTING, 30m, HALTED_UNSAFE",
    "EXECUTING with changes, 30m, HALTED_UNSAFE",
    "EXECUTING reverts, 30m, HALTED_UNSAFE",
    "AWAITING_APPROVAL asks, 24h, HALTED_UNSAFE",
    "AWAITING_APPROVAL, 24h, HALTED_UNSAFE",
    "AWAITING_APPROVAL with changes, 24h, HALTED_UNSAFE",
    "AWAITING_APPROVAL reverts, 24h, HALTED_UNSAFE",
    "VERIFYING, 10m, ROLLED_BACK",
    "VERIFYING with changes, 10m, verifying_reverting",
    "AUDITING, 15m, ROLLED_BACK",
    "AUDITING with changes, 15m, auditing_reverting"
  })
  void a_state_is_left_at_its_time_and_not_before(String name, String time, String into) {
    Scene scene = scenes().stream().filter(s -> s.name.equals(name)).findFirst().orElseThrow();
    Duration wait = dev.signalbox.kernel.machine.Durations.parse(time).orElseThrow();
    ManualClock clock = new ManualClock();
    try (Journal journal = SqliteJournal.open(folder.resolve("time.db"), clock)) {
      ManualSignalbox box = new ManualSignalbox(journal, Settings.DEFAULT, clock, new Random(1));
      SystemMachines.publish(box, "runs.run");
      brought(box, List.of(scene), List.of(Sent.of("plan")));

      clock.advance(wait.minusMillis(1));
      box.rest();
      assertThat(Objects.requireNonNull(box.find(id(0, 0))).leaves()).containsExactly(scene.leaf);
      clock.advance(Duration.ofMillis(1));
      box.rest();

      assertThat(Objects.requireNonNull(box.find(id(0, 0))).leaves()).containsExactly(into);
    }
  }

  @Test
  void the_thirty_minutes_of_executing_stand_still_while_a_person_decides() {
    ManualClock clock = new ManualClock();
    try (Journal journal = SqliteJournal.open(folder.resolve("cumulative.db"), clock)) {
      ManualSignalbox box = new ManualSignalbox(journal, Settings.DEFAULT, clock, new Random(1));
      SystemMachines.publish(box, "runs.run");
      Scene executing =
          scenes().stream().filter(s -> s.name.equals("EXECUTING")).findFirst().orElseThrow();
      brought(box, List.of(executing), List.of(Sent.of("plan")));
      Duration left = Duration.ofMinutes(30);
      for (int visit = 1; visit <= 3; visit++) {
        clock.advance(Duration.ofMinutes(9));
        left = left.minusMinutes(9);
        var _ = box.submit(send(id(0, 0), Sent.of("high_risk_action", "reason", "r")));
        var _ =
            box.submit(send(id(0, 0), Sent.of("approval_requested", "approval_id", "p" + visit)));
        box.rest();
        clock.advance(Duration.ofHours(23));
        var _ = box.submit(send(id(0, 0), Sent.of("approved", "approval_id", "p" + visit)));
        box.rest();
      }

      clock.advance(left.minusMillis(1));
      box.rest();
      assertThat(Objects.requireNonNull(box.find(id(0, 0))).states()).contains("EXECUTING");
      clock.advance(Duration.ofMillis(1));
      box.rest();
      assertThat(Objects.requireNonNull(box.find(id(0, 0))).leaves())
          .containsExactly("HALTED_UNSAFE");
    }
  }
}
