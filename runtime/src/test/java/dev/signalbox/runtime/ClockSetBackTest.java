package dev.signalbox.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.sqlite.SqliteJournal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What waits on one node whose clock is set. */
class ClockSetBackTest {
  @TempDir private Path folder;
  private final ManualClock clock = new ManualClock();

  private static final String EGG =
      """
      machine: egg
      states:
        RAW: { after: { 2s: BOILED } }
        BOILED: { final: true }
      """;

  private static final String COOK =
      """
      machine: cook
      states:
        READY: { waits: x, on: { go: COOKING } }
        COOKING:
          entry: [ { perform: { effect: boil, idempotent: true } } ]
          waits: x
          on: { boil.succeeded: DONE, boil.failed: DONE }
        DONE: { final: true }
      """;

  private ManualSignalbox open(Journal journal) {
    ManualSignalbox box = new ManualSignalbox(journal, Settings.DEFAULT, clock, new Random(1));
    box.publish(MachineReader.read(new Source("egg.yaml", EGG)));
    box.publish(MachineReader.read(new Source("cook.yaml", COOK)));
    return box;
  }

  private static void start(ManualSignalbox box, String machine, String id) {
    var reply = box.submit(new Command.Start(machine, id, Map.of(), SteppedFixture.ANN, null));
    box.rest();
    assertThat(reply.join()).isInstanceOf(Reply.Accepted.class);
  }

  private static boolean isOver(Journal journal, String id) {
    return Objects.requireNonNull(journal.load(id)).status()
        == dev.signalbox.journal.InstanceRow.Status.ENDED;
  }

  @Test
  void who_waits_for_two_seconds_waits_for_two_although_the_clock_is_set_back() {
    try (Journal journal = SqliteJournal.open(folder.resolve("a.db"), clock)) {
      ManualSignalbox box = open(journal);
      start(box, "egg", "a");
      clock.advance(Duration.ofHours(-1));
      box.rest();
      start(box, "egg", "b");
      clock.advance(Duration.ofMillis(1_900));
      box.rest();
      assertThat(isOver(journal, "a")).isFalse();
      assertThat(isOver(journal, "b")).isFalse();
      clock.advance(Duration.ofMillis(200));
      box.rest();
      assertThat(isOver(journal, "a")).isTrue();
      assertThat(isOver(journal, "b")).isTrue();
    }
  }

  @Test
  void effects_start_although_the_clock_is_set_back() {
    try (Journal journal = SqliteJournal.open(folder.resolve("a.db"), clock)) {
      ManualSignalbox box = open(journal);
      AtomicInteger boiled = new AtomicInteger();
      box.handle(
          "boil",
          _ -> {
            boiled.incrementAndGet();
            return new Outcome.Succeeded(null);
          });
      start(box, "cook", "c");
      clock.advance(Duration.ofHours(-1));
      var _ = box.submit(Command.Send.of("c", "go", null));
      box.rest();
      while (box.perform()) {
        box.rest();
      }
      box.rest();
      assertThat(boiled).hasValue(1);
      assertThat(isOver(journal, "c")).isTrue();
    }
  }

  @Test
  void set_forward_the_clock_is_believed() {
    try (Journal journal = SqliteJournal.open(folder.resolve("a.db"), clock)) {
      ManualSignalbox box = open(journal);
      start(box, "egg", "a");
      clock.advance(Duration.ofHours(1));
      box.rest();
      assertThat(isOver(journal, "a")).isTrue();
    }
  }
}
