package dev.signalbox.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.Chain;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.Query;
import dev.signalbox.journal.memory.MemoryJournal;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.kernel.machine.Machine;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** While a machine is paused, nothing of it begins, on any node. */
class StandstillsTest {
  private static final Actor KIM = new Actor(Actor.Kind.USER, "kim", List.of("operator"));
  private static final Scope LEAVES = new Scope.OfMachine("leaf");

  private static final Machine LEAF =
      machine(
          """
          machine: leaf
          states:
            WAITING: { after: { 10m: DONE }, on: { stop: DONE } }
            DONE: { final: true }
          """);

  private static final Machine BRANCH =
      machine(
          """
          machine: branch
          states:
            GROWING:
              waits: its leaf
              invoke: { id: one, machine: leaf }
              on:
                done.invoke.one: BARE
                tell: { do: [ { send: { event: stop, to: { child: one } } } ] }
                cut: BARE
            BARE: { waits: for ever, on: { nothing: { } } }
          """);

  private final ManualClock clock = new ManualClock();
  private Journal journal = new MemoryJournal(clock);

  private static Machine machine(String yaml) {
    return MachineReader.read(new Source("test.yaml", yaml));
  }

  @AfterEach
  void the_journal_can_be_verified_and_replayed() {
    assertThat(Audit.verify(journal, _ -> {}).findings()).isEmpty();
  }

  private Signalbox open() {
    Signalbox box = Signalbox.open(journal, Settings.DEFAULT, clock);
    box.publish(LEAF);
    box.publish(BRANCH);
    return box;
  }

  private static Rejection rejected(Reply reply) {
    return ((Reply.Rejected) reply).rejection();
  }

  private static Command start(String machine, String id) {
    return new Command.Start(machine, id, Map.of(), KIM, "start " + id);
  }

  @Test
  void no_instance_of_a_paused_machine_is_started_until_it_is_resumed() {
    try (Signalbox box = open()) {
      assertThat(box.submit(start("leaf", "old"))).isInstanceOf(Reply.Accepted.class);
      assertThat(box.pause(LEAVES, Command.Clocks.RUNNING, KIM, "storm").done()).isEqualTo(1);
      Rejection rejection = rejected(box.submit(start("leaf", "new")));
      assertThat(rejection.code()).isEqualTo(Rejection.Code.MACHINE_PAUSED);
      assertThat(rejection.message()).contains("'leaf'", "'kim'");
      assertThat(box.submit(start("branch", "b"))).isInstanceOf(Reply.Accepted.class);
      // Who asked before gets the answer of that time.
      assertThat(box.submit(start("leaf", "old"))).isInstanceOf(Reply.Accepted.class);
      assertThat(rejected(box.submit(new Command.Fork("old", 1, "twig", KIM, null))).code())
          .isEqualTo(Rejection.Code.MACHINE_PAUSED);
      assertThat(box.pausedMachines())
          .containsExactly(new MachinePause("leaf", Command.Clocks.RUNNING, KIM, clock.millis()));
      assertThat(box.find("new")).isNull();
    }
    try (Signalbox box = open()) {
      assertThat(rejected(box.submit(start("leaf", "new"))).code())
          .isEqualTo(Rejection.Code.MACHINE_PAUSED);
      assertThat(box.resume(LEAVES, KIM, "calm").done()).isEqualTo(1);
      assertThat(box.pausedMachines()).isEmpty();
      assertThat(box.submit(start("leaf", "new"))).isInstanceOf(Reply.Accepted.class);
    }
  }

  @Test
  void that_it_was_paused_and_resumed_is_in_the_journal_with_whoever_did_it() {
    try (Signalbox box = open()) {
      box.pause(LEAVES, Command.Clocks.STOPPED, KIM, "storm");
      box.resume(LEAVES, KIM, "calm");
      List<String> said =
          box.history("signalbox.standstill-leaf", 1, 10).stream()
              .map(entry -> new String(entry.body(), StandardCharsets.UTF_8))
              .toList();
      assertThat(said).hasSize(3).allMatch(body -> body.contains("\"name\":\"kim\""));
      assertThat(said.get(1)).contains("\"name\":\"pause\"", "\"states\":[\"STANDS\"]");
      assertThat(said.get(2)).contains("\"name\":\"resume\"", "\"states\":[\"RUNS\"]");
    }
  }

  @Test
  void pausing_what_is_paused_changes_nothing_and_a_machine_must_be_known() {
    try (Signalbox box = open()) {
      assertThat(box.resume(LEAVES, KIM, null)).isEqualTo(new ScopeReport(0, 0, List.of()));
      box.pause(LEAVES, Command.Clocks.STOPPED, KIM, null);
      box.pause(LEAVES, Command.Clocks.STOPPED, Actor.SYSTEM, null);
      assertThat(box.pausedMachines()).extracting(MachinePause::actor).containsExactly(KIM);
      assertThatThrownBy(
              () -> box.pause(new Scope.OfMachine("twig"), Command.Clocks.STOPPED, KIM, null))
          .isInstanceOf(RejectedException.class)
          .hasMessageContaining("twig");
    }
  }

  @Test
  void a_child_of_a_paused_machine_is_born_when_it_is_resumed_and_gets_its_mail_then() {
    try (Signalbox box = open()) {
      box.pause(LEAVES, Command.Clocks.STOPPED, KIM, null);
      box.submit(start("branch", "b"));
      box.send("b", "tell");
      assertThat(box.instance("b").leaves()).containsExactly("GROWING");
      assertThat(box.instances(Query.ALL.below("b"))).isEmpty();
      box.resume(LEAVES, KIM, null);
      // The mail ends the child, and that tells the parent.
      while (!box.instance("b").leaves().contains("BARE")) {
        Thread.onSpinWait();
      }
      assertThat(box.instances(Query.ALL.below("b")))
          .extracting(Instance::status)
          .containsExactly("ended");
    }
  }

  @Test
  void a_child_that_was_cancelled_before_it_could_be_born_is_never_born() {
    ManualSignalbox box = stepped(1);
    pause(box);
    CompletableFuture<Reply> _ = box.submit(start("branch", "b"));
    box.rest();
    CompletableFuture<Reply> _ = box.submit(Command.Send.of("b", "cut", null));
    box.rest();
    assertThat(journal.messages(0, 10)).isEmpty();
    resume(box);
    assertThat(box.instances(Query.ALL.ofMachine("leaf"))).isEmpty();
  }

  @Test
  void what_another_node_began_before_it_knew_is_paused_by_it() {
    journal = new MemoryJournal(clock, true);
    ManualSignalbox one = stepped(1);
    ManualSignalbox two = stepped(2);
    CompletableFuture<Reply> onItsWay = two.submit(start("leaf", "early"));
    two.step();
    pause(one);
    CompletableFuture<Reply> unaware = two.submit(start("leaf", "late"));
    two.rest();
    assertThat(List.of(onItsWay.join(), unaware.join()))
        .allMatch(reply -> reply instanceof Reply.Accepted);
    two.poll();
    two.rest();
    for (String id : List.of("early", "late")) {
      InstanceRow row = Objects.requireNonNull(journal.load(id));
      assertThat(row.status()).isEqualTo(InstanceRow.Status.PAUSED);
      assertThat(row.refusals()).isZero();
      byte[] entry = journal.history(row.number(), Chain.STEPS, 2, 1).getFirst().body();
      assertThat(new String(entry, StandardCharsets.UTF_8)).contains("\"kim\"", "\"pause\"");
    }
    CompletableFuture<Reply> refused = two.submit(start("leaf", "later"));
    two.rest();
    assertThat(rejected(refused.join()).code()).isEqualTo(Rejection.Code.MACHINE_PAUSED);
    resume(one);
    two.poll();
    CompletableFuture<Reply> again = two.submit(start("leaf", "later"));
    two.rest();
    assertThat(again.join()).isInstanceOf(Reply.Accepted.class);
  }

  @Test
  void what_was_on_its_way_when_its_machine_was_paused_stands_still() {
    ManualSignalbox box = stepped(1);
    CompletableFuture<Reply> _ = box.submit(start("branch", "other"));
    box.rest();
    CompletableFuture<Reply> paused = asked(box, "pause", Map.of("clocks", "stopped"));
    CompletableFuture<Reply> _ = box.submit(start("branch", "another"));
    box.step();
    CompletableFuture<Reply> started = box.submit(start("leaf", "late"));
    box.step();
    box.rest();
    assertThat(paused.join()).isInstanceOf(Reply.Accepted.class);
    assertThat(started.join()).isInstanceOf(Reply.Accepted.class);
    assertThat(Objects.requireNonNull(journal.load("late")).status())
        .isEqualTo(InstanceRow.Status.PAUSED);
    clock.advance(Duration.ofHours(1));
    box.rest();
    assertThat(Objects.requireNonNull(box.find("late")).leaves()).containsExactly("WAITING");
  }

  @Test
  void only_the_engine_uses_its_own_machines() {
    try (Signalbox box = open()) {
      box.pause(LEAVES, Command.Clocks.STOPPED, KIM, null);
      String id = "signalbox.standstill-leaf";
      for (Command command :
          List.of(
              Command.Send.of(id, "resume", null),
              new Command.Cancel(id, KIM, null),
              new Command.Pause(id, Command.Clocks.STOPPED, KIM, null),
              start("signalbox.standstill", "mine"),
              start("leaf", "signalbox.mine"))) {
        assertThat(rejected(box.submit(command)).code()).isEqualTo(Rejection.Code.RESERVED_MACHINE);
      }
      assertThatThrownBy(
              () -> box.publish(machine("machine: signalbox.mine\nstates: { A: { final: true } }")))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("signalbox.");
    }
  }

  @Test
  void a_message_or_an_invocation_does_not_reach_them_either() {
    ManualSignalbox box = stepped(1);
    pause(box);
    box.publish(
        machine(
            """
            machine: thief
            context: { errors: { type: int, default: 0 } }
            states:
              TRYING:
                waits: for errors
                invoke: { id: own, machine: signalbox.standstill }
                on:
                  try: { do: [ { send: { event: resume, to: { instance: "'signalbox.standstill-leaf'" } } } ] }
                  error.communication: { assign: { errors: ctx.errors + 1 } }
            """));
    CompletableFuture<Reply> _ = box.submit(start("thief", "t"));
    CompletableFuture<Reply> _ = box.submit(Command.Send.of("t", "try", null));
    box.rest();
    assertThat(Objects.requireNonNull(box.find("t")).context()).containsEntry("errors", 2L);
    assertThat(Objects.requireNonNull(box.find("signalbox.standstill-leaf")).leaves())
        .containsExactly("STANDS");
  }

  private ManualSignalbox stepped(long seed) {
    ManualSignalbox box = new ManualSignalbox(journal, Settings.DEFAULT, clock, new Random(seed));
    box.publish(LEAF);
    box.publish(BRANCH);
    return box;
  }

  private void pause(ManualSignalbox box) {
    CompletableFuture<Reply> reply = asked(box, "pause", Map.of("clocks", "stopped"));
    box.rest();
    assertThat(reply.join()).isInstanceOf(Reply.Accepted.class);
  }

  private void resume(ManualSignalbox box) {
    CompletableFuture<Reply> reply = asked(box, "resume", null);
    box.rest();
    assertThat(reply.join()).isInstanceOf(Reply.Accepted.class);
  }

  private CompletableFuture<Reply> asked(ManualSignalbox box, String event, @Nullable Object data) {
    String id = Standstills.id("leaf");
    if (journal.load(id) == null) {
      PublishedChart _ =
          new Machines(journal, new Seals(journal, null, new Random(1)))
              .own(OwnMachines.STANDSTILL);
      CompletableFuture<Reply> _ =
          box.submitOwn(
              new Command.Start(OwnMachines.STANDSTILL, id, Map.of("machine", "leaf"), KIM, null));
      box.rest();
    }
    return box.submitOwn(new Command.Send(id, event, data, KIM, null, null));
  }
}
