package dev.signalbox.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.sqlite.SqliteJournal;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.ManualSignalbox;
import dev.signalbox.runtime.NotStartedException;
import dev.signalbox.runtime.Outcome;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Settings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Attempts, waits and the failures after which an effect is tried again, as its machine says. */
class DeclaredRetryTest {
  @TempDir Path folder;
  private final ManualClock clock = new ManualClock();
  private final List<Long> calls = new ArrayList<>();
  private RuntimeException thrown = new IllegalStateException("busy");
  private @Nullable Journal journal;

  @AfterEach
  void close() {
    if (journal != null) {
      journal.close();
    }
  }

  private static Machine caller(int version, boolean idempotent, String retry) {
    return MachineReader.read(
        new Source(
            "caller.yaml",
            """
            machine: caller
            version: %d
            states:
              IDLE: { on: { call: { to: WAITING, do: [ { perform: { effect: phone, idempotent: %s%s } } ] } } }
              WAITING:
                waits: the answer
                on: { noise: WAITING, phone.succeeded: DONE, phone.failed: FAILED, phone.unknown: UNCLEAR }
              DONE: { final: true }
              FAILED: { final: true }
              UNCLEAR: { final: true }
            """
                .formatted(version, idempotent, retry)));
  }

  /** A runtime on the file, after whatever had it before was closed. */
  private ManualSignalbox open() {
    close();
    Journal file = SqliteJournal.open(folder.resolve("box.db"), clock);
    journal = file;
    return new ManualSignalbox(file, Settings.DEFAULT, clock, new Random(1));
  }

  private void answer(ManualSignalbox box) {
    box.handle(
        "phone",
        _ -> {
          calls.add(clock.instant().getEpochSecond());
          throw thrown;
        });
  }

  private ManualSignalbox asked(boolean idempotent, String retry) {
    ManualSignalbox box = open();
    box.publish(caller(1, idempotent, retry));
    var _ = box.submit(new Command.Start("caller", "c", Map.of(), Actor.SYSTEM, null));
    var _ = box.submit(Command.Send.of("c", "call", null));
    box.rest();
    return box;
  }

  private List<String> later(ManualSignalbox box, int seconds) {
    for (int i = 0; i < seconds; i++) {
      box.rest();
      clock.advance(Duration.ofSeconds(1));
    }
    return Objects.requireNonNull(box.find("c")).leaves();
  }

  /** The seconds between the calls. */
  private List<Long> waits() {
    List<Long> waits = new ArrayList<>();
    for (int i = 1; i < calls.size(); i++) {
      waits.add(calls.get(i) - calls.get(i - 1));
    }
    return waits;
  }

  @Test
  void attempts_and_waits_are_those_of_the_declaration() {
    ManualSignalbox box =
        asked(true, ", retry: { attempts: 5, backoff: 2s, factor: 3, most: 20s }");
    answer(box);

    assertThat(later(box, 100)).containsExactly("FAILED");
    assertThat(waits()).containsExactly(2L, 6L, 18L, 20L);
  }

  @Test
  void without_a_declaration_the_settings_say() {
    ManualSignalbox box = asked(true, "");
    answer(box);

    assertThat(later(box, 600)).containsExactly("FAILED");
    assertThat(calls).hasSize(Settings.DEFAULT.attempts());
    assertThat(waits()).startsWith(1L, 2L, 4L, 8L);
  }

  @Test
  void what_was_not_started_is_tried_as_often_as_declared() {
    thrown = new NotStartedException("no line");
    ManualSignalbox box = asked(false, ", retry: { attempts: 3, backoff: 5s, factor: 1 }");
    answer(box);

    assertThat(later(box, 60)).containsExactly("FAILED");
    assertThat(waits()).containsExactly(5L, 5L);
  }

  @Test
  void what_was_not_started_has_failed_where_that_is_not_tried_again() {
    thrown = new NotStartedException("no line");
    ManualSignalbox box = asked(true, ", retry: { on: [thrown, cut_off] }");
    answer(box);

    assertThat(later(box, 60)).containsExactly("FAILED");
    assertThat(calls).hasSize(1);
  }

  @Test
  void what_threw_is_unknown_where_that_is_not_tried_again() {
    ManualSignalbox box = asked(true, ", retry: { on: not_started }");
    answer(box);

    assertThat(later(box, 60)).containsExactly("UNCLEAR");
    assertThat(calls).hasSize(1);
  }

  @Test
  void what_was_cut_off_is_unknown_where_that_is_not_tried_again() {
    ManualSignalbox box = asked(true, ", retry: { on: [not_started, thrown] }");
    LongWork.begunByTheDead(Objects.requireNonNull(journal), "phone");
    clock.advance(Duration.ofMinutes(1));
    answer(box);

    assertThat(later(box, 60)).containsExactly("UNCLEAR");
    assertThat(calls).isEmpty();
  }

  @Test
  void what_is_cut_off_again_and_again_is_tried_as_often_as_declared() {
    ManualSignalbox box = asked(true, ", retry: { attempts: 2 }");
    for (int i = 0; i < 2; i++) {
      LongWork.begunByTheDead(Objects.requireNonNull(journal), "phone");
      clock.advance(Duration.ofMinutes(1));
    }
    answer(box);

    assertThat(later(box, 60)).containsExactly("FAILED");
    assertThat(calls).isEmpty();
  }

  @Test
  void the_declaration_of_when_it_was_asked_for_holds_after_a_restart_a_migration_and_many_steps() {
    ManualSignalbox first = asked(true, ", retry: { attempts: 3, backoff: 4s, factor: 1 }");
    first.publish(caller(2, true, ", retry: { attempts: 7, backoff: 1s }"));
    var migrated = first.submit(new Command.Migrate("c", 2, Map.of(), Actor.SYSTEM, null));
    for (int i = 0; i < 150; i++) {
      var _ = first.submit(Command.Send.of("c", "noise", null));
    }
    first.rest();
    assertThat(migrated.join()).isInstanceOf(Reply.Accepted.class);
    ManualSignalbox box = open();
    answer(box);

    assertThat(later(box, 60)).containsExactly("FAILED");
    assertThat(waits()).containsExactly(4L, 4L);
  }

  @Test
  void a_success_after_failures_is_a_success() {
    ManualSignalbox box = asked(true, ", retry: { attempts: 3 }");
    box.handle(
        "phone",
        call -> {
          if (call.attempt() < 3) {
            throw thrown;
          }
          return Outcome.succeeded();
        });

    assertThat(later(box, 60)).containsExactly("DONE");
  }
}
