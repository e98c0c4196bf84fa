package dev.signalbox.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.Chain;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.memory.MemoryJournal;
import dev.signalbox.kernel.Actor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Whoever floods a node, nobody waits for ever. */
class TurnsTest {
  private static final int TURNS = 50;

  private final ManualClock clock = new ManualClock();
  private Journal journal = new MemoryJournal(clock);

  @AfterEach
  void the_journal_can_be_verified_and_replayed() {
    assertThat(Audit.verify(journal, _ -> {}).findings()).isEmpty();
  }

  private ManualSignalbox open(int groupSize, long seed) {
    Settings usual = Settings.DEFAULT;
    Settings settings =
        new Settings(
            usual.queue(),
            groupSize,
            usual.dataBytes(),
            usual.cacheBytes(),
            usual.refusals(),
            usual.races(),
            usual.lease(),
            usual.attempts(),
            usual.firstDelay(),
            usual.effectsAtOnce());
    ManualSignalbox box = new ManualSignalbox(journal, settings, clock, new Random(seed));
    box.publish(
        MachineReader.read(
            new Source(
                "clock.yaml",
                """
                machine: clock
                states:
                  TICKING: { after: { 1s: TICKING } }
                """)));
    box.publish(
        MachineReader.read(
            new Source(
                "counter.yaml",
                """
                machine: counter
                context: { n: { type: int, default: 0 } }
                states:
                  ON:
                    waits: a caller
                    on:
                      more: { assign: { n: ctx.n + 1 } }
                      tell: { do: [ { send: { event: tell, to: { instance: event.whom }, data: { whom: event.whom } } } ] }
                """)));
    return box;
  }

  private static void start(ManualSignalbox box, String machine, String id) {
    CompletableFuture<Reply> reply =
        box.submit(new Command.Start(machine, id, Map.of(), Actor.SYSTEM, null));
    box.rest();
    assertThat(reply.join()).isInstanceOf(Reply.Accepted.class);
  }

  private long sequence(String id) {
    return Objects.requireNonNull(journal.load(id)).sequence();
  }

  /** One group, as large as it may be. */
  private static void group(ManualSignalbox box) {
    box.step();
    boolean _ = box.commit();
  }

  private void a_caller_among_timers(int groupSize, int groups) {
    ManualSignalbox box = open(groupSize, 1);
    start(box, "counter", "c");
    for (int i = 0; i < 4 * groupSize; i++) {
      start(box, "clock", "t" + i);
    }
    for (int turn = 0; turn < TURNS; turn++) {
      clock.advance(Duration.ofSeconds(1));
      long end = journal.end();
      CompletableFuture<Reply> reply = box.submit(Command.Send.of("c", "more", null));
      for (int i = 0; i < groups; i++) {
        group(box);
      }
      assertThat(reply).as("turn %d", turn).isCompleted();
      assertThat(journal.end() - end).isEqualTo((long) groups * groupSize);
    }
  }

  @Test
  void a_caller_is_in_the_next_group_while_more_timers_are_due_than_fit() {
    a_caller_among_timers(8, 1);
  }

  @Test
  void where_a_group_is_one_command_they_take_turns() {
    a_caller_among_timers(1, 2);
  }

  @Test
  void timers_fire_while_more_callers_ask_than_fit() {
    ManualSignalbox box = open(8, 1);
    start(box, "counter", "c");
    start(box, "clock", "t");
    for (int turn = 0; turn < TURNS; turn++) {
      clock.advance(Duration.ofSeconds(1));
      for (int i = 0; i < 16; i++) {
        CompletableFuture<Reply> _ = box.submit(Command.Send.of("c", "more", null));
      }
      group(box);
      assertThat(sequence("t")).isEqualTo(turn + 2);
      assertThat(sequence("c")).isEqualTo(1 + (turn + 1) * 7);
    }
  }

  @Test
  void callers_and_timers_have_their_turns_while_more_messages_wait_than_fit() {
    ManualSignalbox box = open(8, 1);
    start(box, "clock", "t");
    start(box, "counter", "c");
    List<CompletableFuture<Reply>> floods = new ArrayList<>();
    for (int i = 0; i < 32; i++) {
      start(box, "counter", "m" + i);
    }
    // Each tells itself, again and again.
    for (int i = 0; i < 32; i++) {
      floods.add(box.submit(Command.Send.of("m" + i, "tell", Map.of("whom", "m" + i))));
    }
    while (!floods.stream().allMatch(CompletableFuture::isDone)) {
      group(box);
    }
    long told = sequence("m0");
    for (int turn = 0; turn < TURNS; turn++) {
      clock.advance(Duration.ofSeconds(1));
      CompletableFuture<Reply> reply = box.submit(Command.Send.of("c", "more", null));
      long ticks = sequence("t");
      group(box);
      assertThat(reply).as("turn %d", turn).isCompleted();
      assertThat(sequence("t")).isEqualTo(ticks + 1);
    }
    assertThat(sequence("m0")).isGreaterThan(told);
    // Otherwise what is on its way would be told for ever.
    assertThat(journal.messages(0, 100)).hasSize(32);
  }

  @Test
  void late_timers_fire_in_their_order_although_callers_ask() {
    ManualSignalbox box = open(4, 1);
    start(box, "counter", "c");
    List<Long> due = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      start(box, "clock", "t" + i);
      due.add(Objects.requireNonNull(journal.load("t" + i)).number());
      clock.advance(Duration.ofMillis(1));
    }
    clock.advance(Duration.ofMillis(1_000 - 40 + 39));
    long end = journal.end();
    for (int i = 0; i < 20; i++) {
      CompletableFuture<Reply> _ = box.submit(Command.Send.of("c", "more", null));
      CompletableFuture<Reply> _ = box.submit(Command.Send.of("c", "more", null));
      group(box);
    }
    long counter = Objects.requireNonNull(journal.load("c")).number();
    List<Long> fired =
        journal.entries(end, 1_000).stream()
            .map(e -> e.row().instance())
            .filter(number -> number != counter)
            .toList();
    assertThat(fired).isEqualTo(due);
  }

  @Test
  void what_was_lost_to_another_node_goes_before_what_was_asked_later() {
    journal = new MemoryJournal(clock, true);
    ManualSignalbox one = open(2, 1);
    ManualSignalbox two = open(2, 2);
    start(one, "counter", "c");
    CompletableFuture<Reply> first = one.submit(send("first"));
    CompletableFuture<Reply> second = one.submit(send("second"));
    one.step();
    CompletableFuture<Reply> other = two.submit(send("other"));
    two.rest();
    CompletableFuture<Reply> third = one.submit(send("third"));
    CompletableFuture<Reply> fourth = one.submit(send("fourth"));
    one.rest();
    assertThat(List.of(first, second, third, fourth, other)).allMatch(CompletableFuture::isDone);
    InstanceRow row = Objects.requireNonNull(journal.load("c"));
    assertThat(journal.history(row.number(), Chain.STEPS, 2, 10).stream().map(e -> e.key()))
        .containsExactly("other", "first", "second", "third", "fourth");
  }

  private static Command send(String key) {
    return Command.Send.of("c", "more", null).key(key);
  }
}
