package dev.signalbox.server.stream;

import dev.signalbox.definition.Json;
import dev.signalbox.runtime.Watch;
import dev.signalbox.services.notification.Cursor;
import dev.signalbox.services.notification.Notification;
import dev.signalbox.services.notification.NotificationStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/**
 * Notifications as server-sent events. The id of an event is its cursor, so that whoever comes back
 * with the last one goes on behind it, on any node. Each stream reads the feed by itself, so there
 * are few.
 */
public final class NotificationStreams implements AutoCloseable {
  private static final int MOST = 256;
  private static final int PAGE = 100;
  private static final long POLL_MS = 500;
  private static final int POLLS_A_HEARTBEAT = 30;

  /** After so many heartbeats a stream ends, and its client comes again with a fresh credential. */
  private static final int MOST_HEARTBEATS = 240;

  private final NotificationStream source;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition news = lock.newCondition();
  private final Watch watch;
  private long hints;
  private int open;
  private boolean closed;

  public NotificationStreams(NotificationStream source) {
    this.source = source;
    this.watch = source.onNews(this::hint);
  }

  private void hint() {
    lock.lock();
    try {
      hints++;
      news.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Takes a place; false when all are taken. Whoever has one calls {@link #write} once. */
  public boolean enter() {
    lock.lock();
    try {
      if (open >= MOST || closed) {
        return false;
      }
      open++;
      return true;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Tells everything behind the cursor, and whatever comes, until the client goes, the server
   * closes, or the caller is not good any more.
   *
   * @param visible whether the caller may hear of the machine
   */
  public void write(
      OutputStream out,
      Cursor after,
      NotificationStream.Filter filter,
      Predicate<String> visible,
      BooleanSupplier good)
      throws IOException {
    try {
      say(out, ": connected\n\n");
      Cursor cursor = after;
      int silent = 0;
      int heartbeats = 0;
      while (true) {
        long seen = hints();
        NotificationStream.Page page = source.read(cursor, filter, PAGE);
        StringBuilder text = new StringBuilder();
        for (Notification one : page.notifications()) {
          if (visible.test(one.machine())) {
            text.append("id: ").append(one.cursor().text()).append("\nevent: notification\ndata: ");
            text.append(Json.text(one.asMap())).append("\n\n");
          }
        }
        cursor = page.next();
        if (!text.isEmpty()) {
          say(out, text.toString());
          silent = 0;
        }
        if (page.isEnd() && !await(seen)) {
          say(out, "event: end\ndata: {}\n\n");
          return;
        }
        if (page.isEnd() && ++silent >= POLLS_A_HEARTBEAT) {
          if (++heartbeats > MOST_HEARTBEATS || !good.getAsBoolean()) {
            return;
          }
          say(out, ": \nid: " + cursor.text() + "\n\n");
          silent = 0;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      lock.lock();
      try {
        open--;
      } finally {
        lock.unlock();
      }
    }
  }

  private static void say(OutputStream out, String text) throws IOException {
    out.write(text.getBytes(StandardCharsets.UTF_8));
    out.flush();
  }

  private long hints() {
    lock.lock();
    try {
      return hints;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits for a hint or a while; false when the server closes. Waking early means to look again.
   */
  @SuppressWarnings("WaitNotInLoop")
  private boolean await(long seen) throws InterruptedException {
    lock.lock();
    try {
      if (!closed && hints == seen) {
        news.await(POLL_MS, TimeUnit.MILLISECONDS);
      }
      return !closed;
    } finally {
      lock.unlock();
    }
  }

  /** Ends every stream after what it was told. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      news.signalAll();
    } finally {
      lock.unlock();
    }
    watch.close();
  }
}
