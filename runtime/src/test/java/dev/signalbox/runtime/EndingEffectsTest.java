package dev.signalbox.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.Chain;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.memory.MemoryJournal;
import dev.signalbox.kernel.Actor;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The result of an effect that ends with a state is for the stay in which it was asked for. */
class EndingEffectsTest {
  private final ManualClock clock = new ManualClock();
  private final Journal journal = new MemoryJournal(clock);
  private final ManualSignalbox box =
      new ManualSignalbox(journal, Settings.DEFAULT, clock, new Random(1));

  @BeforeEach
  void somebody_digs() {
    box.publish(
        MachineReader.read(
            new Source(
                "digging.yaml",
                """
                machine: digging
                context:
                  by: { type: string, default: "" }
                states:
                  IDLE: { waits: for somebody, on: { dig: DIGGING } }
                  DIGGING:
                    entry: [ { perform: { effect: dig, idempotent: false, during: DIGGING } } ]
                    waits: for the spade
                    on:
                      dig.succeeded: { to: DUG, assign: { by: event.key } }
                      dig.failed: IDLE
                      dig.unknown: IDLE
                      halt: IDLE
                  DUG: { final: true }
                """)));
    box.handle("dig", call -> Outcome.succeeded(Map.of("key", call.key())));
    ask(new Command.Start("digging", "d", Map.of(), Actor.SYSTEM, null));
    ask(Command.Send.of("d", "dig", null));
    commit();
    commit();
  }

  @AfterEach
  void the_journal_can_be_verified_and_replayed() {
    assertThat(Audit.verify(journal, _ -> {}).findings()).isEmpty();
  }

  private void ask(Command command) {
    CompletableFuture<Reply> _ = box.submit(command);
  }

  /** What was asked so far is durable, and no effect is begun. */
  private void commit() {
    box.step();
    boolean _ = box.commit();
  }

  private @Nullable Object by() {
    return Objects.requireNonNull(box.find("d")).context().get("by");
  }

  private List<Object> refused() {
    long number = Objects.requireNonNull(journal.load("d")).number();
    return journal.history(number, Chain.REFUSALS, 1, 10).stream()
        .<Object>map(entry -> Objects.requireNonNull(Ledger.body(entry).get("code")))
        .toList();
  }

  @Test
  void what_was_left_and_entered_again_in_the_same_commit_does_not_get_it() {
    ask(Command.Send.of("d", "halt", null));
    ask(Command.Send.of("d", "dig", null));
    assertThat(box.perform()).isTrue();
    box.rest();
    assertThat(by()).isEqualTo("d#2");
    assertThat(refused()).containsExactly("late-result");
  }

  @Test
  void what_was_left_and_entered_again_after_a_pause_does_not_get_it() {
    ask(new Command.Pause("d", Command.Clocks.STOPPED, Actor.SYSTEM, null));
    box.rest();
    assertThat(journal.messages(0, 10)).hasSize(1);
    ask(new Command.Resume("d", Actor.SYSTEM, null));
    ask(Command.Send.of("d", "halt", null));
    ask(Command.Send.of("d", "dig", null));
    box.rest();
    assertThat(by()).isEqualTo("d#2");
    assertThat(refused()).containsExactly("late-result");
    assertThat(journal.messages(0, 10)).isEmpty();
  }

  @Test
  void what_was_never_left_gets_it_after_a_pause() {
    ask(new Command.Pause("d", Command.Clocks.STOPPED, Actor.SYSTEM, null));
    box.rest();
    ask(new Command.Resume("d", Actor.SYSTEM, null));
    box.rest();
    assertThat(by()).isEqualTo("d#1");
    assertThat(refused()).isEmpty();
  }
}
