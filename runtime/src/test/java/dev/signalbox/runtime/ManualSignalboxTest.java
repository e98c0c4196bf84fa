package dev.signalbox.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.journal.Chain;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Query;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Rejection;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What the runtime does with commands and time, on a clock that is moved. */
class ManualSignalboxTest extends SteppedFixture {
  private static final Actor BOT = new Actor(Actor.Kind.AGENT, "bot", List.of());

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
  void a_start_that_would_be_refused_anyway_is_told_that_its_key_is_taken() {
    publish(DOOR);
    Reply first = reply(new Command.Start("door", "d", Map.of(), ANN, "first"));
    assertThat(first).isInstanceOf(Reply.Accepted.class);
    box = open();
    Map<String, Object> wrong = Map.of("knocks", "many");
    assertThat(rejected(new Command.Start("door", "d", wrong, ANN, "first")).code())
        .isEqualTo(Rejection.Code.KEY_TAKEN);
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
    box = new ManualSignalbox(journal, none, clock, new Random(2));
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
}
