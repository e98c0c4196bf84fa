package dev.signalbox.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.JournalException;
import dev.signalbox.journal.memory.MemoryJournal;
import dev.signalbox.runtime.Archive;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.EffectHandler;
import dev.signalbox.runtime.ManualSignalbox;
import dev.signalbox.runtime.NotStartedException;
import dev.signalbox.runtime.Outcome;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.SigningKey;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What counts as an attempt at an effect, and what becomes of one whose handler throws. */
class EffectAttemptsTest {
  private final ManualClock clock = new ManualClock();
  private final MemoryJournal journal = new MemoryJournal(clock);
  private final AtomicInteger calls = new AtomicInteger();
  private boolean failing;

  private final ForwardingJournal store =
      new ForwardingJournal(journal) {
        @Override
        public @Nullable InstanceRow load(long number) {
          if (failing) {
            throw new JournalException("The store does not answer.", new IllegalStateException());
          }
          return super.load(number);
        }

        @Override
        public boolean postpone(long effect, long fence, long due, boolean released) {
          if (failing) {
            throw new JournalException("The store does not answer.", new IllegalStateException());
          }
          return super.postpone(effect, fence, due, released);
        }
      };

  private ManualSignalbox asked(boolean idempotent, EffectHandler handler) {
    ManualSignalbox box = new ManualSignalbox(store, Settings.DEFAULT, clock, new Random(1));
    box.publish(
        MachineReader.read(
            new Source(
                "caller.yaml",
                """
                machine: caller
                states:
                  IDLE: { on: { call: { to: WAITING, do: [ { perform: { effect: phone, idempotent: %s } } ] } } }
                  WAITING:
                    waits: the answer
                    on: { phone.succeeded: DONE, phone.failed: FAILED, phone.unknown: UNCLEAR }
                  DONE: { final: true }
                  FAILED: { final: true }
                  UNCLEAR: { final: true }
                """
                    .formatted(idempotent))));
    box.handle(
        "phone",
        call -> {
          calls.incrementAndGet();
          return handler.handle(call);
        });
    var _ = box.submit(new Command.Start("caller", "c", java.util.Map.of(), ACTOR, null));
    var _ = box.submit(Command.Send.of("c", "call", null));
    box.rest();
    return box;
  }

  private static final dev.signalbox.kernel.Actor ACTOR = dev.signalbox.kernel.Actor.SYSTEM;

  private List<String> later(ManualSignalbox box) {
    for (int i = 0; i < 40; i++) {
      clock.advance(Duration.ofHours(2));
      box.rest();
    }
    return Objects.requireNonNull(box.find("c")).leaves();
  }

  @Test
  void errors_count_as_attempts() {
    ManualSignalbox box =
        asked(
            true,
            _ -> {
              throw new StackOverflowError();
            });

    assertThat(later(box)).containsExactly("FAILED");
    assertThat(calls).hasValue(Settings.DEFAULT.attempts());
  }

  @Test
  void an_error_of_what_must_not_be_repeated_is_unknown() {
    ManualSignalbox box =
        asked(
            false,
            _ -> {
              throw new AssertionError("no");
            });

    assertThat(later(box)).containsExactly("UNCLEAR");
    assertThat(calls).hasValue(1);
  }

  @Test
  void what_was_not_started_is_tried_again_and_then_has_failed() {
    ManualSignalbox box =
        asked(
            false,
            _ -> {
              throw new NotStartedException("no line");
            });

    assertThat(later(box)).containsExactly("FAILED");
    assertThat(calls).hasValue(Settings.DEFAULT.attempts());
  }

  @Test
  void a_success_that_is_no_json_is_unknown_where_it_must_not_be_repeated() {
    ManualSignalbox box = asked(false, _ -> Outcome.succeeded(Double.NaN));

    assertThat(later(box)).containsExactly("UNCLEAR");
  }

  @Test
  void an_effect_that_kills_its_process_is_not_repeated_for_ever() {
    ManualSignalbox box = asked(true, _ -> new Outcome.RetryAfter(Duration.ofMinutes(1), "first"));
    for (int i = 0; i < Settings.DEFAULT.attempts(); i++) {
      clock.advance(Duration.ofHours(1));
      assertThat(journal.claim("dead", List.of("phone"), 1_000, 1)).hasSize(1);
    }
    int before = calls.get();

    assertThat(later(box)).containsExactly("FAILED");
    assertThat(calls).hasValue(before);
  }

  @Test
  void a_failed_read_before_the_handler_leaves_the_effect_to_be_done() {
    failing = true;
    ManualSignalbox box = asked(false, _ -> Outcome.succeeded());
    clock.advance(Duration.ofHours(1));
    box.rest();
    failing = false;

    assertThat(later(box)).containsExactly("DONE");
    assertThat(calls).hasValue(1);
  }

  @Test
  void an_effect_that_was_taken_before_its_instance_was_archived_is_not_begun(@TempDir Path folder)
      throws IOException {
    ManualSignalbox box = new ManualSignalbox(store, Settings.DEFAULT, clock, new Random(1));
    box.publish(
        MachineReader.read(
            new Source(
                "digger.yaml",
                """
                machine: digger
                states:
                  DIGGING:
                    entry: [ { perform: { effect: dig, idempotent: true, during: DIGGING } } ]
                    on: { dig.succeeded: DONE, dig.failed: DONE, dig.unknown: DONE, halt: DONE }
                  DONE: { final: true }
                """)));
    box.handle(
        "dig",
        _ -> {
          calls.incrementAndGet();
          return Outcome.succeeded();
        });
    var _ = box.submit(new Command.Start("digger", "d", java.util.Map.of(), ACTOR, null));
    while (box.step() || box.commit()) {
      assertThat(box.attempts()).isZero();
    }
    assertThat(box.claim()).isTrue();
    var _ = box.submit(Command.Send.of("d", "halt", null));
    while (box.step() || box.commit()) {
      assertThat(box.attempts()).isOne();
    }
    clock.advance(Duration.ofSeconds(1));
    Archive.write(journal, SigningKey.fresh(), folder.resolve("a.jsonl"), clock.millis(), 10);
    assertThat(journal.load("d")).isNull();
    box.attempt(0);
    assertThat(calls).hasValue(0);
  }
}
