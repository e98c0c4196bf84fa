package dev.signalbox.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.Chain;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.Query;
import dev.signalbox.journal.sqlite.SqliteJournal;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Rejection;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What was promised before a process ended holds in the next one, on a real file. */
@SuppressWarnings("NullAway.Init")
class RestartTest {
  private static final String MACHINES =
      """
      machine: clock
      context:
        rung: { type: list, items: string, default: [] }
      states:
        ON:
          waits: for somebody
          on:
            set: { do: [ { send: { event: rings, id: alarm, after: 1h } } ] }
            twice:
              do:
                - { send: { event: late, after: 2h } }
                - { send: { event: early, after: 1h } }
            unset: { do: [ cancel: alarm ] }
            rings: { assign: { rung: "ctx.rung + ['alarm']" } }
            early: { assign: { rung: "ctx.rung + ['early']" } }
            late: { assign: { rung: "ctx.rung + ['late']" } }
            hour: HOUR
            day: DAY
        HOUR: { after: { 1h: ON } }
        DAY: { after: { 1d: ON } }
      ---
      machine: top
      states:
        UP: { waits: for those below, invoke: { machine: middle, id: m }, on: { done.invoke.m: UP } }
      ---
      machine: middle
      states:
        UP: { waits: for those below, invoke: { machine: bottom, id: b }, on: { done.invoke.b: UP } }
      ---
      machine: bottom
      states:
        UP:
          entry: [ { perform: { effect: hold, idempotent: false } } ]
          waits: for the end
          on: { hold.succeeded: { }, hold.failed: { }, hold.unknown: { } }
      """;

  @TempDir Path folder;

  private final ManualClock clock = new ManualClock();
  private Journal journal;
  private ManualSignalbox box;

  @BeforeEach
  void opened() {
    open();
    MachineReader.readAll(new Source("machines.yaml", MACHINES), null)
        .forEach(definition -> box.publish(Objects.requireNonNull(definition.machine())));
  }

  @AfterEach
  void the_journal_can_be_verified_and_replayed() {
    assertThat(Audit.verify(journal, _ -> {}).findings()).isEmpty();
    journal.close();
  }

  private void open() {
    journal = SqliteJournal.open(folder.resolve("box.db"), clock);
    box = new ManualSignalbox(journal, Settings.DEFAULT, clock, new Random(1));
  }

  private void restart() {
    journal.close();
    open();
  }

  private Reply ask(Command command) {
    CompletableFuture<Reply> reply = box.submit(command);
    box.rest();
    return reply.join();
  }

  private void start(String machine, String id) {
    assertThat(ask(new Command.Start(machine, id, Map.of(), Actor.SYSTEM, null)))
        .isInstanceOf(Reply.Accepted.class);
  }

  private void send(String id, String event) {
    assertThat(ask(Command.Send.of(id, event, null))).isInstanceOf(Reply.Accepted.class);
  }

  private Object rung(String id) {
    return Objects.requireNonNull(Objects.requireNonNull(box.find(id)).context().get("rung"));
  }

  @Test
  void the_same_key_gets_the_same_answer_whether_it_was_accepted_or_refused() {
    start("clock", "c");
    Command.Send hour = Command.Send.of("c", "hour", null).key("k-1");
    Command.Send unknown = Command.Send.of("c", "hour", null).key("k-2");
    Reply accepted = ask(hour);
    Reply refused = ask(unknown);
    assertThat(accepted).isInstanceOf(Reply.Accepted.class);
    assertThat(refused).isInstanceOf(Reply.Rejected.class);
    clock.advance(Duration.ofHours(1));
    restart();
    box.rest();
    assertThat(Objects.requireNonNull(box.find("c")).leaves()).containsExactly("ON");
    assertThat(ask(hour)).isEqualTo(accepted);
    Rejection before = ((Reply.Rejected) refused).rejection();
    Rejection after = ((Reply.Rejected) ask(unknown)).rejection();
    assertThat(after.code()).isEqualTo(before.code());
    assertThat(after.message()).isEqualTo(before.message());
    InstanceRow row = Objects.requireNonNull(journal.load("c"));
    assertThat(row.sequence()).isEqualTo(3);
    assertThat(row.refusals()).isEqualTo(1);
  }

  @Test
  void timers_that_are_late_fire_at_start_in_the_order_in_which_they_were_due() {
    List<String> ids = List.of("c-1", "c-2", "c-3", "c-4", "c-5");
    for (String id : ids) {
      start("clock", id);
    }
    // In the end c-4 is due after 3 hours from now, c-5 after 3 and 4, c-1 after 24, c-3 after 25.
    send("c-1", "day");
    send("c-2", "hour");
    clock.advance(Duration.ofHours(1).minusMillis(1));
    send("c-3", "day");
    clock.advance(Duration.ofHours(1));
    restart();
    box.rest();
    send("c-4", "hour");
    clock.advance(Duration.ofMinutes(1));
    send("c-5", "twice");
    journal.close();
    clock.advance(Duration.ofDays(3));
    open();
    box.rest();
    List<EntryRow> fired = new ArrayList<>();
    for (String id : ids) {
      InstanceRow row = Objects.requireNonNull(journal.load(id));
      journal.history(row.number(), Chain.STEPS, 1, 100).stream()
          .filter(entry -> "timer".equals(Ledger.body(entry).get("kind")))
          .forEach(fired::add);
    }
    assertThat(
            fired.stream()
                .sorted(Comparator.comparingLong(EntryRow::position))
                .map(entry -> String.valueOf(Ledger.body(entry).get("instance"))))
        .containsExactly("c-2", "c-4", "c-5", "c-5", "c-1", "c-3");
    assertThat(rung("c-5")).isEqualTo(List.of("early", "late"));
  }

  @Test
  void what_is_sent_later_comes_once_and_not_when_it_was_called_off() {
    start("clock", "kept");
    start("clock", "off");
    send("kept", "set");
    send("off", "set");
    restart();
    send("off", "unset");
    restart();
    clock.advance(Duration.ofHours(1).minusMillis(1));
    box.rest();
    assertThat(rung("kept")).isEqualTo(List.of());
    clock.advance(Duration.ofMillis(1));
    box.rest();
    assertThat(rung("kept")).isEqualTo(List.of("alarm"));
    restart();
    clock.advance(Duration.ofDays(9));
    box.rest();
    assertThat(rung("kept")).isEqualTo(List.of("alarm"));
    assertThat(rung("off")).isEqualTo(List.of());
  }

  @Test
  void a_cancellation_goes_down_the_tree_though_the_process_ends_at_its_first_step() {
    start("top", "t");
    assertThat(journal.query(Query.ALL.that(InstanceRow.Status.LIVE))).hasSize(3);
    CompletableFuture<Reply> cancelled = box.submit(new Command.Cancel("t", Actor.SYSTEM, null));
    box.step();
    boolean _ = box.commit();
    assertThat(cancelled.join()).isInstanceOf(Reply.Accepted.class);
    assertThat(journal.query(Query.ALL.that(InstanceRow.Status.LIVE))).hasSize(2);
    restart();
    box.rest();
    assertThat(journal.query(Query.ALL.that(InstanceRow.Status.LIVE))).isEmpty();
    assertThat(journal.messages(0, 10)).isEmpty();
  }

  @Test
  void looking_at_the_past_and_beginning_anew_from_it_call_nothing_outside() {
    start("top", "t");
    List<String> calls = new ArrayList<>();
    restart();
    box.handle(
        "hold",
        call -> {
          calls.add(call.key());
          return Outcome.succeeded();
        });
    box.rest();
    String bottom = journal.query(Query.ALL.ofMachine("bottom")).getFirst().id();
    assertThat(calls).containsExactly(bottom + "#1");
    assertThat(box.at(bottom, 1).leaves()).containsExactly("UP");
    assertThat(ask(new Command.Fork(bottom, 1, "fork", Actor.SYSTEM, null)))
        .isInstanceOf(Reply.Accepted.class);
    assertThat(Objects.requireNonNull(box.find("fork")).leaves()).containsExactly("UP");
    assertThat(calls).hasSize(1);
    assertThat(journal.effects(0, 10)).isEmpty();
  }
}
