package dev.signalbox.services;

import dev.signalbox.journal.JournalException;
import java.lang.System.Logger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * A thread that does the same short work again and again: when somebody wakes it, and otherwise
 * after as many milliseconds as the work answered. What the store refuses for a while is tried
 * again.
 */
public final class Ticker implements AutoCloseable {
  private static final Logger LOG = System.getLogger(Ticker.class.getName());
  private static final long LONGEST = 1_000;
  private static final long AFTER_TROUBLE = 500;

  private final LongSupplier work;
  private final Thread thread;
  private volatile boolean woken;
  private volatile boolean closing;

  public Ticker(String name, LongSupplier work) {
    this.work = work;
    this.thread = Thread.ofPlatform().name(name).daemon().unstarted(this::run);
  }

  public void start() {
    thread.start();
  }

  /** Lets the work be done at once. */
  public void wake() {
    if (!woken) {
      woken = true;
      LockSupport.unpark(thread);
    }
  }

  private void run() {
    while (!closing) {
      woken = false;
      long pause = once();
      if (!woken && !closing && pause > 0) {
        LockSupport.parkNanos(this, Math.min(pause, LONGEST) * 1_000_000);
      }
    }
  }

  private long once() {
    try {
      return work.getAsLong();
    } catch (JournalException e) {
      LOG.log(Logger.Level.WARNING, e.getMessage());
    } catch (RuntimeException e) {
      if (!closing) {
        LOG.log(Logger.Level.ERROR, thread.getName() + " met a fault of its own.", e);
      }
    }
    LockSupport.parkNanos(this, AFTER_TROUBLE * 1_000_000);
    return 0;
  }

  /** Ends after what it is doing. */
  @Override
  public void close() {
    closing = true;
    LockSupport.unpark(thread);
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
