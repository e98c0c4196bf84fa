package dev.signalbox.services.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.task.Cause;
import dev.signalbox.services.task.NewTask;
import dev.signalbox.services.task.Task;
import dev.signalbox.services.task.TaskQueue;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
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
      assertThat(began.await(20, TimeUnit.SECONDS)).isTrue();
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
      assertThat(began.await(20, TimeUnit.SECONDS)).isTrue();
      String worker = pool.workers().getFirst();
      assertThat(workers.drain(worker, Actor.SYSTEM).join()).isInstanceOf(Reply.Accepted.class);
      assertThat(Objects.requireNonNull(workers.find(worker)).state()).isEqualTo("SHUTTING_DOWN");
      go.countDown();

      eventually(() -> task(queue, id).state().equals("COMPLETED"));
      eventually(() -> Objects.requireNonNull(workers.find(worker)).state().equals("TERMINATED"));
      eventually(() -> pool.workers().size() == 1 && !pool.workers().contains(worker));
    }
  }
}
