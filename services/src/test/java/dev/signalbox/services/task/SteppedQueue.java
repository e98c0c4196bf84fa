package dev.signalbox.services.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.journal.Journal;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.ManualSignalbox;
import dev.signalbox.runtime.Receipt;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Settings;
import dev.signalbox.testkit.ManualClock;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/** A queue without threads, on a manual clock. */
final class SteppedQueue {
  /** Workers of whom nothing is written down. */
  static final Companion UNWATCHED =
      new Companion() {
        @Override
        public CompletableFuture<Reply> taking(List<String> tasks, Collection<String> kinds) {
          return CompletableFuture.completedFuture(
              new Reply.Accepted(new Receipt("", 0, "", List.of(), false)));
        }

        @Override
        public void waiting() {}
      };

  final ManualClock clock;
  final ManualSignalbox box;
  final TaskQueue queue;

  SteppedQueue(Journal journal, ManualClock clock, long seed) {
    this.clock = clock;
    this.box = new ManualSignalbox(journal, Settings.DEFAULT, clock, new Random(seed));
    this.queue = TaskQueue.stepped(box);
  }

  /** One that remembers no more than so many waiting tasks. */
  SteppedQueue(Journal journal, ManualClock clock, long seed, int most) {
    this.clock = clock;
    this.box = new ManualSignalbox(journal, Settings.DEFAULT, clock, new Random(seed));
    this.queue = TaskQueue.stepped(box, most);
  }

  void rest() {
    for (int i = 0; i < 3; i++) {
      box.rest();
      queue.tick();
    }
  }

  void pass(Duration time) {
    clock.advance(time);
    rest();
  }

  <T> T done(CompletableFuture<T> answer) {
    rest();
    assertThat(answer).isDone();
    return answer.join();
  }

  String submit(NewTask task) {
    Reply reply = done(queue.submit(task, Actor.SYSTEM));
    assertThat(reply).isInstanceOf(Reply.Accepted.class);
    return ((Reply.Accepted) reply).receipt().instance();
  }

  List<Lease> take(String worker, int most, String... kinds) {
    Polled polled = done(queue.take(worker, List.of(kinds), most, true, Duration.ZERO, UNWATCHED));
    assertThat(polled).isInstanceOf(Polled.Granted.class);
    return ((Polled.Granted) polled).leases();
  }

  Task task(String id) {
    return Objects.requireNonNull(queue.find(id));
  }

  String state(String id) {
    return task(id).state();
  }

  Reply fail(Lease lease, Cause cause) {
    return done(queue.failed(lease.task(), lease.fence(), lease.worker(), cause, "it broke", null));
  }

  Reply succeed(Lease lease) {
    return done(queue.succeeded(lease.task(), lease.fence(), lease.worker(), "ok", null));
  }
}
