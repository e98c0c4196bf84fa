package dev.signalbox.services.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.journal.memory.MemoryJournal;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.ManualSignalbox;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Settings;
import dev.signalbox.services.task.Cause;
import dev.signalbox.services.task.Lease;
import dev.signalbox.services.task.NewTask;
import dev.signalbox.services.task.Polled;
import dev.signalbox.services.task.Task;
import dev.signalbox.services.task.TaskQueue;
import dev.signalbox.testkit.ManualClock;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Workers in other processes, by calls alone, on a manual clock. */
class WorkersTest {
  private final ManualClock clock = new ManualClock();
  private final ManualSignalbox box =
      new ManualSignalbox(new MemoryJournal(clock), Settings.DEFAULT, clock, new Random(1));
  private final TaskQueue queue = TaskQueue.stepped(box);
  private final Workers workers = Workers.stepped(box, queue);

  private void rest() {
    for (int i = 0; i < 4; i++) {
      box.rest();
      queue.tick();
      workers.tick();
    }
  }

  private void pass(Duration time) {
    clock.advance(time);
    rest();
  }

  private <T> T done(CompletableFuture<T> answer) {
    rest();
    assertThat(answer).isDone();
    return answer.join();
  }

  private static String id(Reply reply) {
    assertThat(reply).isInstanceOf(Reply.Accepted.class);
    return ((Reply.Accepted) reply).receipt().instance();
  }

  private String worker(String name, String... kinds) {
    String id = id(done(workers.register(name, "", List.of(kinds), true, Actor.SYSTEM, name)));
    assertThat(done(workers.ready(id, null))).isInstanceOf(Reply.Accepted.class);
    return id;
  }

  private String submit(String kind) {
    return id(done(queue.submit(NewTask.of(kind, "ann").input(kind), Actor.SYSTEM)));
  }

  private List<Lease> poll(String worker, int most) {
    Polled polled = done(workers.poll(worker, most, true, Duration.ZERO));
    assertThat(polled).isInstanceOf(Polled.Granted.class);
    return ((Polled.Granted) polled).leases();
  }

  private Worker found(String id) {
    return Objects.requireNonNull(workers.find(id));
  }

  private Task task(String id) {
    return Objects.requireNonNull(queue.find(id));
  }

  private void succeed(Lease lease) {
    assertThat(done(queue.succeeded(lease.task(), lease.fence(), lease.worker(), 1, "done")))
        .isInstanceOf(Reply.Accepted.class);
  }

  @Test
  void a_worker_polls_works_reports_and_polls_again() {
    String w = worker("w");
    String first = submit("k");
    Lease lease = poll(w, 1).getFirst();
    assertThat(lease.task()).isEqualTo(first);
    assertThat(found(w).state()).isEqualTo("BUSY");
    assertThat(found(w).tasks()).containsExactly(first);
    succeed(lease);
    String second = submit("k");

    assertThat(poll(w, 1)).extracting(Lease::task).containsExactly(second);
    assertThat(found(w).tasks()).containsExactly(second);
    succeed(new Lease(second, 1, w, true, "k", "ann", lease.priority(), null, lease.limit(), 1));
    assertThat(poll(w, 1)).isEmpty();
    rest();
    assertThat(found(w).state()).isEqualTo("READY");
  }

  @Test
  void a_poll_whose_answer_got_lost_is_repeated_and_gives_the_same() {
    String w = worker("w");
    submit("k");
    submit("k");
    submit("k");
    List<Lease> leases = poll(w, 2);
    assertThat(leases).hasSize(2);

    assertThat(poll(w, 2)).isEqualTo(leases);
    succeed(leases.getFirst());
    assertThat(poll(w, 2)).containsExactly(leases.getLast());
  }

  @Test
  void a_worker_gets_only_the_kinds_it_knows() {
    String w = worker("w", "review");
    submit("build");
    String review = submit("review");

    assertThat(poll(w, 5)).extracting(Lease::task).containsExactly(review);
  }

  @Test
  void a_heartbeat_names_the_tasks_that_are_not_the_workers_any_more() {
    String w = worker("w");
    String kept = submit("k");
    String cancelled = submit("k");
    List<Lease> leases = poll(w, 2);
    done(queue.cancel(cancelled, "not needed", Actor.SYSTEM, null));

    Workers.Heard heard =
        done(
            workers.heartbeat(
                w, leases.stream().map(l -> new Workers.Held(l.task(), l.fence())).toList()));
    assertThat(heard.gone()).containsExactly(cancelled);
    assertThat(heard.refused()).isNull();
    assertThat(task(kept).lastHeartbeat()).isEqualTo(clock.millis());
  }

  @Test
  void a_worker_that_is_silent_for_five_minutes_is_lost_and_its_task_is_retried() {
    String w = worker("w");
    String id =
        id(done(queue.submit(NewTask.of("k", "ann").limit(Duration.ofHours(1)), Actor.SYSTEM)));
    Lease lease = poll(w, 1).getFirst();
    pass(Duration.ofSeconds(200));
    done(workers.heartbeat(w, List.of(new Workers.Held(id, lease.fence()))));
    pass(Duration.ofSeconds(290));
    assertThat(task(id).state()).isEqualTo("RUNNING");
    pass(Duration.ofSeconds(10));
    pass(Duration.ofSeconds(5));

    assertThat(found(w).state()).isEqualTo("TERMINATED");
    assertThat(task(id).state()).isEqualTo("RETRY_QUEUED");
    assertThat(task(id).cause()).isEqualTo(Cause.WORKER_FAILURE);
    assertThat(done(workers.heartbeat(w, List.of())).refused()).isNotNull();
    assertThat(done(workers.poll(w, 1, true, Duration.ZERO))).isInstanceOf(Polled.Refused.class);
  }

  @Test
  void a_drained_worker_gets_nothing_more_and_is_gone_after_sixty_seconds() {
    String w = worker("w");
    String id = submit("k");
    poll(w, 1);
    assertThat(done(workers.drain(w, Actor.SYSTEM))).isInstanceOf(Reply.Accepted.class);
    assertThat(done(workers.poll(w, 1, true, Duration.ZERO))).isInstanceOf(Polled.Refused.class);
    pass(Duration.ofSeconds(60));
    pass(Duration.ofSeconds(5));

    assertThat(found(w).state()).isEqualTo("TERMINATED");
    assertThat(task(id).cause()).isEqualTo(Cause.WORKER_FAILURE);
  }

  @Test
  void the_same_key_registers_once() {
    assertThat(worker("w")).isNotEmpty();
    Reply again = done(workers.register("w", "", List.of(), true, Actor.SYSTEM, "w"));
    assertThat(workers.workers(dev.signalbox.journal.Query.ALL))
        .extracting(Worker::id)
        .containsExactly(id(again));
  }
}
