package dev.signalbox.runtime;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/** A hint that someone asked for, until it is closed. */
public final class Watch implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(Watch.class.getName());

  private static final String FAILED =
      "Expected a hint of the feed to return, but it failed; later failures of it are told at debug"
          + " level.";

  private final Feed feed;
  private final Runnable hint;
  private final AtomicBoolean news = new AtomicBoolean();
  private final Thread thread;
  private volatile boolean closed;
  private boolean failed;

  Watch(Feed feed, Runnable hint) {
    this.feed = feed;
    this.hint = hint;
    this.thread = Thread.ofVirtual().name("signalbox-watch").unstarted(this::watch);
  }

  void start() {
    thread.start();
  }

  void wake() {
    if (!news.getAndSet(true)) {
      LockSupport.unpark(thread);
    }
  }

  private void watch() {
    while (!closed) {
      if (!news.getAndSet(false)) {
        LockSupport.park(this);
        continue;
      }
      try {
        hint.run();
      } catch (RuntimeException e) {
        LOG.log(failed ? System.Logger.Level.DEBUG : System.Logger.Level.WARNING, FAILED, e);
        failed = true;
      }
    }
  }

  /** No hint begins after this; one that runs is not waited for. */
  @Override
  public void close() {
    closed = true;
    feed.forget(this);
    LockSupport.unpark(thread);
  }
}
