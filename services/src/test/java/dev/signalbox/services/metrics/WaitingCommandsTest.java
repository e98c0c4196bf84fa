package dev.signalbox.services.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.sqlite.SqliteJournal;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.testkit.HeldJournal;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** While the store is slow, the scrape says how many commands wait. */
class WaitingCommandsTest {
  private static final int GROUP = 4;
  private static final int COMMANDS = 25;
  private static final Settings SMALL =
      new Settings(
          100,
          GROUP,
          1_024,
          1L << 20,
          100,
          10,
          Duration.ofSeconds(30),
          3,
          Duration.ofMillis(50),
          1);

  @TempDir Path folder;

  private static double waiting(Metrics metrics) {
    return MetricsTest.parsed(metrics.scrape()).getOrDefault("signalbox_commands_waiting{}", -1.0);
  }

  @Test
  @Timeout(60)
  void those_wait_that_are_in_no_group_yet() throws Exception {
    InstantSource clock = InstantSource.system();
    HeldJournal journal = new HeldJournal(SqliteJournal.open(folder.resolve("box.db"), clock));
    try (Signalbox box = Signalbox.open(journal, SMALL, clock);
        Metrics metrics = new Metrics(box, 0, Duration.ZERO)) {
      box.publish(
          MachineReader.read(
              new Source(
                  "door.yaml",
                  """
                  machine: door
                  states: { SHUT: { waits: for somebody, on: { knock: { } } } }
                  """)));
      for (int i = 0; i < COMMANDS; i++) {
        box.submit(new Command.Start("door", "d-" + i, Map.of(), Actor.SYSTEM, null));
      }
      assertThat(waiting(metrics)).isZero();

      journal.hold();
      List<CompletableFuture<Reply>> replies = new ArrayList<>();
      for (int i = 0; i < COMMANDS; i++) {
        replies.add(box.submitAsync(Command.Send.of("d-" + i, "knock", null)));
      }
      int onItsWay = journal.held().changes().size();
      // The engine may take some into the next group, unless it waits for the store itself.
      assertThat(waiting(metrics))
          .isBetween(COMMANDS - onItsWay - (double) GROUP, COMMANDS - (double) onItsWay);
      assertThat(replies).noneMatch(CompletableFuture::isDone);

      journal.release();
      assertThat(replies).allMatch(reply -> reply.join() instanceof Reply.Accepted);
      assertThat(waiting(metrics)).isZero();
    }
  }
}
