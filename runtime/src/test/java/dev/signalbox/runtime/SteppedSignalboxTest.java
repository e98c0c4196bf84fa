package dev.signalbox.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.Chain;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.Query;
import dev.signalbox.journal.memory.MemoryJournal;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Rejection;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the runtime does with commands, time, effects and children, on a clock that is moved. */
class SteppedSignalboxTest {
  private static final Actor ANN = new Actor(Actor.Kind.USER, "ann", List.of("approver"));
  private static final Actor BOT = new Actor(Actor.Kind.AGENT, "bot", List.of());

  private final ManualClock clock = new ManualClock();
  private final Journal journal = new MemoryJournal(clock);
  private SteppedSignalbox box = open();

  private SteppedSignalbox open() {
    return new SteppedSignalbox(journal, Settings.DEFAULT, clock, new Random(1));
  }

  @AfterEach
  void the_journal_can_be_verified_and_replayed() {
    assertThat(Audit.verify(journal, _ -> {}).findings()).isEmpty();
  }

  private InstanceRow row(String id) {
    return Objects.requireNonNull(journal.load(id));
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
    return ((Reply.Accepted) reply(command)).receipt();
  }

  private Rejection rejected(Command command) {
    return ((Reply.Rejected) reply(command)).rejection();
  }

  private Receipt start(String machine, String id) {
    return accepted(new Command.Start(machine, id, Map.of(), ANN, null));
  }

  private List<String> states(String id) {
    InstanceRow row = row(id);
    EntryRow newest = journal.history(row.number(), Chain.STEPS, row.sequence(), 1).getFirst();
    return ((Reply.Accepted) Ledger.reply(newest, Ledger.body(newest), id)).receipt().states();
  }

  private static final String DOOR =
      """
      machine: door
      context:
        knocks: { type: int, default: 0 }
        owner: { type: string, default: "", searchable: true }
      events:
        unlock: { roles: [approver] }
        paint: { data: { colour: string } }
        sell: { data: { to: string } }
      states:
        LOCKED:
          on:
            unlock: OPEN
            knock: { assign: { knocks: ctx.knocks + 1 } }
            paint: { }
            sell: { assign: { owner: event.to } }
        OPEN:
          after: { 5m: LOCKED }
          on:
            close: { to: LOCKED, when: ctx.knocks < 3 }
            burn: ASHES
        ASHES: { final: true, done: { knocks: ctx.knocks } }
      """;

  @Test
  void a_command_answers_with_the_states_it_leads_to() {
    publish(DOOR);
    assertThat(start("door", "d").states()).containsExactly("LOCKED");
    Receipt receipt = accepted(Command.Send.of("d", "unlock", null).by(ANN));
    assertThat(receipt.states()).containsExactly("OPEN");
    assertThat(receipt.sequence()).isEqualTo(2);
    assertThat(receipt.hash()).hasSize(64);
  }

  @Test
  void who_has_not_the_role_is_refused_and_the_refusal_is_recorded() {
    publish(DOOR);
    start("door", "d");
    Rejection rejection = rejected(Command.Send.of("d", "unlock", null).by(BOT));
    assertThat(rejection.code()).isEqualTo(Rejection.Code.ROLE_REQUIRED);
    InstanceRow row = row("d");
    assertThat(row.sequence()).isEqualTo(1);
    assertThat(row.refusals()).isEqualTo(1);
    String body =
        new String(
            journal.history(row.number(), Chain.REFUSALS, 1, 1).getFirst().body(),
            StandardCharsets.UTF_8);
    assertThat(body).contains("\"code\":\"role-required\"", "\"name\":\"bot\"", "LOCKED");
  }

  @Test
  void data_of_another_form_is_refused() {
    publish(DOOR);
    start("door", "d");
    assertThat(rejected(Command.Send.of("d", "paint", Map.of("colour", 5))).code())
        .isEqualTo(Rejection.Code.DATA_MISMATCH);
    assertThat(rejected(Command.Send.of("d", "paint", Map.of("colour", Double.NaN))).code())
        .isEqualTo(Rejection.Code.BAD_DATA);
    assertThat(
            rejected(Command.Send.of("d", "paint", Map.of("colour", "x".repeat(300_000)))).code())
        .isEqualTo(Rejection.Code.TOO_LARGE);
    accepted(Command.Send.of("d", "paint", Map.of("colour", "red")));
  }

  @Test
  void data_is_measured_in_bytes() {
    publish(DOOR);
    start("door", "d");
    String wide = "\u20ac".repeat(100_000);
    assertThat(rejected(Command.Send.of("d", "paint", Map.of("colour", wide))).message())
        .contains("but found 300,013;");
    accepted(Command.Send.of("d", "paint", Map.of("colour", "\ud83d\ude80".repeat(60_000))));
  }

  @Test
  void an_id_that_a_store_could_not_keep_is_refused_and_nobody_has_it() {
    publish(DOOR);
    for (String id : List.of("", "d".repeat(501), "d\u0000", "d\ud83d", "d\n", "d\ufffd")) {
      Command start = new Command.Start("door", id, Map.of(), ANN, null);
      assertThat(rejected(start).code()).as(id).isEqualTo(Rejection.Code.BAD_DATA);
    }
    start("door", "d".repeat(500));
    start("door", "caf\u00e9 \ud83d\ude80/1");
    assertThat(rejected(Command.Send.of("d\u0000", "knock", null)).code())
        .isEqualTo(Rejection.Code.UNKNOWN_INSTANCE);
    assertThat(rejected(new Command.Cancel("d\ud83d", ANN, null)).code())
        .isEqualTo(Rejection.Code.UNKNOWN_INSTANCE);
    assertThat(journal.query(Query.ALL)).hasSize(2);
  }

  @Test
  void the_same_key_gets_the_same_answer() {
    publish(DOOR);
    start("door", "d");
    Command.Send knock = Command.Send.of("d", "knock", null).key("k-1");
    Receipt first = accepted(knock);
    accepted(Command.Send.of("d", "knock", null));
    assertThat(accepted(knock)).isEqualTo(first);
    Command.Send close = Command.Send.of("d", "close", null).key("k-2");
    Rejection refused = rejected(close);
    accepted(Command.Send.of("d", "unlock", null).by(ANN));
    assertThat(rejected(close).code()).isEqualTo(refused.code());
    box = open();
    assertThat(accepted(knock)).isEqualTo(first);
    assertThat(row("d").sequence()).isEqualTo(4);
  }

  @Test
  void the_same_key_twice_in_one_group_is_carried_out_once() {
    publish(DOOR);
    start("door", "d");
    Command.Send knock = Command.Send.of("d", "knock", null).key("k-1");
    CompletableFuture<Reply> one = box.submit(knock);
    CompletableFuture<Reply> two = box.submit(knock);
    box.rest();
    assertThat(one.join()).isEqualTo(two.join());
    assertThat(row("d").sequence()).isEqualTo(2);
  }

  @Test
  void a_start_with_the_same_key_is_the_same_instance() {
    publish(DOOR);
    Command.Start start = new Command.Start("door", null, Map.of(), ANN, "once");
    assertThat(accepted(start)).isEqualTo(accepted(start));
    start("door", "d");
    assertThat(rejected(new Command.Start("door", "d", Map.of(), ANN, null)).code())
        .isEqualTo(Rejection.Code.INSTANCE_EXISTS);
  }

  @Test
  void an_id_that_only_the_store_knows_is_not_given_away_again() {
    publish(DOOR);
    Command.Start keyed = new Command.Start("door", "d", Map.of(), ANN, "first");
    Reply first = reply(keyed);
    accepted(Command.Send.of("d", "unlock", null).by(ANN));
    box = open();
    CompletableFuture<Reply> another =
        box.submit(new Command.Start("door", "d", Map.of(), ANN, null));
    CompletableFuture<Reply> burnt = box.submit(Command.Send.of("d", "burn", null));
    CompletableFuture<Reply> repeated = box.submit(keyed);
    box.rest();
    assertThat(((Reply.Rejected) another.join()).rejection().code())
        .isEqualTo(Rejection.Code.INSTANCE_EXISTS);
    assertThat(((Reply.Accepted) burnt.join()).receipt().states()).containsExactly("ASHES");
    assertThat(repeated.join()).isEqualTo(first);
    assertThat(row("d").sequence()).isEqualTo(3);
    assertThat(row("d").refusals()).isZero();
  }

  @Test
  void a_start_that_would_be_refused_now_gets_the_answer_that_its_key_got() {
    publish(DOOR);
    Reply first = reply(new Command.Start("door", "d", Map.of(), ANN, "first"));
    box = open();
    Map<String, Object> wrong = Map.of("knocks", "many");
    assertThat(reply(new Command.Start("door", "d", wrong, ANN, "first"))).isEqualTo(first);
    assertThat(reply(new Command.Start("door", "e", wrong, ANN, "first")))
        .isInstanceOf(Reply.Rejected.class);
  }

  @Test
  void who_expects_another_sequence_is_refused() {
    publish(DOOR);
    start("door", "d");
    assertThat(rejected(Command.Send.of("d", "knock", null).expecting(7)).code())
        .isEqualTo(Rejection.Code.STALE_SEQUENCE);
    accepted(Command.Send.of("d", "knock", null).expecting(1));
  }

  @Test
  void what_is_not_there_is_named() {
    publish(DOOR);
    assertThat(rejected(Command.Send.of("x", "knock", null)).code())
        .isEqualTo(Rejection.Code.UNKNOWN_INSTANCE);
    assertThat(rejected(new Command.Start("window", null, Map.of(), ANN, null)).message())
        .contains("window")
        .contains("door");
  }

  @Test
  void a_deadline_fires_at_its_time_and_once() {
    publish(DOOR);
    start("door", "d");
    accepted(Command.Send.of("d", "unlock", null).by(ANN));
    clock.advance(Duration.ofMillis(299_999));
    box.rest();
    assertThat(states("d")).containsExactly("OPEN");
    clock.advance(Duration.ofMillis(1));
    box.rest();
    assertThat(states("d")).containsExactly("LOCKED");
    clock.advance(Duration.ofHours(1));
    box.rest();
    assertThat(row("d").sequence()).isEqualTo(3);
  }

  @Test
  void a_deadline_that_passed_while_nothing_ran_fires_at_start() {
    publish(DOOR);
    start("door", "d");
    accepted(Command.Send.of("d", "unlock", null).by(ANN));
    clock.advance(Duration.ofDays(1));
    box = open();
    box.rest();
    assertThat(states("d")).containsExactly("LOCKED");
  }

  @Test
  void a_paused_instance_stands_still_with_stopped_clocks() {
    publish(DOOR);
    start("door", "d");
    accepted(Command.Send.of("d", "unlock", null).by(ANN));
    clock.advance(Duration.ofMinutes(4));
    accepted(new Command.Pause("d", Command.Clocks.STOPPED, ANN, null));
    clock.advance(Duration.ofHours(1));
    box.rest();
    assertThat(rejected(Command.Send.of("d", "close", null)).code())
        .isEqualTo(Rejection.Code.INSTANCE_PAUSED);
    box = open();
    accepted(new Command.Resume("d", ANN, null));
    clock.advance(Duration.ofSeconds(59));
    box.rest();
    assertThat(states("d")).containsExactly("OPEN");
    clock.advance(Duration.ofSeconds(1));
    box.rest();
    assertThat(states("d")).containsExactly("LOCKED");
    assertThat(rejected(new Command.Resume("d", ANN, null)).code())
        .isEqualTo(Rejection.Code.NOT_PAUSED);
  }

  @Test
  void a_paused_instance_with_running_clocks_fires_late_timers_when_it_goes_on() {
    publish(DOOR);
    start("door", "d");
    accepted(Command.Send.of("d", "unlock", null).by(ANN));
    accepted(new Command.Pause("d", Command.Clocks.RUNNING, ANN, null));
    clock.advance(Duration.ofHours(1));
    box.rest();
    assertThat(states("d")).containsExactly("OPEN");
    accepted(new Command.Resume("d", ANN, null));
    assertThat(states("d")).containsExactly("LOCKED");
  }

  @Test
  void a_cancelled_instance_takes_nothing_any_more() {
    publish(DOOR);
    start("door", "d");
    accepted(Command.Send.of("d", "unlock", null).by(ANN));
    assertThat(accepted(new Command.Cancel("d", ANN, null)).ended()).isTrue();
    assertThat(rejected(Command.Send.of("d", "close", null)).code())
        .isEqualTo(Rejection.Code.INSTANCE_FINAL);
    assertThat(rejected(new Command.Cancel("d", ANN, null)).code())
        .isEqualTo(Rejection.Code.INSTANCE_FINAL);
    clock.advance(Duration.ofHours(1));
    box.rest();
    assertThat(row("d").sequence()).isEqualTo(3);
  }

  @Test
  void instances_are_found_by_their_searchable_fields() {
    publish(DOOR);
    start("door", "d");
    start("door", "e");
    accepted(Command.Send.of("d", "sell", Map.of("to", "ann")));
    assertThat(journal.query(Query.ALL.with(Map.of("owner", "ann"))))
        .extracting(InstanceRow::id)
        .containsExactly("d");
    accepted(Command.Send.of("d", "sell", Map.of("to", "bob")));
    assertThat(journal.query(Query.ALL.with(Map.of("owner", "ann")))).isEmpty();
  }

  private static final String CALLER =
      """
      machine: caller
      context:
        answer: { type: any, default: null, optional: true }
      states:
        IDLE:
          on:
            call:
              to: WAITING
              do:
                - perform: { effect: phone, idempotent: IDEMPOTENT, with: { number: 5 } }
        WAITING:
          waits: the answer comes
          on:
            phone.succeeded: { to: DONE, assign: { answer: event.said } }
            phone.failed: FAILED
            phone.unknown: UNCLEAR
        DONE: { final: true }
        FAILED: { final: true }
        UNCLEAR: { final: true }
      """;

  private void caller(boolean idempotent) {
    publish(CALLER.replace("IDEMPOTENT", String.valueOf(idempotent)));
    start("caller", "c");
  }

  @Test
  void an_effect_starts_after_its_commit_and_comes_back_as_an_event() {
    caller(true);
    List<EffectHandler.Call> calls = new ArrayList<>();
    box.handle(
        "phone",
        call -> {
          assertThat(states("c")).containsExactly("WAITING");
          calls.add(call);
          return Outcome.succeeded(Map.of("said", "hello"));
        });
    accepted(Command.Send.of("c", "call", null));
    assertThat(states("c")).containsExactly("DONE");
    assertThat(calls)
        .singleElement()
        .satisfies(call -> {
          assertThat(call.key()).isEqualTo("c#1");
          assertThat(call.input()).isEqualTo(Map.of("number", 5L));
        });
  }

  @Test
  void a_handler_that_says_later_is_asked_again_with_the_same_key() {
    caller(true);
    List<String> keys = new ArrayList<>();
    box.handle(
        "phone",
        call -> {
          keys.add(call.key());
          return call.attempt() < 3
              ? new Outcome.RetryAfter(Duration.ofSeconds(10), "engaged")
              : Outcome.succeeded(Map.of("said", "x"));
        });
    accepted(Command.Send.of("c", "call", null));
    for (int i = 0; i < 5; i++) {
      clock.advance(Duration.ofSeconds(10));
      box.rest();
    }
    assertThat(keys).containsExactly("c#1", "c#1", "c#1");
    assertThat(states("c")).containsExactly("DONE");
  }

  @Test
  void an_idempotent_effect_that_was_cut_off_is_repeated_with_its_key() {
    caller(true);
    CompletableFuture<Reply> _ = box.submit(Command.Send.of("c", "call", null));
    box.work(10);
    box.seal();
    box.commit();
    assertThat(journal.claim("dead", List.of("phone"), 60_000, 1)).hasSize(1);
    box = open();
    box.handle("phone", call -> Outcome.succeeded(Map.of("said", "x")));
    box.rest();
    assertThat(states("c")).containsExactly("WAITING");
    clock.advance(Duration.ofMinutes(1));
    box.rest();
    assertThat(states("c")).containsExactly("DONE");
  }

  @Test
  void any_other_effect_that_was_cut_off_is_unknown_and_not_repeated() {
    caller(false);
    CompletableFuture<Reply> _ = box.submit(Command.Send.of("c", "call", null));
    box.work(10);
    box.seal();
    box.commit();
    assertThat(journal.claim("dead", List.of("phone"), 60_000, 1)).hasSize(1);
    clock.advance(Duration.ofMinutes(1));
    box = open();
    List<String> keys = new ArrayList<>();
    box.handle(
        "phone",
        call -> {
          keys.add(call.key());
          return Outcome.succeeded();
        });
    box.rest();
    assertThat(keys).isEmpty();
    assertThat(states("c")).containsExactly("UNCLEAR");
  }

  @Test
  void a_handler_that_throws_is_repeated_only_where_that_is_allowed() {
    caller(false);
    box.handle(
        "phone",
        call -> {
          throw new IllegalStateException("line dead");
        });
    accepted(Command.Send.of("c", "call", null));
    assertThat(states("c")).containsExactly("UNCLEAR");
  }

  @Test
  void nobody_can_forge_the_result_of_an_effect() {
    caller(true);
    accepted(Command.Send.of("c", "call", null));
    assertThat(rejected(Command.Send.of("c", "phone.succeeded", Map.of("said", "y"))).code())
        .isEqualTo(Rejection.Code.RESERVED_EVENT);
  }

  private static final String FAMILY =
      """
      machine: parent
      context:
        result: { type: any, default: null, optional: true }
      states:
        ALONE:
          on: { marry: BUSY }
        BUSY:
          waits: for the child
          invoke: { machine: child, id: kid, with: { task: "'sweep'" } }
          on:
            done.invoke.kid: { to: HAPPY, assign: { result: event.made } }
            error.communication: SAD
            leave: ALONE
            tell: { do: [ { send: { event: hurry, to: { child: kid } } } ] }
        HAPPY: { final: true }
        SAD: { final: true }
      ---
      machine: child
      context:
        task: { type: string, default: "" }
        hurried: { type: bool, default: false }
      states:
        WORKING:
          after: { 1h: MADE }
          on:
            hurry: { to: MADE, assign: { hurried: true } }
        MADE: { final: true, done: { made: ctx.task } }
      """;

  private void family() {
    MachineReader.readAll(new Source("test.yaml", FAMILY), null)
        .forEach(definition -> box.publish(Objects.requireNonNull(definition.machine())));
    start("parent", "p");
  }

  @Test
  void a_child_lives_and_its_end_reaches_the_parent() {
    family();
    accepted(Command.Send.of("p", "marry", null));
    assertThat(journal.query(Query.ALL.below("p"))).hasSize(1);
    clock.advance(Duration.ofHours(1));
    box.rest();
    assertThat(states("p")).containsExactly("HAPPY");
    assertThat(journal.messages(0, 10)).isEmpty();
  }

  @Test
  void a_message_to_a_child_reaches_it() {
    family();
    accepted(Command.Send.of("p", "marry", null));
    accepted(Command.Send.of("p", "tell", null));
    assertThat(states("p")).containsExactly("HAPPY");
  }

  @Test
  void leaving_the_state_cancels_the_child() {
    family();
    accepted(Command.Send.of("p", "marry", null));
    accepted(Command.Send.of("p", "leave", null));
    InstanceRow child = journal.query(Query.ALL.below("p")).getFirst();
    assertThat(child.status()).isEqualTo(InstanceRow.Status.ENDED);
    accepted(Command.Send.of("p", "marry", null));
    assertThat(journal.query(Query.ALL.below("p"))).hasSize(2);
    clock.advance(Duration.ofHours(1));
    box.rest();
    assertThat(states("p")).containsExactly("HAPPY");
  }

  @Test
  void who_invokes_its_like_for_ever_is_stopped_and_told() {
    publish(
        """
        machine: mirror
        states:
          SHOWING:
            waits: for the one within
            invoke: { machine: mirror, id: within }
            on: { done.invoke.within: DONE, error.communication: DARK }
          DARK: { waits: for light }
          DONE: { final: true }
        """);
    start("mirror", "m");
    String id = "m";
    int levels = 1;
    List<InstanceRow> below = journal.query(Query.ALL.below(id));
    while (!below.isEmpty()) {
      assertThat(states(id)).containsExactly("SHOWING");
      id = below.getFirst().id();
      levels++;
      below = journal.query(Query.ALL.below(id));
    }
    assertThat(levels).isEqualTo(Deliveries.MOST_LEVELS);
    assertThat(states(id)).containsExactly("DARK");
    assertThat(journal.messages(0, 10)).isEmpty();
  }

  @Test
  void strokes_in_an_id_are_no_levels_and_a_child_whose_id_grows_too_long_is_not_born() {
    family();
    start("parent", "a/".repeat(100));
    accepted(Command.Send.of("a/".repeat(100), "marry", null));
    assertThat(states("a/".repeat(100))).containsExactly("BUSY");
    start("parent", "b".repeat(499));
    accepted(Command.Send.of("b".repeat(499), "marry", null));
    assertThat(states("b".repeat(499))).containsExactly("SAD");
  }

  @Test
  void a_message_to_what_can_be_no_id_comes_back() {
    publish(
        """
        machine: caller
        events: { call: { data: { whom: string } } }
        states:
          IDLE:
            on:
              call: { do: [ { send: { event: hello, to: { instance: event.whom } } } ] }
              error.communication: ALONE
          ALONE: { waits: for nobody, on: { call: IDLE } }
        """);
    start("caller", "c");
    accepted(Command.Send.of("c", "call", Map.of("whom", "n\u0000body")));
    assertThat(states("c")).containsExactly("ALONE");
    assertThat(journal.messages(0, 10)).isEmpty();
  }

  @Test
  void messages_that_were_not_delivered_are_delivered_after_a_restart() {
    family();
    CompletableFuture<Reply> _ = box.submit(Command.Send.of("p", "marry", null));
    box.work(1);
    box.seal();
    box.commit();
    assertThat(journal.messages(0, 10)).hasSize(1);
    box = open();
    box.rest();
    assertThat(journal.query(Query.ALL.below("p"))).hasSize(1);
    assertThat(journal.messages(0, 10)).isEmpty();
  }

  @Test
  void a_child_whose_machine_is_missing_is_an_error_of_communication() {
    publish(FAMILY.substring(0, FAMILY.indexOf("---")));
    start("parent", "p");
    accepted(Command.Send.of("p", "marry", null));
    assertThat(states("p")).containsExactly("SAD");
  }

  @Test
  void mail_for_a_paused_instance_waits() {
    family();
    accepted(Command.Send.of("p", "marry", null));
    accepted(new Command.Pause("p", Command.Clocks.RUNNING, ANN, null));
    clock.advance(Duration.ofHours(1));
    box.rest();
    assertThat(states("p")).containsExactly("BUSY");
    assertThat(journal.messages(0, 10)).hasSize(1);
    accepted(new Command.Resume("p", ANN, null));
    assertThat(states("p")).containsExactly("HAPPY");
    assertThat(journal.messages(0, 10)).isEmpty();
  }

  @Test
  void a_timer_that_is_refused_halts_the_instance() {
    publish(
        """
        machine: fuse
        context:
          x: { type: int, default: 0 }
        states:
          LIT:
            after: { 1m: { to: OUT, assign: { x: 1 / ctx.x } } }
            on: { set: { assign: { x: 1 } }, out: OUT }
          OUT: { final: true }
        """);
    start("fuse", "f");
    clock.advance(Duration.ofMinutes(1));
    box.rest();
    assertThat(row("f").status()).isEqualTo(InstanceRow.Status.HALTED);
    assertThat(rejected(Command.Send.of("f", "out", null)).code())
        .isEqualTo(Rejection.Code.INSTANCE_HALTED);
    assertThat(accepted(new Command.Cancel("f", ANN, null)).ended()).isTrue();
  }

  @Test
  void a_timer_that_is_refused_halts_the_instance_in_the_store_also_where_no_refusal_is_kept() {
    Settings none =
        new Settings(
            100, 100, 1_024, 1L << 20, 0, 10, Duration.ofMinutes(1), 3, Duration.ofSeconds(1), 1);
    box = new SteppedSignalbox(journal, none, clock, new Random(2));
    publish(
        """
        machine: fuse
        context:
          x: { type: int, default: 0 }
        states:
          LIT:
            after: { 1m: { to: OUT, assign: { x: 1 / ctx.x } } }
            on: { out: OUT }
          OUT: { final: true }
        """);
    start("fuse", "f");
    clock.advance(Duration.ofMinutes(1));
    box.rest();
    assertThat(row("f").refusals()).isZero();
    assertThat(row("f").status()).isEqualTo(InstanceRow.Status.HALTED);
    assertThat(row("f").due()).isEqualTo(InstanceRow.NEVER);
    assertThat(accepted(new Command.Cancel("f", ANN, null)).ended()).isTrue();
  }

  @Test
  void an_instance_has_no_role_but_that_of_its_machine() {
    publish(
        """
        machine: safe
        events:
          open: { roles: [keeper] }
          log: { roles: [system, machine:visitor] }
        context: { opened: { type: int, default: 0 }, logged: { type: int, default: 0 } }
        states:
          SHUT:
            waits: for its keeper
            on:
              open: { assign: { opened: ctx.opened + 1 } }
              log: { assign: { logged: ctx.logged + 1 } }
        """);
    publish(
        """
        machine: visitor
        context: { told: { type: int, default: 0 } }
        states:
          THERE:
            waits: for orders
            invoke: { id: mine, machine: safe }
            on:
              own: { do: [ { send: { event: open, to: { child: mine } } } ] }
              other: { do: [ { send: { event: open, to: { instance: "'s'" } } } ] }
              named: { do: [ { send: { event: log, to: { instance: "'s'" } } } ] }
              forged: { do: [ { send: { event: done.state.x, to: { instance: "'s'" } } } ] }
              error.communication: { assign: { told: ctx.told + 1 } }
        """);
    start("safe", "s");
    start("visitor", "v");
    accepted(Command.Send.of("v", "own", null));
    accepted(Command.Send.of("v", "other", null));
    accepted(Command.Send.of("v", "named", null));
    accepted(Command.Send.of("v", "forged", null));

    Instance child = box.instances(Query.ALL.below("v")).getFirst();
    assertThat(child.context()).containsEntry("opened", 0L);
    assertThat(Objects.requireNonNull(box.find("s")).context())
        .containsEntry("opened", 0L)
        .containsEntry("logged", 1L);
    assertThat(Objects.requireNonNull(box.find("v")).context()).containsEntry("told", 3L);
    assertThat(
            journal.history(row("s").number(), Chain.REFUSALS, 1, 5).stream()
                .map(entry -> new String(entry.body(), StandardCharsets.UTF_8)))
        .satisfiesExactly(
            text -> assertThat(text).contains("role-required", "machine:visitor"),
            text -> assertThat(text).contains("reserved-event"));
    assertThat(journal.messages(0, 10)).isEmpty();
  }
}
