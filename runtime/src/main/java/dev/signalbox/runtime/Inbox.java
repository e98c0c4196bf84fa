package dev.signalbox.runtime;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Commands that wait for the one thread that takes them; it holds no more than it may. */
final class Inbox {
  private final ConcurrentLinkedQueue<Ticket> queue = new ConcurrentLinkedQueue<>();
  private final AtomicInteger size = new AtomicInteger();
  private final int most;
  private volatile @Nullable Thread sleeper;

  Inbox(int most) {
    this.most = most;
  }

  /** Puts a ticket in, unless there are too many. */
  boolean offer(Ticket ticket) {
    if (size.incrementAndGet() > most) {
      size.decrementAndGet();
      return false;
    }
    queue.add(ticket);
    wake();
    return true;
  }

  @Nullable Ticket poll() {
    Ticket ticket = queue.poll();
    if (ticket != null) {
      size.decrementAndGet();
    }
    return ticket;
  }

  int size() {
    return size.get();
  }

  /** Wakes the thread that waits. */
  void wake() {
    Thread waiting = sleeper;
    if (waiting != null) {
      LockSupport.unpark(waiting);
    }
  }

  /** Waits until something comes, or someone wakes it, or the time is over. */
  void await(long nanos, java.util.function.BooleanSupplier otherwise) {
    sleeper = Thread.currentThread();
    try {
      if (queue.isEmpty() && !otherwise.getAsBoolean()) {
        LockSupport.parkNanos(this, nanos);
      }
    } finally {
      sleeper = null;
    }
  }
}
