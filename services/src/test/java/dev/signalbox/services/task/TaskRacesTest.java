package dev.signalbox.services.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.journal.Query;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Audit;
import dev.signalbox.runtime.Receipt;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.Callers;
import dev.signalbox.testkit.ManualClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Sixty-four callers on real stores, who submit, take, report on whatever lease they know of,
 * cancel and let time pass, each in an order of its own: a task has one holder, a late result
 * changes nothing, and every task comes to an end.
 */
class TaskRacesTest {
  private static final int MOVES = Integer.getInteger("tasks.moves", 25);
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final ManualClock clock = new ManualClock();
  private final List<String> tasks = new CopyOnWriteArrayList<>();
  private final List<Lease> leases = new CopyOnWriteArrayList<>();
  private final Map<String, Map<Long, Long>> accepted = new ConcurrentHashMap<>();
  private final AtomicInteger refused = new AtomicInteger();

  @Test
  void a_task_has_one_holder_on_sqlite(@TempDir Path folder) throws Exception {
    Callers.onSqlite(folder, clock, this::race);
  }

  @Test
  void a_task_has_one_holder_on_two_nodes_of_postgresql() throws Exception {
    Callers.onTwoNodesOfPostgres(clock, this::race);
  }

  private void race(List<Signalbox> nodes) throws Exception {
    List<TaskQueue> queues = nodes.stream().map(TaskQueue::open).toList();
    Callers.race(queues, MOVES, this::move);
    finish(queues);
    for (String task : tasks) {
      TaskJudge.judge(nodes.getLast(), task, accepted.getOrDefault(task, Map.of()));
    }
    assertThat(leases).extracting(l -> l.task() + " " + l.fence()).doesNotHaveDuplicates();
    assertThat(leases.size()).as("leases").isGreaterThan(Callers.MANY);
    assertThat(accepted.size())
        .as("tasks with a report that counted")
        .isGreaterThan(Callers.MANY / 2);
    assertThat(refused).as("reports that came too late").hasPositiveValue();
    assertThat(Audit.verify(nodes.getFirst().journal(), _ -> {}).findings()).isEmpty();
    queues.forEach(TaskQueue::close);
  }

  private void move(TaskQueue queue, String name, Random random) {
    switch (random.nextInt(12)) {
      case 0, 1 -> {
        Duration limit = Duration.ofSeconds(1 + random.nextInt(60));
        NewTask task = NewTask.of("work", name).limit(limit).queueLimit(Duration.ofDays(1));
        if (queue.submit(task, Actor.SYSTEM).join() instanceof Reply.Accepted(Receipt receipt)) {
          tasks.add(receipt.instance());
        }
      }
      case 2, 3, 4 -> taken(queue, name, 1 + random.nextInt(3), random.nextInt(4) > 0);
      case 5 -> clock.advance(Duration.ofMillis(random.nextInt(4_000)));
      case 6 -> {
        if (!tasks.isEmpty() && random.nextInt(4) == 0) {
          String task = tasks.get(random.nextInt(tasks.size()));
          queue.cancel(task, "a test", Actor.SYSTEM, null).join();
        }
      }
      default -> {
        if (!leases.isEmpty()) {
          report(queue, leases.get(random.nextInt(leases.size())), random);
        }
      }
    }
  }

  private List<Lease> taken(TaskQueue queue, String worker, int most, boolean start) {
    Polled polled =
        queue.take(worker, List.of(), most, start, Duration.ZERO, SteppedQueue.UNWATCHED).join();
    List<Lease> given = polled instanceof Polled.Granted(List<Lease> some) ? some : List.of();
    leases.addAll(given);
    return given;
  }

  /** Whoever it belongs to, and however old it is. */
  private void report(TaskQueue queue, Lease lease, Random random) {
    String task = lease.task();
    String worker = lease.worker();
    counted(
        lease,
        switch (random.nextInt(5)) {
          case 0 -> queue.started(task, lease.fence(), worker, null).join();
          case 1 -> queue.heartbeat(task, lease.fence(), worker).join();
          case 2 ->
              queue
                  .failed(task, lease.fence(), worker, Cause.TEMPORARY_ERROR, "broke", null)
                  .join();
          default -> queue.succeeded(task, lease.fence(), worker, 1, null).join();
        });
  }

  private void counted(Lease lease, Reply reply) {
    if (reply instanceof Reply.Accepted(Receipt receipt)) {
      accepted
          .computeIfAbsent(lease.task(), _ -> new ConcurrentHashMap<>())
          .put(receipt.sequence(), lease.fence());
    } else {
      refused.incrementAndGet();
    }
  }

  /** From here on a worker does what it gets, until every task has come to an end. */
  private void finish(List<TaskQueue> queues) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (queues.getFirst().tasks(Query.ALL.page(0, Query.MOST)).stream()
        .anyMatch(task -> task.outcome().isEmpty())) {
      assertThat(System.nanoTime()).as("tasks are stuck").isLessThan(end);
      for (TaskQueue queue : queues) {
        for (Lease lease : taken(queue, "honest", 50, true)) {
          counted(lease, queue.succeeded(lease.task(), lease.fence(), "honest", 1, null).join());
        }
      }
      clock.advance(Duration.ofSeconds(10));
    }
  }
}
