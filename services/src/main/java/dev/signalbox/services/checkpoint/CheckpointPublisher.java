package dev.signalbox.services.checkpoint;

import dev.signalbox.journal.Checkpoint;
import dev.signalbox.journal.Journal;
import dev.signalbox.runtime.Signalbox;
import java.io.IOException;
import java.lang.System.Logger;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Publishes the checkpoints of a node, each place on a thread of its own. It outlives the store, so
 * that the last checkpoint, which is written while the store is closed, is published too.
 */
public final class CheckpointPublisher implements AutoCloseable {
  private static final Logger LOG = System.getLogger(CheckpointPublisher.class.getName());
  private static final int PAGE = 200;

  /** What waits for a place at most; the rest is published after the next start. */
  private static final int WAITING = 10_000;

  private static final long PAUSE = Duration.ofSeconds(5).toMillis();
  private static final long PATIENCE = Duration.ofSeconds(10).toMillis();

  private final List<Desk> desks = new ArrayList<>();

  /**
   * @throws IOException when a place can't be used; the message names it
   */
  public CheckpointPublisher(List<SecondPlace> places) throws IOException {
    for (SecondPlace place : places) {
      try {
        desks.add(new Desk(place, place.last()));
      } catch (IOException e) {
        throw new IOException(
            "Expected to publish checkpoints to %s, but: %s."
                .formatted(place.name(), e.getMessage()),
            e);
      }
    }
  }

  /** Publishes what the places missed, and from now on every checkpoint of the node. */
  public void follow(Signalbox box) {
    for (Desk desk : desks) {
      if (desk.place.remembers()) {
        desk.catchUp(box.journal());
      }
      desk.thread.start();
    }
    box.onCheckpoint(text -> desks.forEach(desk -> desk.take(text)));
  }

  /** How many checkpoints wait to be published. */
  public int waiting() {
    return desks.stream().mapToInt(Desk::size).sum();
  }

  /** Ends when everything is published, or after ten seconds. */
  @Override
  public void close() {
    desks.forEach(Desk::close);
    for (Desk desk : desks) {
      try {
        desk.thread.join(PATIENCE);
        desk.thread.interrupt();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      if (desk.size() > 0) {
        LOG.log(
            Logger.Level.WARNING,
            "{0} checkpoints were not published to {1}; they are after the next start.",
            desk.size(),
            desk.place.name());
      }
    }
  }

  /** One place and what waits for it. */
  private static final class Desk {
    final SecondPlace place;
    final Thread thread;
    private final byte @Nullable [] last;
    private final Deque<byte[]> waiting = new ArrayDeque<>();
    private final CountDownLatch closed = new CountDownLatch(1);
    private boolean closing;

    Desk(SecondPlace place, byte @Nullable [] last) {
      this.place = place;
      this.last = last;
      this.thread =
          Thread.ofPlatform().name("checkpoints to " + place.name()).daemon().unstarted(this::run);
    }

    void catchUp(Journal journal) {
      boolean met = last == null;
      long after = 0;
      List<Checkpoint> page;
      List<byte[]> missed = new ArrayList<>();
      do {
        page = journal.checkpoints(after, PAGE);
        for (Checkpoint checkpoint : page) {
          after = checkpoint.number();
          if (met && missed.size() < WAITING) {
            missed.add(checkpoint.text());
          }
          met |= Arrays.equals(checkpoint.text(), last);
        }
      } while (page.size() == PAGE);
      if (met) {
        missed.forEach(this::take);
      } else {
        LOG.log(
            Logger.Level.WARNING,
            "The checkpoint that was published last to {0} is not in the store: it is another"
                + " store, an older copy, or it was rewritten. ''signalbox verify --checkpoints''"
                + " tells more.",
            place.name());
      }
    }

    synchronized void take(byte[] text) {
      if (waiting.size() < WAITING) {
        waiting.add(text);
        notifyAll();
      }
    }

    synchronized int size() {
      return waiting.size();
    }

    synchronized void close() {
      closing = true;
      closed.countDown();
      notifyAll();
    }

    private void run() {
      try {
        while (true) {
          byte[] next = next();
          if (next == null) {
            return;
          }
          try {
            place.publish(next);
            done();
          } catch (IOException e) {
            LOG.log(
                Logger.Level.WARNING,
                "A checkpoint waits to be published to {0}: {1}",
                place.name(),
                e.getMessage());
            if (paused()) {
              return;
            }
          }
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    /** The next, which stays in its place until it is published; null at the end. */
    private synchronized byte @Nullable [] next() throws InterruptedException {
      while (waiting.isEmpty() && !closing) {
        wait();
      }
      return waiting.peek();
    }

    private synchronized void done() {
      waiting.remove();
    }

    /** Waits a while before the next attempt; true when it is the end. */
    private boolean paused() throws InterruptedException {
      return closed.await(PAUSE, TimeUnit.MILLISECONDS);
    }
  }
}
