package dev.signalbox.runtime;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Commands that wait for whoever drives the engine and takes them; it holds no more of what callers
 * ask for than it may. What the engine has to do by itself always finds room. Once it is closed,
 * whatever is in it and whatever still comes is answered with that.
 */
final class Inbox {
  private final ConcurrentLinkedQueue<Ticket> queue = new ConcurrentLinkedQueue<>();
  private final AtomicInteger size = new AtomicInteger();
  private final AtomicLong arrived = new AtomicLong();
  private final int most;
  private volatile @Nullable Thread sleeper;
  private volatile boolean closed;

  Inbox(int most) {
    this.most = most;
  }

  /** Puts a ticket in and wakes whoever takes it; false when it is full. */
  boolean offer(Ticket ticket) {
    if (!put(ticket)) {
      return false;
    }
    wake();
    return true;
  }

  /** Puts a ticket in, or answers it because nobody takes it any more; false when it is full. */
  boolean put(Ticket ticket) {
    if (closed) {
      refuse(ticket);
      return true;
    }
    if (size.incrementAndGet() > most && !ticket.isInternal()) {
      size.decrementAndGet();
      return false;
    }
    ticket.arrival = arrived.incrementAndGet();
    queue.add(ticket);
    if (closed && queue.remove(ticket)) {
      refuse(ticket);
    }
    return true;
  }

  /** Nobody takes anything any more. */
  void close() {
    closed = true;
    for (Ticket ticket = queue.poll(); ticket != null; ticket = queue.poll()) {
      refuse(ticket);
    }
  }

  private static void refuse(Ticket ticket) {
    ticket.fail(new IllegalStateException("The signalbox is closed."));
  }

  @Nullable Ticket poll() {
    Ticket ticket = queue.poll();
    if (ticket != null) {
      size.decrementAndGet();
    }
    return ticket;
  }

  /** How many have come so far. */
  long arrived() {
    return arrived.get();
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

  /**
   * Waits until something comes, or someone wakes it, or the time is over.
   *
   * @param reason whether there is no need to wait
   */
  void await(long nanos, BooleanSupplier reason) {
    sleeper = Thread.currentThread();
    try {
      if (!reason.getAsBoolean()) {
        LockSupport.parkNanos(this, nanos);
      }
    } finally {
      sleeper = null;
    }
  }
}
