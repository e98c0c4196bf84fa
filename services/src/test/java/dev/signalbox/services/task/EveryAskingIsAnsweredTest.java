package dev.signalbox.services.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.journal.memory.MemoryJournal;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.ManualSignalbox;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Settings;
import dev.signalbox.testkit.ManualClock;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Whoever asks for tasks is answered, and no task is forgotten, whatever the runtime does. */
class EveryAskingIsAnsweredTest {
  private final ManualClock clock = new ManualClock();
  private final ManualSignalbox box =
      new ManualSignalbox(new MemoryJournal(clock), Settings.DEFAULT, clock, new Random(1));
  private final FailingHost host = new FailingHost(box);
  private final TaskQueue queue = TaskQueue.stepped(host);

  private void rest() {
    for (int i = 0; i < 3; i++) {
      box.rest();
      queue.tick();
    }
  }

  private CompletableFuture<Polled> take(String worker, int most, Companion companion) {
    return queue.take(worker, List.of(), most, true, Duration.ofSeconds(10), companion);
  }

  private void submit(int tasks) {
    for (int i = 0; i < tasks; i++) {
      var _ = queue.submit(NewTask.of("work", "ann"), Actor.SYSTEM);
    }
    rest();
  }

  private static List<Lease> leases(CompletableFuture<Polled> answer) {
    assertThat(answer).isCompleted();
    assertThat(answer.join()).isInstanceOf(Polled.Granted.class);
    return ((Polled.Granted) answer.join()).leases();
  }

  @Test
  void a_lease_that_fails_at_once_takes_nothing_else_with_it() {
    submit(3);
    host.failOnce(
        command -> command instanceof Command.Send send && send.event().equals("assigned"));
    CompletableFuture<Polled> answer = take("w-1", 3, SteppedQueue.UNWATCHED);
    rest();
    assertThat(leases(answer)).hasSize(2);

    // The third is still there for somebody else.
    CompletableFuture<Polled> other = take("w-2", 3, SteppedQueue.UNWATCHED);
    rest();
    assertThat(leases(other)).hasSize(1);
  }

  @Test
  void a_worker_whose_taking_fails_is_told_so_and_its_tasks_go_to_others() {
    submit(2);
    Companion failing =
        new Companion() {
          @Override
          public CompletableFuture<Reply> taking(List<String> tasks, Collection<String> kinds) {
            throw new IllegalStateException("not now");
          }

          @Override
          public void waiting() {}
        };
    CompletableFuture<Polled> answer = take("w-1", 2, failing);
    rest();
    assertThat(answer).isCompleted();
    assertThat(answer.join()).isInstanceOf(Polled.Refused.class);

    // They were started, so they count as failed and wait for five seconds.
    clock.advance(Duration.ofSeconds(5));
    CompletableFuture<Polled> other = take("w-2", 2, SteppedQueue.UNWATCHED);
    rest();
    assertThat(leases(other)).hasSize(2);
  }

  @Test
  void one_failure_does_not_hold_up_the_workers_behind_it() {
    CompletableFuture<Polled> first = take("w-1", 1, SteppedQueue.UNWATCHED);
    CompletableFuture<Polled> second = take("w-2", 1, SteppedQueue.UNWATCHED);
    host.failOnce(
        command -> command instanceof Command.Send send && send.event().equals("assigned"));
    submit(2);
    rest();
    clock.advance(Duration.ofSeconds(11));
    rest();
    assertThat(first).isCompleted();
    assertThat(second).isCompleted();
    assertThat(List.of(leases(first).size(), leases(second).size())).containsExactly(1, 1);
  }
}
