package dev.signalbox.bench.tasks;

import dev.signalbox.journal.Count;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.task.NewTask;
import dev.signalbox.services.task.TaskQueue;
import dev.signalbox.services.worker.WorkerPool;
import dev.signalbox.services.worker.Workers;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;

/**
 * Our queue, in the worst of lights for us: every step of every task is an entry of the journal,
 * and a failed task is tried again after five seconds.
 */
record SignalboxQueue(String name) implements JobQueue {
  private static final int UNDER_WAY = 4_000;

  @Override
  public Rates run(String url, int jobs, int workers) throws Exception {
    Rates _ = once(url, jobs / 5, workers);
    return once(url, jobs, workers);
  }

  private static Rates once(String url, int jobs, int workers) throws Exception {
    try (Signalbox box = Signalbox.open(url);
        TaskQueue queue = TaskQueue.open(box)) {
      double enqueued = enqueue(queue, jobs);
      Set<Integer> failed = ConcurrentHashMap.newKeySet();
      CountDownLatch firsts = new CountDownLatch(jobs);
      CountDownLatch ends = new CountDownLatch(jobs);
      long begin = System.nanoTime();
      try (Workers register = Workers.open(box, queue);
          WorkerPool _ =
              WorkerPool.start(
                  register,
                  "bench",
                  Map.of(
                      "job",
                      lease -> {
                        int number = ((Number) Objects.requireNonNull(lease.input())).intValue();
                        if (lease.execution() == 1) {
                          firsts.countDown();
                        }
                        if (number % 20 == 0 && failed.add(number)) {
                          throw new IllegalStateException("the first time it fails");
                        }
                        ends.countDown();
                        return null;
                      }),
                  workers,
                  workers)) {
        firsts.await();
        double first = perSecond(jobs, begin);
        ends.await();
        while (open(box) > 0) {
          Thread.sleep(20);
        }
        return new Rates(perSecond(jobs, begin), first, enqueued);
      }
    }
  }

  private static double enqueue(TaskQueue queue, int jobs) {
    Semaphore room = new Semaphore(UNDER_WAY);
    long begin = System.nanoTime();
    for (int i = 0; i < jobs; i++) {
      room.acquireUninterruptibly();
      var _ =
          queue
              .submit(
                  NewTask.of("job", "bench").input(i).queueLimit(Duration.ofDays(1)), Actor.SYSTEM)
              .whenComplete((reply, failure) -> {
                if (!(reply instanceof Reply.Accepted)) {
                  throw new IllegalStateException(reply + " " + failure);
                }
                room.release();
              });
    }
    room.acquireUninterruptibly(UNDER_WAY);
    return perSecond(jobs, begin);
  }

  /** How many tasks the store does not have as done. */
  private static long open(Signalbox box) {
    Set<String> done = Set.of("COMPLETED", "ARCHIVED");
    Set<String> workers = Set.of("STARTING", "READY", "BUSY");
    return box.counts().stream()
        .filter(c -> !done.contains(c.leaves().getFirst()))
        .filter(c -> !workers.contains(c.leaves().getFirst()))
        .mapToLong(Count::instances)
        .sum();
  }

  private static double perSecond(int jobs, long begin) {
    return jobs * 1e9 / (System.nanoTime() - begin);
  }
}
