package dev.signalbox.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.runtime.Signalbox;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Lets a store that was treated badly come to rest, and then looks at everything in it. */
final class Aftermath {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private Aftermath() {}

  /** Opens the store as the node, waits until nothing is left to do, and compares. */
  static void settle(String url, Path folder, String node, Evidence evidence)
      throws IOException, InterruptedException {
    InstantSource clock = InstantSource.system();
    try (Signalbox box = Signalbox.open(url, Load.SETTINGS, clock)) {
      LoadWorker.handle(box, folder, node);
      Journal journal = box.journal();
      long end = clock.millis() + PATIENCE.toMillis();
      evidence.compare(journal);
      while (!(evidence.isAtRest() && isAtRest(journal)) && clock.millis() < end) {
        pause();
        evidence.compare(journal);
      }
      assertThat(journal.due(InstanceRow.NEVER - 1, 3)).as("pending timers").isEmpty();
      assertThat(journal.messages(0, 3)).as("messages that wait").isEmpty();
      evidence.finish();
      assertThat(evidence.findings()).isEmpty();
      assertThat(evidence.missing()).as("answers that are not in the journal").isEmpty();
      Auditor auditor = new Auditor(journal);
      auditor.finish(clock.millis(), box, box::at);
      assertThat(auditor.findings()).isEmpty();
      assertThat(auditor.effects()).isPositive();
      assertThat(auditor.timers()).isPositive();
      assertThat(auditor.messages()).isPositive();
    }
  }

  /** The timers of the load are short, so in the end none is pending. */
  private static boolean isAtRest(Journal journal) {
    return journal.due(InstanceRow.NEVER - 1, 1).isEmpty() && journal.messages(0, 1).isEmpty();
  }

  private static void pause() throws InterruptedException {
    boolean _ = new CountDownLatch(1).await(50, TimeUnit.MILLISECONDS);
  }
}
