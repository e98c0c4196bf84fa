package dev.signalbox.server.stream;

import dev.signalbox.definition.Json;
import dev.signalbox.journal.SteadyClock;
import dev.signalbox.runtime.Watch;
import dev.signalbox.services.notification.Cursor;
import dev.signalbox.services.notification.Notification;
import dev.signalbox.services.notification.NotificationStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
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
  private static final int MOST_OF_ONE = 16;

  private final NotificationStream source;
  private final InstantSource clock;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition news = lock.newCondition();
  private final Watch watch;
  private long hints;
  private final Places places = new Places(MOST, MOST_OF_ONE);
  private boolean closed;

  public NotificationStreams(NotificationStream source, InstantSource clock) {
    this.source = source;
    this.clock = SteadyClock.of(clock);
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

  /**
   * Takes a place; false when all are taken, or all that one may have. Whoever has one calls {@link
   * #write} once.
   *
   * @param who the credential
   */
  public boolean enter(String who) {
    lock.lock();
    try {
      return !closed && places.enter(who);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Tells everything behind the cursor, and whatever comes, until the client goes, the server
   * closes, or the caller is not good any more.
   *
   * @param who has a place
   * @param visible whether the caller may hear of the machine
   * @param good whether the caller's credential is still good; asked every few seconds, however
   *     much there is to tell
   */
  public void write(
      String who,
      OutputStream out,
      Cursor after,
      NotificationStream.Filter filter,
      Predicate<String> visible,
      BooleanSupplier good)
      throws IOException {
    try {
      Attendance attendance = new Attendance(clock, good);
      say(out, ": connected\n\n");
      Cursor cursor = after;
      while (!attendance.isOver()) {
        long seen = hints();
        NotificationStream.Page page = source.read(cursor, filter, PAGE);
        for (Notification one : page.notifications()) {
          if (visible.test(one.machine())) {
            if (attendance.isOver()) {
              return;
            }
            say(
                out,
                "id: %s\nevent: notification\ndata: %s\n\n"
                    .formatted(one.cursor().text(), Json.text(one.asMap())));
            attendance.told();
          }
        }
        cursor = page.next();
        if (page.isEnd() && !await(seen)) {
          say(out, "event: end\ndata: {}\n\n");
          return;
        }
        if (attendance.needsSign()) {
          say(out, ": \nid: " + cursor.text() + "\n\n");
          attendance.told();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      lock.lock();
      try {
        places.leave(who);
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
