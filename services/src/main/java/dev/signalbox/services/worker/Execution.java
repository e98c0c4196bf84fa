package dev.signalbox.services.worker;

import dev.signalbox.services.task.Lease;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A handler at work on a task, on a thread of its own: so its limit and its cancellation reach it,
 * and one that does not listen keeps nobody but itself.
 */
final class Execution {
  final Lease lease;
  private final long until;
  private final Thread thread;
  private final CountDownLatch over = new CountDownLatch(1);
  private volatile boolean wanted = true;

  /**
   * @param began when its limit began, by the store's clock
   * @param work is done on the thread; when it returns, the execution is over
   */
  Execution(Lease lease, long began, Consumer<Execution> work) {
    this.lease = lease;
    this.until = began + lease.limit().toMillis();
    this.thread =
        Thread.ofVirtual()
            .name("signalbox-task-" + lease.task())
            .unstarted(() -> {
              try {
                work.accept(this);
              } finally {
                over.countDown();
              }
            });
  }

  void start() {
    thread.start();
  }

  boolean isWanted() {
    return wanted;
  }

  boolean isOverdue(long now) {
    return now >= until;
  }

  /** Nobody wants it any more; whether it listens or not, nobody waits for it. */
  void giveUp() {
    wanted = false;
    thread.interrupt();
    over.countDown();
  }

  /** Waits until it has ended or was given up; false when it takes longer. */
  boolean await(long millis) throws InterruptedException {
    return over.await(millis, TimeUnit.MILLISECONDS);
  }
}
