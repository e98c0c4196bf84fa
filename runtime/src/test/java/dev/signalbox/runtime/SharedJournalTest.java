package dev.signalbox.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.memory.MemoryJournal;
import dev.signalbox.kernel.Actor;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One node goes on with what another left, also where it remembers the instance as it was. */
class SharedJournalTest {
  private final ManualClock clock = new ManualClock();
  private final Journal journal = new MemoryJournal(clock, true);
  private final ManualSignalbox one = node(1);
  private final ManualSignalbox two = node(2);

  private ManualSignalbox node(long seed) {
    return new ManualSignalbox(journal, Settings.DEFAULT, clock, new Random(seed));
  }

  @BeforeEach
  void published() {
    one.publish(
        MachineReader.read(
            new Source(
                "lamp.yaml",
                """
                machine: lamp
                states:
                  DARK:
                    waits: for someone
                    on:
                      light: LIT
                      call: { do: [ { send: { event: hello, to: { instance: "'m'" } } } ] }
                  LIT:
                    after: { 5m: DARK }
                    on: { hello: DARK }
                """)));
    start("l");
    start("m");
  }

  private void start(String id) {
    done(one, new Command.Start("lamp", id, Map.of(), Actor.SYSTEM, null));
  }

  private static void done(ManualSignalbox node, Command command) {
    var reply = node.submit(command);
    node.rest();
    assertThat(reply.join()).isInstanceOf(Reply.Accepted.class);
  }

  private long sequence(String id) {
    return Objects.requireNonNull(journal.load(id)).sequence();
  }

  private void pollOne() {
    for (int i = 0; i < 3; i++) {
      one.poll();
      one.rest();
    }
  }

  @Test
  void a_timer_that_a_dead_node_set_fires_elsewhere() {
    done(two, Command.Send.of("l", "light", null));
    clock.advance(Duration.ofMinutes(5));
    pollOne();
    assertThat(sequence("l")).isEqualTo(3);
  }

  @Test
  void timers_of_one_instance_that_are_due_together_fire_without_waiting_for_the_next_look() {
    one.publish(
        MachineReader.read(
            new Source(
                "bell.yaml",
                """
                machine: bell
                context: { rung: { type: int, default: 0 } }
                states:
                  HUNG:
                    waits: for someone
                    on:
                      wind: { do: [ { send: { event: ring, after: 5m } } ] }
                      ring: { assign: { rung: ctx.rung + 1 } }
                """)));
    done(one, new Command.Start("bell", "b", Map.of(), Actor.SYSTEM, null));
    for (int i = 0; i < 30; i++) {
      done(one, Command.Send.of("b", "wind", null));
    }
    clock.advance(Duration.ofMinutes(5));
    one.poll();
    one.rest();
    assertThat(one.at("b", sequence("b")).context()).containsEntry("rung", 30L);
  }

  @Test
  void a_message_to_an_instance_that_a_dead_node_resumed_arrives() {
    done(one, Command.Send.of("m", "light", null));
    done(one, new Command.Pause("m", Command.Clocks.STOPPED, Actor.SYSTEM, null));
    done(one, Command.Send.of("l", "call", null));
    pollOne();
    var resumed = two.submit(new Command.Resume("m", Actor.SYSTEM, null));
    two.step();
    two.commit();
    assertThat(resumed.join()).isInstanceOf(Reply.Accepted.class);
    pollOne();
    assertThat(journal.messages(0, 1)).isEmpty();
    assertThat(sequence("m")).isEqualTo(5);
  }

  /** A node whose groups have room for so many commands, and at which so many may wait. */
  private static Settings small(int groupSize, int queue) {
    Duration lease = Duration.ofSeconds(30);
    return new Settings(
        queue, groupSize, 1_024, 1L << 20, 100, 10, lease, 3, Duration.ofMillis(50), 1);
  }

  private static List<CompletableFuture<Reply>> starts(ManualSignalbox node, int many) {
    return IntStream.range(0, many)
        .mapToObj(i -> new Command.Start("lamp", "s" + i, Map.of(), Actor.SYSTEM, null))
        .map(node::submit)
        .toList();
  }

  @Test
  void a_timer_that_waits_for_a_slow_commit_takes_one_turn_however_long_it_waits() {
    ManualClock behind = new ManualClock();
    var node = new ManualSignalbox(journal, small(4, 100), behind, new Random(3));
    done(node, Command.Send.of("l", "light", null));
    clock.advance(Duration.ofMinutes(5));
    behind.advance(Duration.ofMinutes(5).minusMillis(1));
    node.poll();
    node.rest();
    assertThat(sequence("l")).isEqualTo(2);

    // Refused, which is written too: the instance is in a group on its way.
    var slow = node.submit(Command.Send.of("l", "light", null));
    node.step();
    assertThat(node.toAppend()).isEqualTo(1);
    behind.advance(Duration.ofMillis(1));
    for (int i = 0; i < 100; i++) {
      behind.advance(Duration.ofMillis(100));
      node.step();
    }
    var replies = starts(node, 3);
    node.commit();
    node.step();
    node.commit();
    assertThat(replies).allMatch(CompletableFuture::isDone);
    assertThat(slow).isDone();
    assertThat(sequence("l")).isEqualTo(3);
  }

  @Test
  void commands_that_wait_for_a_slow_commit_are_not_more_than_may_wait() {
    var node = new ManualSignalbox(journal, small(50, 5), clock, new Random(3));
    var slow = node.submit(Command.Send.of("l", "light", null));
    node.step();
    assertThat(node.toAppend()).isEqualTo(1);
    var late =
        IntStream.range(0, 20).mapToObj(_ -> node.submit(Command.Send.of("l", "call", null)));
    List<CompletableFuture<Reply>> waiting = late.toList();
    node.step();
    var other = starts(node, 1).getFirst();
    node.step();
    node.commit(node.toAppend() - 1);
    assertThat(other).as("behind those who wait").isNotDone();
    node.rest();
    assertThat(slow).isDone();
    assertThat(waiting).allMatch(CompletableFuture::isDone);
    assertThat(other).isDone();
  }
}
