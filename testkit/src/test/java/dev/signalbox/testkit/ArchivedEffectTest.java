package dev.signalbox.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.memory.MemoryJournal;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Archive;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.ManualSignalbox;
import dev.signalbox.runtime.Outcome;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.SigningKey;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nobody begins what an instance asked for that is not in the store any more. */
class ArchivedEffectTest {
  private final ManualClock clock = new ManualClock();
  private final MemoryJournal journal = new MemoryJournal(clock);
  private final AtomicInteger calls = new AtomicInteger();

  @Test
  void an_effect_that_was_taken_before_its_instance_was_archived_is_not_begun(@TempDir Path folder)
      throws IOException {
    ManualSignalbox box = new ManualSignalbox(journal, Settings.DEFAULT, clock, new Random(1));
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
    var _ = box.submit(new Command.Start("digger", "d", Map.of(), Actor.SYSTEM, null));
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
