package dev.signalbox.services.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.journal.Query;
import dev.signalbox.journal.postgres.PostgresJournal;
import dev.signalbox.journal.sqlite.SqliteJournal;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.FeedEntry;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.SharedPostgres;
import dev.signalbox.services.task.NewTask;
import dev.signalbox.services.task.TaskQueue;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Many tasks through eight workers, with 5 % failures and a worker killed every second: every task
 * ends, once, and nothing is stuck. {@code -Dtasks.many=100000} is the long run. The clock runs
 * sixty times as fast as the real one, because retries wait for up to two minutes; that they come
 * at the right moment is proved elsewhere.
 */
class ManyTasksTest {
  private static final int TASKS = Integer.getInteger("tasks.many", 3_000);
  private static final int WORKERS = 8;
  private static final int FASTER = 60;
  private static final Duration PATIENCE = Duration.ofMinutes(15);

  private final Random random = new Random(7);
  private final AtomicInteger executions = new AtomicInteger();

  /** Real time, but faster. */
  private static InstantSource fastClock() {
    Instant began = Instant.now();
    return () -> {
      Duration real = Duration.between(began, Instant.now());
      return began.plus(real.multipliedBy(FASTER));
    };
  }

  /** A node: a runtime, its queue and its workers. */
  private final class Node implements AutoCloseable {
    final Signalbox box;
    final TaskQueue queue;
    final Workers workers;
    final WorkerPool pool;

    Node(Signalbox box, int many) {
      this.box = box;
      this.queue = TaskQueue.open(box);
      this.workers = Workers.open(box, queue);
      this.pool = WorkerPool.start(workers, "pool", Map.of("work", _ -> work()), many, many);
    }

    @Override
    public void close() {
      pool.close();
      workers.close();
      queue.close();
      box.close();
    }
  }

  private Object work() {
    int n = executions.incrementAndGet();
    // Every twentieth fails.
    if (n % 20 == 0) {
      throw new IllegalStateException("it broke this time");
    }
    return n;
  }

  @Test
  void every_task_ends_once_on_sqlite(@TempDir Path folder) throws Exception {
    InstantSource clock = fastClock();
    Signalbox box =
        Signalbox.open(
            SqliteJournal.open(folder.resolve("many.db"), clock), Settings.DEFAULT, clock);
    try (Node node = new Node(box, WORKERS)) {
      run("SQLite", List.of(node));
    }
  }

  @Test
  void every_task_ends_once_on_two_nodes_of_postgresql() throws Exception {
    String url = SharedPostgres.flushingDatabase();
    InstantSource clock = fastClock();
    try (Node one = node(url, clock);
        Node two = node(url, clock)) {
      run("PostgreSQL, two nodes", List.of(one, two));
    }
  }

  private Node node(String url, InstantSource clock) {
    return new Node(
        Signalbox.open(PostgresJournal.open(url, null, null), Settings.DEFAULT, clock),
        WORKERS / 2);
  }

  private void run(String store, List<Node> nodes) throws Exception {
    long begin = System.nanoTime();
    submit(nodes);
    long submitted = System.nanoTime();
    int kills = 0;
    long end = begin + PATIENCE.toNanos();
    CountDownLatch never = new CountDownLatch(1);
    while (open(nodes.getFirst()) > 0) {
      assertThat(System.nanoTime()).as("%s: tasks are stuck", store).isLessThan(end);
      boolean _ = never.await(1, TimeUnit.SECONDS);
      kills += kill(nodes) ? 1 : 0;
    }
    double seconds = (System.nanoTime() - begin) / 1e9;
    System.out.printf(
        java.util.Locale.ROOT,
        "%s: %,d tasks in %.1f s (submitted in %.1f s), %,d executions, %d workers killed%n",
        store,
        TASKS,
        seconds,
        (submitted - begin) / 1e9,
        executions.get(),
        kills);
    assertThat(kills).as("workers killed").isPositive();
    assertThat(executions.get()).as("executions, with those after a failure").isGreaterThan(TASKS);
    judge(nodes.getFirst());
  }

  private void submit(List<Node> nodes) {
    Semaphore room = new Semaphore(4_000);
    List<CompletableFuture<Reply>> replies = new ArrayList<>();
    for (int i = 0; i < TASKS; i++) {
      room.acquireUninterruptibly();
      NewTask task =
          NewTask.of("work", "ann")
              .input(i)
              .queueLimit(Duration.ofDays(20))
              .limit(Duration.ofHours(1));
      CompletableFuture<Reply> reply = nodes.get(i % nodes.size()).queue.submit(task, Actor.SYSTEM);
      replies.add(reply.whenComplete((_, _) -> room.release()));
    }
    replies.forEach(reply -> assertThat(reply.join()).isInstanceOf(Reply.Accepted.class));
  }

  private boolean kill(List<Node> nodes) {
    WorkerPool pool = nodes.get(random.nextInt(nodes.size())).pool;
    List<String> workers = new ArrayList<>(pool.workers());
    Collections.shuffle(workers, random);
    // One that is just being restarted can't be killed; the next one is.
    return workers.stream().anyMatch(worker -> pool.kill(worker, "killed by a test"));
  }

  /** How many tasks have not come to an end. */
  private static long open(Node node) {
    return node.box.counts().stream()
        .filter(count ->
            List.of(
                    "QUEUED",
                    "ASSIGNED",
                    "RUNNING",
                    "FAILED",
                    "TIMEOUT",
                    "FAILED_TO_START",
                    "RETRY_QUEUED")
                .contains(count.leaves().getFirst()))
        .mapToLong(dev.signalbox.journal.Count::instances)
        .sum();
  }

  /** Each task came to its end exactly once, and one way. */
  private static void judge(Node node) {
    Map<Long, Integer> ends = new HashMap<>();
    int tasks = 0;
    int completed = 0;
    long after = 0;
    List<Instance> page;
    do {
      page = node.box.instances(Query.ALL.ofMachine("task").page(after, Query.MOST));
      for (Instance task : page) {
        tasks++;
        Object outcome = task.context().get("outcome");
        assertThat(outcome).as(task.id()).isIn("completed", "failed");
        completed += "completed".equals(outcome) ? 1 : 0;
        after = task.number();
      }
    } while (!page.isEmpty());
    assertThat(tasks).isEqualTo(TASKS);
    assertThat(completed).isGreaterThan(TASKS * 95 / 100);
    long position = 0;
    List<FeedEntry> entries;
    do {
      entries = node.box.feed().read(position, 10_000);
      for (FeedEntry entry : entries) {
        position = entry.position();
        if (entry.machine().equals("task")
            && entry.body().get("changes") instanceof Map<?, ?> changes
            && changes.containsKey("outcome")
            && !"".equals(changes.get("outcome"))) {
          ends.merge(entry.number(), 1, Integer::sum);
        }
      }
    } while (!entries.isEmpty());
    assertThat(ends).hasSize(TASKS);
    assertThat(ends.values()).containsOnly(1);
  }
}
