package dev.signalbox.services.worker;

import dev.signalbox.kernel.Rejection;
import dev.signalbox.runtime.Reply;
import dev.signalbox.services.task.Cause;
import dev.signalbox.services.task.Lease;
import dev.signalbox.services.task.Polled;
import dev.signalbox.services.task.Task;
import dev.signalbox.services.task.TaskQueue;
import java.lang.System.Logger;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One life of a worker of this process: a thread that asks for tasks, does them one after the
 * other, reports and asks again. The last report and the next asking go out together, so that they
 * share a commit. It asks for as many as it is likely to do in a moment: for one when they take
 * long, for many when each is nothing beside the commit that it needs.
 */
final class Slot {
  private static final Logger LOG = System.getLogger(Slot.class.getName());
  private static final Duration WAIT = Duration.ofSeconds(10);
  private static final int REPORTS = 5;
  private static final int MOST_AT_ONCE = 64;

  /** After so many milliseconds what was taken with a task does not wait for it any longer. */
  private static final long SLOW = 200;

  /** What it takes at once should be done within this time. */
  private static final long MOMENT = 50;

  private final Workers workers;
  private final TaskQueue queue;
  private final Map<String, TaskHandler> handlers;
  private final Seat seat;
  private final Runnable ended;
  private final Thread thread;
  private final Queue<Lease> hand = new ConcurrentLinkedQueue<>();
  private final Queue<Execution> atWork = new ConcurrentLinkedQueue<>();
  private int most = 1;
  private volatile boolean stopping;
  private volatile boolean dead;
  private volatile @Nullable String crash;

  Slot(Workers workers, String worker, Map<String, TaskHandler> handlers, Runnable ended) {
    this.workers = workers;
    this.queue = workers.queue();
    this.handlers = handlers;
    this.seat = new Seat(workers.host(), worker, List.of());
    this.ended = ended;
    this.thread = Thread.ofVirtual().name("signalbox-" + worker).unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  /** It takes no more tasks, and ends after the one it has. */
  void stop() {
    stopping = true;
    queue.forget(seat.worker());
  }

  /** It is gone at once; what it has in hand is not reported from here any more. */
  void die(String why) {
    dead = true;
    crash = why;
    loseAll(why);
    queue.forget(seat.worker());
    atWork.forEach(Execution::giveUp);
    thread.interrupt();
  }

  /**
   * Lets limits and cancellations reach the handlers: what is over its limit, or not this worker's
   * any more, is interrupted, and what it answers counts for nothing.
   *
   * @param deeply whether the store is asked whose the tasks are
   */
  void enforce(long now, boolean deeply) {
    for (Execution execution : atWork) {
      if (execution.isOverdue(now) || (deeply && !isHeld(execution.lease))) {
        hand.remove(execution.lease);
        execution.giveUp();
      }
    }
  }

  private boolean isHeld(Lease lease) {
    Task task = queue.find(lease.task());
    return task != null
        && task.isLeased()
        && task.fence() == lease.fence()
        && task.worker().equals(lease.worker());
  }

  boolean isAlive() {
    return thread.isAlive() && !dead;
  }

  /** Why it ended, when it was not told to; null otherwise. */
  @Nullable String crash() {
    return crash;
  }

  /** What it has and has not reported. */
  List<Lease> hand() {
    return List.copyOf(hand);
  }

  boolean isBusy() {
    return seat.isBusy();
  }

  void join(Duration most) throws InterruptedException {
    boolean _ = thread.join(most);
  }

  private void run() {
    try {
      if (workers.ready(seat.worker(), null).join() instanceof Reply.Rejected(Rejection no)) {
        throw new IllegalStateException(no.message());
      }
      while (!stopping && !dead) {
        switch (workers.poll(seat, handlers.keySet(), most, true, WAIT).join()) {
          case Polled.Granted(List<Lease> leases) -> workOff(leases);
          case Polled.Refused _ -> stopping = true;
        }
      }
    } catch (CompletionException e) {
      // The store failed: the worker is begun anew when it is there again.
      crash = String.valueOf(e.getCause());
    } catch (Throwable e) {
      crash = String.valueOf(e);
    } finally {
      loseAll(String.valueOf(crash));
      ended.run();
    }
  }

  private void workOff(List<Lease> leases) {
    if (leases.isEmpty()) {
      return;
    }
    hand.addAll(leases);
    if (dead) {
      loseAll(String.valueOf(crash));
      return;
    }
    long began = workers.host().clock().millis();
    try {
      for (Lease lease : leases) {
        if (!dead) {
          // One after the other, but what was taken with a slow one is done beside it.
          boolean _ = begun(lease, began).await(SLOW);
        }
      }
      for (Execution execution : atWork) {
        boolean _ = execution.await(Long.MAX_VALUE);
      }
      atWork.clear();
    } catch (InterruptedException e) {
      atWork.forEach(Execution::giveUp);
      atWork.clear();
      return;
    }
    long each = (workers.host().clock().millis() - began) / leases.size();
    most = Math.clamp(each == 0 ? most * 2L : MOMENT / each, 1, MOST_AT_ONCE);
  }

  /** Begins with a task, unless an earlier execution of it in this process has not ended yet. */
  private Execution begun(Lease lease, long began) {
    Execution execution = new Execution(lease, began, this::work);
    atWork.add(execution);
    execution.start();
    return execution;
  }

  private void work(Execution execution) {
    Lease lease = execution.lease;
    if (!workers.begins(lease.task())) {
      fail(lease, Cause.TEMPORARY_ERROR, "its earlier execution has not ended yet");
      return;
    }
    try {
      work(lease, execution::isWanted);
    } finally {
      workers.ends(lease.task());
    }
  }

  private void work(Lease lease, BooleanSupplier wanted) {
    TaskHandler handler = handlers.get(lease.kind());
    try {
      if (handler == null) {
        throw new TaskException(Cause.INVALID_INPUT, "no handler for " + lease.kind());
      }
      Object result = handler.handle(lease, wanted);
      report(
          lease, () -> queue.succeeded(lease.task(), lease.fence(), lease.worker(), result, null));
    } catch (TaskException e) {
      fail(lease, e.why(), String.valueOf(e.getMessage()));
    } catch (Exception e) {
      fail(lease, Cause.TEMPORARY_ERROR, String.valueOf(e));
    } catch (Error e) {
      die(String.valueOf(e));
    }
  }

  private void fail(Lease lease, Cause cause, String error) {
    report(
        lease, () -> queue.failed(lease.task(), lease.fence(), lease.worker(), cause, error, null));
  }

  /** What it would send. */
  private interface Report {
    CompletableFuture<Reply> send();
  }

  private void report(Lease lease, Report report) {
    // Whoever takes it out of the hand decides what is said about it.
    if (hand.remove(lease)) {
      report(lease, report, 1);
    }
  }

  /** Reports without waiting; when the store fails, again, and at last the deadline decides. */
  private void report(Lease lease, Report report, int attempt) {
    var _ =
        report
            .send()
            .whenComplete((reply, failure) -> {
              boolean busy =
                  reply instanceof Reply.Rejected(Rejection no) && no.code() == Rejection.Code.BUSY;
              if ((failure != null || busy) && attempt < REPORTS) {
                CompletableFuture.delayedExecutor(200L << attempt, TimeUnit.MILLISECONDS)
                    .execute(() -> report(lease, report, attempt + 1));
              } else if (reply instanceof Reply.Rejected(Rejection no)) {
                LOG.log(Logger.Level.DEBUG, "{0}: {1}", lease.task(), no.message());
              }
            });
  }

  private void loseAll(String why) {
    for (Lease lease = hand.poll(); lease != null; lease = hand.poll()) {
      lose(lease, why);
    }
  }

  private void lose(Lease lease, String why) {
    report(
        lease,
        () ->
            queue.failed(
                lease.task(), lease.fence(), lease.worker(), Cause.WORKER_FAILURE, why, null),
        1);
  }
}
