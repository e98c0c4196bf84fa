package dev.signalbox.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.Chain;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.Query;
import dev.signalbox.journal.memory.MemoryJournal;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Rejection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Instances as they were, as they might have gone on, and in other versions of their machine. */
class VersionsTest {
  private static final Actor ANN = new Actor(Actor.Kind.USER, "ann", List.of());

  private final ManualClock clock = new ManualClock();
  private final Journal journal = new MemoryJournal(clock);
  private final List<String> performed = new ArrayList<>();
  private SteppedSignalbox box = open();

  private SteppedSignalbox open() {
    SteppedSignalbox opened = new SteppedSignalbox(journal, Settings.DEFAULT, clock, new Random(1));
    opened.handle(
        "ring",
        call -> {
          performed.add(call.key());
          return new Outcome.Succeeded(Map.of());
        });
    return opened;
  }

  @AfterEach
  void the_journal_can_be_verified_and_replayed() {
    assertThat(Audit.verify(journal, _ -> {}).findings()).isEmpty();
  }

  private InstanceRow row(String id) {
    return Objects.requireNonNull(journal.load(id));
  }

  private Instance now(String id) {
    return box.at(id, row(id).sequence());
  }

  private void publish(String yaml) {
    box.publish(MachineReader.read(new Source("test.yaml", yaml)));
  }

  private Reply reply(Command command) {
    CompletableFuture<Reply> reply = box.submit(command);
    box.rest();
    return reply.join();
  }

  private Receipt accepted(Command command) {
    Reply reply = reply(command);
    assertThat(reply).isInstanceOf(Reply.Accepted.class);
    return ((Reply.Accepted) reply).receipt();
  }

  private Rejection rejected(Command command) {
    Reply reply = reply(command);
    assertThat(reply).isInstanceOf(Reply.Rejected.class);
    return ((Reply.Rejected) reply).rejection();
  }

  private void start(String machine, String id) {
    accepted(new Command.Start(machine, id, Map.of(), ANN, null));
  }

  private void send(String id, String event, Map<String, Object> data) {
    accepted(Command.Send.of(id, event, data));
  }

  private static Command.Fork fork(String instance, long sequence, String id) {
    return new Command.Fork(instance, sequence, id, ANN, null);
  }

  private static final String LAMP =
      """
      machine: lamp
      version: 1
      context:
        level: { type: double, default: 2.0 }
        big: { type: int, default: 9007199254740993 }
        note: { type: string, default: "", searchable: true }
      states:
        OFF: { waits: someone, on: { switch: ON, smash: GONE } }
        ON:
          after: { 10m: OFF }
          on:
            dim: { assign: { level: ctx.level / 4.0 } }
            add: { assign: { big: ctx.big + 1 } }
            write: { assign: { note: event.text } }
            call: { do: [ { perform: { effect: ring } } ] }
            ring.succeeded: {}
            switch: OFF
            smash: GONE
        GONE: { final: true }
      """;

  @Test
  void an_instance_is_seen_as_it_was_after_each_entry() {
    publish(LAMP);
    start("lamp", "a");
    List<Instance> seen = new ArrayList<>();
    seen.add(now("a"));
    clock.advance(Duration.ofMinutes(1));
    send("a", "switch", Map.of());
    seen.add(now("a"));
    rejected(Command.Send.of("a", "fly", null));
    clock.advance(Duration.ofMinutes(1));
    send("a", "dim", Map.of());
    seen.add(now("a"));
    accepted(new Command.Pause("a", Command.Clocks.STOPPED, ANN, null));
    seen.add(now("a"));
    clock.advance(Duration.ofMinutes(30));
    accepted(new Command.Resume("a", ANN, null));
    seen.add(now("a"));
    send("a", "smash", Map.of());
    seen.add(now("a"));

    for (int i = 0; i < seen.size(); i++) {
      assertThat(box.at("a", i + 1)).isEqualTo(seen.get(i));
    }
    assertThat(seen)
        .extracting(Instance::status)
        .containsExactly("live", "live", "live", "paused", "live", "ended");
    assertThat(seen).extracting(Instance::refusals).containsExactly(0L, 0L, 1L, 1L, 1L, 1L);
    assertThat(seen.get(1).context()).containsEntry("level", 2.0);
    assertThat(seen.get(2).context()).containsEntry("level", 0.5);
    assertThat(seen.get(4).deadlines().getFirst().due() - seen.get(3).deadlines().getFirst().due())
        .isEqualTo(Duration.ofMinutes(30).toMillis());
  }

  @Test
  void the_past_agrees_with_the_present() {
    publish(LAMP);
    try (Signalbox running = Signalbox.open(journal, Settings.DEFAULT, clock)) {
      String id = running.start("lamp", Map.of("note", "x")).id();
      running.send(id, "switch");
      running.send(id, "dim");
      assertThat(running.at(id, 3)).isEqualTo(running.instance(id));
      assertThat(running.at(id, 1).leaves()).containsExactly("OFF");
    }
  }

  @Test
  void there_is_no_past_before_the_first_entry_and_no_future() {
    publish(LAMP);
    start("lamp", "a");
    for (long sequence : new long[] {-1, 0, 2}) {
      assertThatThrownBy(() -> box.at("a", sequence))
          .isInstanceOfSatisfying(
              RejectedException.class,
              e -> assertThat(e.rejection().code()).isEqualTo(Rejection.Code.UNKNOWN_ENTRY));
    }
    assertThatThrownBy(() -> box.at("b", 1)).isInstanceOf(RejectedException.class);
  }

  @Test
  void a_fork_goes_on_from_where_the_other_was() {
    publish(LAMP);
    start("lamp", "a");
    send("a", "switch", Map.of());
    send("a", "write", Map.of("text", "before"));
    send("a", "add", Map.of());
    send("a", "smash", Map.of());

    Receipt receipt = accepted(fork("a", 4, "b"));
    assertThat(receipt.sequence()).isEqualTo(1);
    assertThat(receipt.states()).containsExactly("ON");
    assertThat(now("b").context())
        .containsEntry("note", "before")
        .containsEntry("level", 2.0)
        .containsEntry("big", 9007199254740994L);
    assertThat(journal.query(Query.ALL.with(Map.of("note", "before"))))
        .extracting(InstanceRow::id)
        .containsExactly("a", "b");

    box = open();
    send("b", "add", Map.of());
    send("b", "dim", Map.of());
    assertThat(now("b").context())
        .containsEntry("big", 9007199254740995L)
        .containsEntry("level", 0.5);
    assertThat(now("a").status()).isEqualTo("ended");
    assertThat(row("a").sequence()).isEqualTo(5);
  }

  @Test
  void a_fork_has_left_of_its_timers_what_was_left_then() {
    publish(LAMP);
    start("lamp", "a");
    send("a", "switch", Map.of());
    clock.advance(Duration.ofMinutes(4));
    send("a", "dim", Map.of());
    clock.advance(Duration.ofMinutes(60));
    box.rest();
    accepted(fork("a", 3, "b"));
    assertThat(now("b").deadlines().getFirst().due() - clock.millis())
        .isEqualTo(Duration.ofMinutes(6).toMillis());
    clock.advance(Duration.ofMinutes(6));
    box.rest();
    assertThat(now("b").leaves()).containsExactly("OFF");
  }

  @Test
  void a_fork_from_a_pause_with_stopped_clocks_runs_and_has_what_was_left_at_the_pause() {
    publish(LAMP);
    start("lamp", "a");
    send("a", "switch", Map.of());
    clock.advance(Duration.ofMinutes(4));
    accepted(new Command.Pause("a", Command.Clocks.STOPPED, ANN, null));
    clock.advance(Duration.ofMinutes(60));
    accepted(fork("a", 3, "b"));
    assertThat(now("b").status()).isEqualTo("live");
    assertThat(now("b").deadlines().getFirst().due() - clock.millis())
        .isEqualTo(Duration.ofMinutes(6).toMillis());
    assertThat(now("a").status()).isEqualTo("paused");
  }

  @Test
  void a_fork_does_not_repeat_effects_and_does_its_own_under_keys_of_its_own() {
    publish(LAMP);
    start("lamp", "a");
    send("a", "switch", Map.of());
    send("a", "call", Map.of());
    assertThat(performed).containsExactly("a#1");
    accepted(fork("a", 3, "b"));
    assertThat(performed).hasSize(1);
    send("b", "call", Map.of());
    assertThat(performed).containsExactly("a#1", "b#2");
  }

  @Test
  void a_fork_drops_children_and_sends_to_others() {
    publish(
        "{ machine: kid, states: { PLAYING: { waits: x, on: { stop: HOME } }, HOME: { final: true }"
            + " } }");
    publish(
        """
        machine: mum
        states:
          HOME:
            waits: someone
            on: { go: { to: PARK, do: [ { send: { event: late, after: 1h, to: { instance: "'other'" } } }, { send: { event: tick, after: 1h } } ] } }
          PARK:
            invoke: { id: kid, machine: kid }
            on: { done.invoke.kid: HOME, tick: HOME }
        """);
    start("mum", "m");
    send("m", "go", Map.of());
    accepted(fork("m", 2, "n"));
    assertThat(journal.load("n/kid")).isNull();
    assertThat(now("n").deadlines()).extracting(Instance.Deadline::event).containsExactly("tick");
    clock.advance(Duration.ofMinutes(61));
    box.rest();
    assertThat(now("n").leaves()).containsExactly("HOME");
  }

  @Test
  void a_fork_of_a_fork_can_be_seen_at_any_entry() {
    publish(LAMP);
    start("lamp", "a");
    send("a", "switch", Map.of());
    accepted(fork("a", 2, "b"));
    send("b", "dim", Map.of());
    accepted(fork("b", 2, "c"));
    send("c", "switch", Map.of());
    assertThat(box.at("c", 1).leaves()).containsExactly("ON");
    assertThat(box.at("c", 1).context()).containsEntry("level", 0.5);
    assertThat(box.at("b", 1).context()).containsEntry("level", 2.0);
    assertThat(box.at("c", 2).leaves()).containsExactly("OFF");
  }

  @Test
  void a_fork_is_refused_where_there_is_nothing_to_go_on_from() {
    publish(LAMP);
    start("lamp", "a");
    send("a", "smash", Map.of());
    assertThat(rejected(fork("a", 2, "b")).code()).isEqualTo(Rejection.Code.INSTANCE_FINAL);
    assertThat(rejected(fork("a", 3, "b")).code()).isEqualTo(Rejection.Code.UNKNOWN_ENTRY);
    assertThat(rejected(fork("x", 1, "b")).code()).isEqualTo(Rejection.Code.UNKNOWN_INSTANCE);
    assertThat(rejected(fork("a", 1, "a")).code()).isEqualTo(Rejection.Code.INSTANCE_EXISTS);
    assertThat(journal.load("b")).isNull();
  }

  @Test
  void forking_twice_with_one_key_gives_one_instance() {
    publish(LAMP);
    start("lamp", "a");
    Command.Fork fork = new Command.Fork("a", 1, null, ANN, "once");
    Receipt first = accepted(fork);
    box = open();
    assertThat(accepted(fork)).isEqualTo(first);
    assertThat(journal.history(row(first.instance()).number(), Chain.STEPS, 1, 10)).hasSize(1);
  }

  private static final String JOB_1 =
      """
      machine: job
      version: 1
      context:
        tries: { type: int, default: 0 }
        note: { type: string, default: none, searchable: true }
        old: { type: string, default: gone, searchable: true }
      states:
        NEW: { waits: someone, on: { begin: WORKING } }
        WORKING:
          after: { 10m: NEW, 30m: DONE }
          on:
            retry: { assign: { tries: ctx.tries + 1 } }
            check: REVIEW
            finish: DONE
        REVIEW: { waits: someone, on: { ok: DONE } }
        DONE: { final: true }
      """;

  private static final String JOB_2 =
      """
      machine: job
      version: 2
      context:
        tries: { type: int, default: 0 }
        note: { type: string, default: none, searchable: true }
        size: { type: int, compute: ctx.tries * 2 }
        kind: { type: string, default: plain, searchable: true }
      states:
        NEW: { waits: someone, on: { begin: BUSY } }
        BUSY:
          after: { 10m: NEW, 20m: DONE }
          on:
            retry: { assign: { tries: ctx.tries + 1 } }
            finish: DONE
        DONE: { final: true }
      """;

  private static Command.Migrate migrate(String id, Map<String, String> states) {
    return new Command.Migrate(id, 2, states, ANN, null);
  }

  private void jobs() {
    publish(JOB_1);
    start("job", "a");
    send("a", "begin", Map.of());
    send("a", "retry", Map.of());
    publish(JOB_2);
  }

  @Test
  void a_migrated_instance_goes_on_in_the_new_version() {
    jobs();
    clock.advance(Duration.ofMinutes(4));
    Receipt receipt = accepted(migrate("a", Map.of("WORKING", "BUSY")));
    assertThat(receipt.states()).containsExactly("BUSY");
    Instance now = now("a");
    assertThat(now.version()).isEqualTo(2);
    assertThat(now.context())
        .containsExactlyInAnyOrderEntriesOf(
            Map.of("tries", 1L, "note", "none", "size", 2L, "kind", "plain"));
    assertThat(now.deadlines())
        .extracting(Instance.Deadline::id, d -> (d.due() - clock.millis()) / 60_000)
        .containsExactlyInAnyOrder(tuple("after:BUSY:10m", 6L), tuple("after:BUSY:20m", 20L));
    assertThat(row("a").machine()).isEqualTo(2);

    box = open();
    send("a", "retry", Map.of());
    assertThat(now("a").context()).containsEntry("tries", 2L);
    clock.advance(Duration.ofMinutes(6));
    box.rest();
    assertThat(now("a").leaves()).containsExactly("NEW");
    assertThat(box.at("a", 3).version()).isEqualTo(1);
    assertThat(box.at("a", 3).leaves()).containsExactly("WORKING");
  }

  @Test
  void queries_find_a_migrated_instance_by_what_it_is_now() {
    jobs();
    accepted(migrate("a", Map.of("WORKING", "BUSY")));
    Query all = Query.ALL;
    assertThat(journal.query(all.in("BUSY"))).hasSize(1);
    assertThat(journal.query(all.in("WORKING"))).isEmpty();
    assertThat(journal.query(all.with(Map.of("kind", "plain")))).hasSize(1);
    assertThat(journal.query(all.with(Map.of("note", "none")))).hasSize(1);
    assertThat(journal.query(all.with(Map.of("old", "gone")))).isEmpty();
  }

  @Test
  void an_instance_whose_state_has_no_place_is_stranded_and_stays_as_it_is() {
    jobs();
    Rejection rejection = rejected(migrate("a", Map.of()));
    assertThat(rejection.code()).isEqualTo(Rejection.Code.STRANDED);
    assertThat(rejection.message()).contains("no state 'WORKING'");
    assertThat(rejected(migrate("a", Map.of("WORKING", "LOST"))).message())
        .contains("'LOST', for 'WORKING'");
    assertThat(rejected(migrate("a", Map.of("WORKING", "DONE"))).message()).contains("its end");
    assertThat(rejected(new Command.Migrate("a", 7, Map.of(), ANN, null)).code())
        .isEqualTo(Rejection.Code.UNKNOWN_MACHINE);
    assertThat(rejected(new Command.Migrate("a", 1, Map.of(), ANN, null)).code())
        .isEqualTo(Rejection.Code.STRANDED);
    assertThat(now("a").version()).isEqualTo(1);
    assertThat(row("a").refusals()).isEqualTo(5);
    send("a", "retry", Map.of());
  }

  @Test
  void a_field_that_does_not_fit_strands_the_instance() {
    jobs();
    publish(
        JOB_2
            .replace("version: 2", "version: 3")
            .replace(
                "note: { type: string, default: none, searchable: true }",
                "note: { type: int, default: 5 }"));
    Rejection rejection =
        rejected(new Command.Migrate("a", 3, Map.of("WORKING", "BUSY"), ANN, null));
    assertThat(rejection.code()).isEqualTo(Rejection.Code.STRANDED);
    assertThat(rejection.message()).contains("'note'");
  }

  @Test
  void an_ended_instance_is_not_migrated() {
    jobs();
    send("a", "finish", Map.of());
    assertThat(rejected(migrate("a", Map.of())).code()).isEqualTo(Rejection.Code.INSTANCE_FINAL);
  }

  @Test
  void migrating_twice_with_one_key_happens_once() {
    jobs();
    Command.Migrate migrate = new Command.Migrate("a", 2, Map.of("WORKING", "BUSY"), ANN, "once");
    Receipt first = accepted(migrate);
    box = open();
    assertThat(accepted(migrate)).isEqualTo(first);
    assertThat(row("a").sequence()).isEqualTo(4);
  }

  @Test
  void a_migration_can_be_taken_back() {
    jobs();
    accepted(migrate("a", Map.of("WORKING", "BUSY")));
    accepted(new Command.Migrate("a", 1, Map.of("BUSY", "WORKING"), ANN, null));
    assertThat(now("a").version()).isEqualTo(1);
    assertThat(now("a").leaves()).containsExactly("WORKING");
    assertThat(journal.query(Query.ALL.with(Map.of("old", "gone")))).hasSize(1);
  }

  @Test
  void a_paused_instance_stays_paused_and_its_clocks_stopped() {
    jobs();
    clock.advance(Duration.ofMinutes(4));
    accepted(new Command.Pause("a", Command.Clocks.STOPPED, ANN, null));
    clock.advance(Duration.ofHours(2));
    accepted(migrate("a", Map.of("WORKING", "BUSY")));
    assertThat(row("a").status()).isEqualTo(InstanceRow.Status.PAUSED);
    assertThat(row("a").due()).isEqualTo(InstanceRow.NEVER);
    box = open();
    clock.advance(Duration.ofHours(2));
    box.rest();
    accepted(new Command.Resume("a", ANN, null));
    assertThat(now("a").deadlines())
        .extracting(d -> (d.due() - clock.millis()) / 60_000)
        .containsExactlyInAnyOrder(6L, 20L);
  }

  @Test
  void a_fork_from_before_a_migration_has_the_old_version() {
    jobs();
    accepted(migrate("a", Map.of("WORKING", "BUSY")));
    accepted(fork("a", 3, "b"));
    accepted(fork("a", 4, "c"));
    assertThat(now("b").version()).isEqualTo(1);
    assertThat(now("c").version()).isEqualTo(2);
    send("b", "check", Map.of());
    send("c", "retry", Map.of());
  }

  @Test
  void the_dry_run_says_who_would_be_stranded_and_why() {
    publish(JOB_1);
    for (String id : List.of("a", "b", "c", "d", "e")) {
      start("job", id);
    }
    send("b", "begin", Map.of());
    send("c", "begin", Map.of());
    send("c", "check", Map.of());
    send("e", "begin", Map.of());
    send("e", "finish", Map.of());
    publish(JOB_2);
    start("job", "f");
    MigrationReport report = box.stranded("job", 2, Map.of("WORKING", "BUSY"));
    assertThat(report.clean()).containsExactlyInAnyOrderEntriesOf(Map.of("NEW", 2L, "WORKING", 1L));
    assertThat(report.stranded())
        .singleElement()
        .satisfies(s -> {
          assertThat(s.instance()).isEqualTo("c");
          assertThat(s.version()).isEqualTo(1);
          assertThat(s.states()).containsExactly("REVIEW");
          assertThat(s.why()).contains("no state 'REVIEW'");
        });
    assertThat(row("a").sequence()).isEqualTo(1);
    assertThatThrownBy(() -> box.stranded("job", 9, Map.of()))
        .isInstanceOf(RejectedException.class);
  }

  private static final String RIG =
      """
      machine: rig
      version: 1
      states:
        UP:
          parallel: true
          states:
            LEFT:
              initial: L1
              states:
                L1: { on: { left: L2 } }
                L2: { on: { left: L1 } }
                LH: { history: shallow, default: L1 }
            RIGHT:
              initial: R1
              states:
                R1: { on: { right: R2 } }
                R2: { on: { right: R1 } }
          on: { rest: DOWN }
        DOWN: { waits: someone, on: { back: LH } }
      """;

  @Test
  void regions_and_history_move_with_their_states() {
    publish(RIG);
    start("rig", "r");
    send("r", "left", Map.of());
    start("rig", "s");
    send("s", "left", Map.of());
    send("s", "rest", Map.of());
    publish(RIG.replace("version: 1", "version: 2").replace("L2", "LEAN"));
    Map<String, String> states = Map.of("L2", "LEAN");
    assertThat(accepted(migrate("r", states)).states()).containsExactly("LEAN", "R1");
    accepted(migrate("s", states));
    send("s", "back", Map.of());
    assertThat(now("s").leaves()).containsExactly("LEAN", "R1");
  }

  @Test
  void two_states_that_exclude_each_other_strand_the_instance() {
    publish(RIG);
    start("rig", "r");
    send("r", "left", Map.of());
    publish(RIG.replace("version: 1", "version: 2").replace("L2", "LEAN"));
    assertThat(rejected(migrate("r", Map.of("L2", "R2"))).message()).contains("'LEFT'");
    assertThat(rejected(migrate("r", Map.of("L2", "DOWN"))).message()).contains("only one");
    assertThat(rejected(migrate("r", Map.of("L2", "UP"))).message()).contains("'UP'");
    assertThat(rejected(migrate("r", Map.of("L2", "R1"))).message()).contains("'LEFT'");
  }

  @Test
  void invariants_remember_what_they_have_seen() {
    String yaml =
        """
        machine: gate
        version: 1
        states:
          A: { waits: x, on: { look: B, leave: C } }
          B: { waits: x, on: { back: A } }
          C: { final: true }
        invariants:
          - { name: looked, before: { reaching: C, must_visit: B } }
        """;
    publish(yaml);
    start("gate", "g");
    send("g", "look", Map.of());
    send("g", "back", Map.of());
    start("gate", "h");
    publish(yaml.replace("version: 1", "version: 2").replace("B", "BB"));
    accepted(migrate("g", Map.of("B", "BB")));
    accepted(migrate("h", Map.of("B", "BB")));
    send("g", "leave", Map.of());
    assertThat(rejected(Command.Send.of("h", "leave", null)).code())
        .isEqualTo(Rejection.Code.INVARIANT_BROKEN);
  }

  @Test
  void a_child_goes_with_its_state_or_strands_it() {
    String kid =
        "{ machine: kid, states: { PLAYING: { waits: x, on: { stop: HOME } }, HOME: { final: true }"
            + " } }";
    String mum =
        """
        machine: mum
        version: 1
        states:
          PARK:
            invoke: { id: kid, machine: kid }
            on: { done.invoke.kid: HOME }
          HOME: { waits: x }
        """;
    publish(kid);
    publish(mum);
    start("mum", "m");
    publish(mum.replace("version: 1", "version: 2").replace("PARK", "WOOD"));
    publish(
        mum.replace("version: 1", "version: 3")
            .replace("    invoke: { id: kid, machine: kid }\n", ""));
    Rejection rejection = rejected(new Command.Migrate("m", 3, Map.of(), ANN, null));
    assertThat(rejection.message()).contains("its child 'm/kid").contains("'PARK'");
    assertThat(rejected(migrate("m", Map.of("PARK", "HOME"))).message()).contains("its child");
    accepted(migrate("m", Map.of("PARK", "WOOD")));
    String child = journal.query(Query.ALL.below("m")).getFirst().id();
    send(child, "stop", Map.of());
    assertThat(now("m").leaves()).containsExactly("HOME");
    Rejection back = rejected(new Command.Migrate("m", 1, Map.of("HOME", "PARK"), ANN, null));
    assertThat(back.message()).contains("nothing would start the child");
  }
}
