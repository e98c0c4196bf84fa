package dev.signalbox.services.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.task.Cause;
import dev.signalbox.services.task.Lease;
import dev.signalbox.services.task.NewTask;
import dev.signalbox.services.task.Task;
import dev.signalbox.services.task.TaskQueue;
import dev.signalbox.testkit.ManualClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tasks through workers of this process, on a real file. */
class WorkerPoolTest {
  @TempDir private Path folder;

  private Signalbox box(String file) {
    return Signalbox.open("jdbc:sqlite:" + folder.resolve(file));
  }

  static String submitted(TaskQueue queue, NewTask task) {
    Reply reply = queue.submit(task, Actor.SYSTEM).join();
    assertThat(reply).isInstanceOf(Reply.Accepted.class);
    return ((Reply.Accepted) reply).receipt().instance();
  }

  static void eventually(BooleanSupplier fact) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!fact.getAsBoolean()) {
      assertThat(System.nanoTime()).as("it should have come true").isLessThan(end);
      Thread.onSpinWait();
    }
  }

  static Task task(TaskQueue queue, String id) {
    return Objects.requireNonNull(queue.find(id));
  }

  @Test
  void a_task_is_done_by_a_worker_and_its_result_is_kept() {
    try (Signalbox box = box("done.db");
        TaskQueue queue = TaskQueue.open(box);
        Workers workers = Workers.open(box, queue);
        WorkerPool pool =
            WorkerPool.start(workers, "p", Map.of("add", lease -> "done " + lease.input()), 2, 4)) {
      String id = submitted(queue, NewTask.of("add", "ann").input("x"));
      eventually(() -> task(queue, id).state().equals("COMPLETED"));

      assertThat(task(queue, id).result()).isEqualTo("done x");
      assertThat(pool.workers()).hasSize(2);
    }
  }

  @Test
  void a_limit_reaches_the_handler_and_others_are_not_kept_waiting() {
    AtomicInteger interrupted = new AtomicInteger();
    TaskHandler stuck =
        _ -> {
          try {
            new CountDownLatch(1).await();
          } catch (InterruptedException e) {
            interrupted.incrementAndGet();
            throw e;
          }
          return null;
        };
    try (Signalbox box = box("limit.db");
        TaskQueue queue = TaskQueue.open(box);
        Workers workers = Workers.open(box, queue);
        WorkerPool _ =
            WorkerPool.start(workers, "p", Map.of("stuck", stuck, "quick", _ -> "done"), 1, 1)) {
      String slow = submitted(queue, NewTask.of("stuck", "ann").limit(Duration.ofMillis(300)));
      eventually(() -> interrupted.get() > 0);
      String quick = submitted(queue, NewTask.of("quick", "ann"));
      eventually(() -> task(queue, quick).state().equals("COMPLETED"));

      assertThat(task(queue, slow).state()).isNotEqualTo("COMPLETED");
    }
  }

  @Test
  void a_cancelled_task_s_handler_is_told() {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch told = new CountDownLatch(1);
    TaskHandler patient =
        _ -> {
          begun.countDown();
          try {
            new CountDownLatch(1).await();
          } finally {
            told.countDown();
          }
          return null;
        };
    try (Signalbox box = box("cancelled.db");
        TaskQueue queue = TaskQueue.open(box);
        Workers workers = Workers.open(box, queue);
        WorkerPool _ = WorkerPool.start(workers, "p", Map.of("k", patient), 1, 1)) {
      String id = submitted(queue, NewTask.of("k", "ann"));
      eventually(() -> begun.getCount() == 0);
      Actor ops = new Actor(Actor.Kind.USER, "kim", List.of("operator"));
      assertThat(queue.cancel(id, "not needed", ops, null).join())
          .isInstanceOf(Reply.Accepted.class);

      eventually(() -> told.getCount() == 0);
    }
  }

  @Test
  void a_handler_that_does_not_listen_is_never_at_a_task_twice() {
    AtomicInteger now = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    CountDownLatch release = new CountDownLatch(1);
    TaskHandler deaf =
        _ -> {
          most.accumulateAndGet(now.incrementAndGet(), Math::max);
          while (release.getCount() > 0) {
            boolean _ = Thread.interrupted();
            LockSupport.parkNanos(1_000_000);
          }
          now.decrementAndGet();
          return null;
        };
    try (Signalbox box = box("twice.db");
        TaskQueue queue = TaskQueue.open(box);
        Workers workers = Workers.open(box, queue);
        WorkerPool _ =
            WorkerPool.start(workers, "p", Map.of("deaf", deaf, "quick", _ -> "done"), 2, 2)) {
      String id = submitted(queue, NewTask.of("deaf", "ann").limit(Duration.ofMillis(300)));
      eventually(() -> task(queue, id).executions() > 1 || !task(queue, id).outcome().isEmpty());
      String quick = submitted(queue, NewTask.of("quick", "ann"));
      eventually(() -> task(queue, quick).state().equals("COMPLETED"));

      assertThat(most).hasValue(1);
      release.countDown();
    }
  }

  @Test
  void a_task_waits_for_what_it_depends_on() {
    try (Signalbox box = box("after.db");
        TaskQueue queue = TaskQueue.open(box);
        Workers workers = Workers.open(box, queue)) {
      String first = submitted(queue, NewTask.of("k", "ann"));
      String second = submitted(queue, NewTask.of("k", "ann").after(first));
      List<String> order = new CopyOnWriteArrayList<>();
      try (WorkerPool _ =
          WorkerPool.start(
              workers,
              "p",
              Map.of(
                  "k",
                  lease -> {
                    order.add(lease.task());
                    return null;
                  }),
              2,
              2)) {
        eventually(() -> task(queue, second).state().equals("COMPLETED"));
      }
      assertThat(order).containsExactly(first, second);
    }
  }

  @Test
  void what_depends_on_a_task_that_failed_for_good_is_cancelled() {
    try (Signalbox box = box("failed.db");
        TaskQueue queue = TaskQueue.open(box);
        Workers workers = Workers.open(box, queue);
        WorkerPool _ =
            WorkerPool.start(
                workers,
                "p",
                Map.of(
                    "bad",
                    _ -> {
                      throw new TaskException(Cause.INVALID_INPUT, "no");
                    }),
                1,
                1)) {
      String first = submitted(queue, NewTask.of("bad", "ann"));
      String second = submitted(queue, NewTask.of("never", "ann").after(first));
      eventually(() -> task(queue, second).outcome().equals("cancelled"));

      assertThat(task(queue, first).state()).isEqualTo("PERMANENTLY_FAILED");
      assertThat(task(queue, second).error()).contains(first).contains("failed");
    }
  }

  @Test
  void a_killed_worker_loses_its_task_and_is_restarted() throws InterruptedException {
    CountDownLatch began = new CountDownLatch(1);
    AtomicInteger tries = new AtomicInteger();
    try (Signalbox box = box("killed.db");
        TaskQueue queue = TaskQueue.open(box);
        Workers workers = Workers.open(box, queue);
        WorkerPool pool =
            WorkerPool.start(
                workers,
                "p",
                Map.of(
                    "k",
                    _ -> {
                      tries.incrementAndGet();
                      began.countDown();
                      new CountDownLatch(1).await();
                      return null;
                    }),
                1,
                1)) {
      String id = submitted(queue, NewTask.of("k", "ann"));
      assertThat(began.await(60, TimeUnit.SECONDS)).isTrue();
      String worker = pool.workers().getFirst();
      assertThat(pool.kill(worker, "a test")).isTrue();

      eventually(() -> task(queue, id).state().equals("RETRY_QUEUED"));
      assertThat(task(queue, id).cause()).isEqualTo(Cause.WORKER_FAILURE);
      eventually(() -> Objects.requireNonNull(workers.find(worker)).state().equals("READY"));
      assertThat(Objects.requireNonNull(workers.find(worker)).restarts()).isEqualTo(1);
    }
  }

  @Test
  void a_drained_worker_finishes_its_task_and_is_replaced() throws InterruptedException {
    CountDownLatch began = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    try (Signalbox box = box("drained.db");
        TaskQueue queue = TaskQueue.open(box);
        Workers workers = Workers.open(box, queue);
        WorkerPool pool =
            WorkerPool.start(
                workers,
                "p",
                Map.of(
                    "k",
                    _ -> {
                      began.countDown();
                      go.await();
                      return "finished";
                    }),
                1,
                1)) {
      String id = submitted(queue, NewTask.of("k", "ann").limit(Duration.ofMinutes(1)));
      assertThat(began.await(60, TimeUnit.SECONDS))
          .as("%s begins at %s", task(queue, id), workers.find(pool.workers().getFirst()))
          .isTrue();
      String worker = pool.workers().getFirst();
      assertThat(workers.drain(worker, Actor.SYSTEM).join()).isInstanceOf(Reply.Accepted.class);
      assertThat(Objects.requireNonNull(workers.find(worker)).state()).isEqualTo("SHUTTING_DOWN");
      go.countDown();

      eventually(() -> task(queue, id).state().equals("COMPLETED"));
      eventually(() -> Objects.requireNonNull(workers.find(worker)).state().equals("TERMINATED"));
      eventually(() -> pool.workers().size() == 1 && !pool.workers().contains(worker));
    }
  }

  private static final class Held implements TaskHandler {
    final AtomicInteger began = new AtomicInteger();
    final CountDownLatch go = new CountDownLatch(1);

    @Override
    public Object handle(Lease lease) throws InterruptedException {
      began.incrementAndGet();
      go.await();
      return "finished";
    }
  }

  private Signalbox box(String file, ManualClock clock) {
    return Signalbox.open("jdbc:sqlite:" + folder.resolve(file), Settings.DEFAULT, clock);
  }

  @Test
  void more_workers_come_when_tasks_wait_up_to_the_most_and_go_when_there_is_nothing_to_do() {
    ManualClock clock = new ManualClock();
    Held held = new Held();
    try (Signalbox box = box("scale.db", clock);
        TaskQueue queue = TaskQueue.open(box);
        Workers workers = Workers.open(box, queue);
        WorkerPool pool = WorkerPool.start(workers, "p", Map.of("k", held), 1, 3)) {
      eventually(() -> pool.workers().size() == 1);
      List<String> tasks = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        tasks.add(submitted(queue, NewTask.of("k", "ann")));
      }
      eventually(() -> held.began.get() == 3);
      assertThat(pool.workers()).hasSize(3);
      assertThat(queue.load().tasks()).isEqualTo(2);

      held.go.countDown();
      eventually(() -> tasks.stream().allMatch(t -> task(queue, t).state().equals("COMPLETED")));
      assertThat(pool.workers()).hasSize(3);
      clock.advance(Duration.ofSeconds(29));
      eventually(() -> queue.load().workers() == 3);
      assertThat(pool.workers()).hasSize(3);
      clock.advance(Duration.ofSeconds(2));
      eventually(() -> pool.workers().size() == 1);
    }
  }

  @Test
  void who_is_at_a_task_is_heard_of_every_thirty_seconds() {
    ManualClock clock = new ManualClock();
    Held held = new Held();
    try (Signalbox box = box("beat.db", clock);
        TaskQueue queue = TaskQueue.open(box);
        Workers workers = Workers.open(box, queue);
        WorkerPool pool = WorkerPool.start(workers, "p", Map.of("k", held), 1, 1)) {
      String id = submitted(queue, NewTask.of("k", "ann").limit(Duration.ofHours(1)));
      eventually(() -> held.began.get() == 1);
      String worker = pool.workers().getFirst();
      for (int i = 0; i < 12; i++) {
        clock.advance(Duration.ofSeconds(30));
        long now = clock.millis();
        eventually(() -> task(queue, id).lastHeartbeat() == now);
        eventually(() -> Objects.requireNonNull(workers.find(worker)).lastHeartbeat() == now);
      }
      assertThat(task(queue, id).state()).isEqualTo("RUNNING");
      held.go.countDown();
      eventually(() -> task(queue, id).state().equals("COMPLETED"));
    }
  }

  @Test
  void a_drained_worker_that_does_not_finish_is_ended_after_sixty_seconds() {
    ManualClock clock = new ManualClock();
    Held held = new Held();
    try (Signalbox box = box("hangs.db", clock);
        TaskQueue queue = TaskQueue.open(box);
        Workers workers = Workers.open(box, queue);
        WorkerPool pool = WorkerPool.start(workers, "p", Map.of("k", held), 1, 1)) {
      String id = submitted(queue, NewTask.of("k", "ann").limit(Duration.ofHours(1)));
      eventually(() -> held.began.get() == 1);
      String worker = pool.workers().getFirst();
      assertThat(workers.drain(worker, Actor.SYSTEM).join()).isInstanceOf(Reply.Accepted.class);
      clock.advance(Duration.ofSeconds(59));
      assertThat(Objects.requireNonNull(workers.find(worker)).state()).isEqualTo("SHUTTING_DOWN");
      assertThat(task(queue, id).state()).isEqualTo("RUNNING");

      clock.advance(Duration.ofSeconds(1));
      eventually(() -> Objects.requireNonNull(workers.find(worker)).state().equals("TERMINATED"));
      clock.advance(Duration.ofSeconds(10));
      eventually(() -> task(queue, id).cause() == Cause.WORKER_FAILURE);
      held.go.countDown();
    }
  }
}
