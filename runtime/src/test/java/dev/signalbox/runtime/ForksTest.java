package dev.signalbox.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.signalbox.journal.Chain;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Query;
import dev.signalbox.kernel.Rejection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Instances as they were, and as they might have gone on. */
class ForksTest extends SteppedFixture {
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
    List<String> performed = new ArrayList<>();
    box.handle(
        "ring",
        call -> {
          performed.add(call.key());
          return Outcome.succeeded();
        });
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
}
