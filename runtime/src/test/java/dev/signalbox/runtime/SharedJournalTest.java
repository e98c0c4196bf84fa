package dev.signalbox.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.memory.MemoryJournal;
import dev.signalbox.kernel.Actor;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One node goes on with what another left, also where it remembers the instance as it was. */
class SharedJournalTest {
  private final ManualClock clock = new ManualClock();
  private final Journal journal = new MemoryJournal(clock, true);
  private final SteppedSignalbox one = node(1);
  private final SteppedSignalbox two = node(2);

  private SteppedSignalbox node(long seed) {
    return new SteppedSignalbox(journal, Settings.DEFAULT, clock, new Random(seed));
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

  private static void done(SteppedSignalbox node, Command command) {
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
  void a_message_to_an_instance_that_a_dead_node_resumed_arrives() {
    done(one, Command.Send.of("m", "light", null));
    done(one, new Command.Pause("m", Command.Clocks.STOPPED, Actor.SYSTEM, null));
    done(one, Command.Send.of("l", "call", null));
    pollOne();
    var resumed = two.submit(new Command.Resume("m", Actor.SYSTEM, null));
    two.work(1);
    two.seal();
    two.commit();
    assertThat(resumed.join()).isInstanceOf(Reply.Accepted.class);
    pollOne();
    assertThat(journal.messages(0, 1)).isEmpty();
    assertThat(sequence("m")).isEqualTo(5);
  }
}
