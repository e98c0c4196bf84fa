package dev.signalbox.server.stream;

import dev.signalbox.journal.SteadyClock;
import dev.signalbox.runtime.Feed;
import dev.signalbox.runtime.FeedEntry;
import dev.signalbox.runtime.Watch;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.logging.Level;
import java.util.logging.Logger;

/** The open streams, and the one thread that reads for all of them. */
public final class Streams implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(Streams.class.getName());
  private static final int PAGE = 500;
  private static final int RECENT = 4_096;
  private static final long RECENT_BYTES = 16L << 20;

  /** How often the store is asked although no hint came: other nodes' commits give none. */
  private static final long POLL_MS = 500;

  private final Feed feed;
  private final InstantSource clock;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition news = lock.newCondition();
  private final Condition work = lock.newCondition();

  /** Everything above {@code floor} up to {@code last}, in order. */
  private final Deque<Told> recent = new ArrayDeque<>();

  private long recentBytes;
  private long floor;
  private long last;
  private final Places places;
  private boolean hinted;
  private boolean closed;
  private final Thread tail;
  private final Watch watch;

  /** Which entries a stream wants. */
  public record Filter(
      Predicate<String> machine,
      Predicate<String> instance,
      Predicate<String> kind,
      Predicate<List<String>> states) {

    boolean takes(Told told) {
      return machine.test(told.machine())
          && instance.test(told.instance())
          && kind.test(told.kind())
          && states.test(told.states());
    }
  }

  /**
   * @param most streams that may be open at once
   * @param mostOfOne of them with one credential
   */
  public Streams(Feed feed, int most, int mostOfOne, InstantSource clock) {
    this.feed = feed;
    this.places = new Places(most, mostOfOne);
    this.clock = SteadyClock.of(clock);
    this.tail = Thread.ofVirtual().name("signalbox-tail").unstarted(this::follow);
    this.watch = feed.onCommit(this::hint);
    tail.start();
  }

  private void hint() {
    lock.lock();
    try {
      hinted = true;
      work.signal();
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
      if (closed || !places.enter(who)) {
        return false;
      }
      work.signal();
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** How many streams are open. */
  public int open() {
    lock.lock();
    try {
      return places.count();
    } finally {
      lock.unlock();
    }
  }

  /** The position of the newest entry. */
  public long end() {
    return feed.end();
  }

  /**
   * Tells everything above the position, and whatever comes, until the client goes, the server
   * closes, or the caller is not good any more.
   *
   * @param who has a place
   * @param good whether the caller's credential is still good; asked every few seconds, however
   *     much there is to tell
   */
  public void write(String who, OutputStream out, long after, Filter filter, BooleanSupplier good)
      throws IOException {
    try {
      Attendance attendance = new Attendance(clock, good);
      say(out, ": connected\n\n");
      long position = after;
      List<Told> batch = new ArrayList<>();
      while (!attendance.isOver()) {
        batch.clear();
        switch (await(position, batch)) {
          case CLOSED -> {
            say(out, "event: end\ndata: {}\n\n");
            return;
          }
          case NOTHING -> {}
          case BEHIND -> {
            List<FeedEntry> page = feed.read(position, PAGE);
            for (FeedEntry entry : page) {
              Told told = Told.of(entry);
              if (told != null) {
                batch.add(told);
              }
            }
            if (!tell(batch, out, filter, attendance)) {
              return;
            }
            if (page.isEmpty()) {
              // What lies between is still being committed by someone, or was never given out.
              breathe();
            } else {
              position = page.getLast().position();
            }
          }
          case NEWS -> {
            if (!tell(batch, out, filter, attendance)) {
              return;
            }
            position = batch.getLast().position();
          }
        }
        if (attendance.needsSign()) {
          // An id without data moves the client's position and dispatches nothing.
          say(out, ": \nid: " + position + "\n\n");
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

  /**
   * Tells what of the batch is wanted; false when the attendance was over before its end. A client
   * may take the bytes as slowly as it likes, so the clock is looked at before each.
   */
  private static boolean tell(
      List<Told> batch, OutputStream out, Filter filter, Attendance attendance) throws IOException {
    boolean any = false;
    for (Told told : batch) {
      if (filter.takes(told)) {
        if (attendance.isOver()) {
          return false;
        }
        out.write(told.frame());
        any = true;
      }
    }
    if (any) {
      out.flush();
      attendance.told();
    }
    return true;
  }

  private enum Next {
    NEWS,
    BEHIND,
    NOTHING,
    CLOSED
  }

  /** Waits a moment; waking early only means looking again. */
  @SuppressWarnings("WaitNotInLoop")
  private void breathe() throws InterruptedException {
    lock.lock();
    try {
      if (!closed) {
        news.await(POLL_MS, TimeUnit.MILLISECONDS);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Waits a moment for something above the position, and takes it when it is recent. */
  private Next await(long position, List<Told> batch) throws InterruptedException {
    lock.lock();
    try {
      long left = TimeUnit.MILLISECONDS.toNanos(Attendance.NAP_MS);
      while (true) {
        if (closed) {
          return Next.CLOSED;
        }
        if (position < floor) {
          return Next.BEHIND;
        }
        if (position < last) {
          // The youngest are at the end, and most streams lack only those.
          var youngest = recent.descendingIterator();
          while (youngest.hasNext()) {
            Told told = youngest.next();
            if (told.position() <= position) {
              break;
            }
            batch.add(told);
          }
          java.util.Collections.reverse(batch);
          if (!batch.isEmpty()) {
            return Next.NEWS;
          }
        }
        if (left <= 0) {
          return Next.NOTHING;
        }
        left = news.awaitNanos(left);
      }
    } finally {
      lock.unlock();
    }
  }

  private void follow() {
    boolean idle = true;
    while (true) {
      try {
        lock.lock();
        try {
          while (places.count() == 0 && !closed) {
            idle = true;
            recent.clear();
            recentBytes = 0;
            work.await();
          }
          if (closed) {
            return;
          }
        } finally {
          lock.unlock();
        }
        if (idle) {
          begin(feed.end());
          idle = false;
        }
        List<FeedEntry> page = feed.read(last(), PAGE);
        if (page.isEmpty()) {
          pause();
        } else {
          keep(page);
        }
      } catch (InterruptedException e) {
        return;
      } catch (RuntimeException e) {
        LOG.log(Level.WARNING, "Expected to read what is new, but the store does not answer.", e);
        try {
          pause();
        } catch (InterruptedException interrupted) {
          return;
        }
      }
    }
  }

  private long last() {
    lock.lock();
    try {
      return last;
    } finally {
      lock.unlock();
    }
  }

  /** From here on everything is kept; whoever is further back reads the store. */
  private void begin(long position) {
    lock.lock();
    try {
      recent.clear();
      recentBytes = 0;
      floor = position;
      last = position;
      news.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void keep(List<FeedEntry> page) {
    List<Told> told = new ArrayList<>(page.size());
    for (FeedEntry entry : page) {
      Told one = Told.of(entry);
      if (one != null) {
        told.add(one);
      }
    }
    lock.lock();
    try {
      for (Told one : told) {
        recent.addLast(one);
        recentBytes += one.frame().length;
      }
      last = page.getLast().position();
      while (recent.size() > RECENT || (recentBytes > RECENT_BYTES && recent.size() > 1)) {
        Told oldest = recent.removeFirst();
        recentBytes -= oldest.frame().length;
        floor = oldest.position();
      }
      news.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Waits for a hint or a while; waking early only means looking again. */
  @SuppressWarnings("WaitNotInLoop")
  private void pause() throws InterruptedException {
    lock.lock();
    try {
      if (!hinted && !closed) {
        work.await(POLL_MS, TimeUnit.MILLISECONDS);
      }
      hinted = false;
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
      work.signalAll();
    } finally {
      lock.unlock();
    }
    watch.close();
  }
}
