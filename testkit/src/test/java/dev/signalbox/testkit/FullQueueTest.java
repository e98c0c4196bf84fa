package dev.signalbox.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.sqlite.SqliteJournal;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** While the store is slow the queue does not grow beyond its limit. */
class FullQueueTest {
  private static final int QUEUE = 4;
  private static final Settings SMALL =
      new Settings(
          QUEUE, 2, 1_024, 1L << 20, 100, 10, Duration.ofSeconds(30), 3, Duration.ofMillis(50), 1);

  @TempDir Path folder;

  @Test
  @Timeout(60)
  void who_comes_when_too_many_wait_is_told_so_at_once_and_leaves_nothing() {
    InstantSource clock = InstantSource.system();
    HeldJournal journal = new HeldJournal(SqliteJournal.open(folder.resolve("box.db"), clock));
    try (Signalbox box = Signalbox.open(journal, SMALL, clock)) {
      box.publish(
          MachineReader.read(
              new Source(
                  "door.yaml",
                  """
                  machine: door
                  states: { SHUT: { waits: for somebody, on: { knock: { } } } }
                  """)));
      assertThat(box.submit(new Command.Start("door", "d", Map.of(), Actor.SYSTEM, null)))
          .isInstanceOf(Reply.Accepted.class);
      journal.hold();
      List<CompletableFuture<Reply>> replies = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        replies.add(box.submitAsync(Command.Send.of("d", "knock", null).key("k-" + i)));
      }
      List<CompletableFuture<Reply>> answered =
          replies.stream().filter(CompletableFuture::isDone).toList();
      assertThat(answered)
          .hasSizeGreaterThan(50)
          .allMatch(reply ->
              reply.join() instanceof Reply.Rejected(Rejection rejection)
                  && rejection.code() == Rejection.Code.BUSY);
      journal.release();
      long accepted =
          replies.stream().filter(reply -> reply.join() instanceof Reply.Accepted).count();
      assertThat(accepted).isGreaterThanOrEqualTo(QUEUE).isEqualTo(100 - answered.size());
      InstanceRow row = Objects.requireNonNull(journal.load("d"));
      assertThat(row.sequence()).isEqualTo(accepted + 1);
      assertThat(row.refusals()).isZero();
      assertThat(box.submit(Command.Send.of("d", "knock", null).key("k-99")))
          .isInstanceOf(Reply.Accepted.class);
      assertThat(box.submit(Command.Send.of("d", "knock", "x".repeat(2_000))))
          .isInstanceOfSatisfying(
              Reply.Rejected.class,
              refused ->
                  assertThat(refused.rejection().code()).isEqualTo(Rejection.Code.TOO_LARGE));
    }
  }
}
