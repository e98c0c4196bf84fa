package dev.signalbox.services;

import dev.signalbox.runtime.Feed;
import dev.signalbox.runtime.FeedEntry;
import dev.signalbox.runtime.Watch;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Reads the feed on a thread of its own and gives every entry to one consumer, in order. It keeps
 * its place in memory only: what was there before it began is for those who want it to ask for.
 */
public final class FeedFollower implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(FeedFollower.class.getName());
  private static final int PAGE = 1_000;

  private final Feed feed;
  private final Consumer<FeedEntry> consumer;
  private final Duration poll;
  private final Semaphore news = new Semaphore(1);
  private final Watch watch;
  private final Thread thread;
  private long position;
  private volatile boolean closed;

  /**
   * @param after the position to begin behind
   * @param poll how long to wait when no hint comes
   */
  public FeedFollower(
      String name, Feed feed, long after, Duration poll, Consumer<FeedEntry> consumer) {
    this.feed = feed;
    this.position = after;
    this.poll = poll;
    this.consumer = consumer;
    this.watch = feed.onCommit(this::wake);
    this.thread = Thread.ofVirtual().name(name).start(this::run);
  }

  private void wake() {
    if (news.availablePermits() == 0) {
      news.release();
    }
  }

  private void run() {
    try {
      while (!closed) {
        boolean more = false;
        try {
          more = catchUp();
        } catch (RuntimeException e) {
          LOG.log(System.Logger.Level.WARNING, "The feed is read on after a pause: {0}", e);
        }
        if (!more) {
          boolean _ = news.tryAcquire(poll.toMillis(), TimeUnit.MILLISECONDS);
          news.drainPermits();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Reads a page; true when there may be more. Whoever calls it gets it done when it returns. */
  public synchronized boolean catchUp() {
    List<FeedEntry> page = feed.read(position, PAGE);
    for (FeedEntry entry : page) {
      position = entry.position();
      try {
        consumer.accept(entry);
      } catch (RuntimeException e) {
        // One entry that can't be dealt with must not stop all that come after it.
        LOG.log(System.Logger.Level.WARNING, "Entry {0} is passed over: {1}", entry, e);
      }
    }
    return page.size() == PAGE;
  }

  @Override
  public void close() {
    closed = true;
    watch.close();
    wake();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
