package dev.signalbox.services;

import dev.signalbox.journal.JournalException;
import java.lang.System.Logger;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Work that is done again and again on a thread of its own, with a pause after each time. What the
 * store refuses for a while is done the next time. Nobody can wake it; a {@link Ticker} can be.
 */
public final class Repeater implements AutoCloseable {
  private static final Logger LOG = System.getLogger(Repeater.class.getName());

  private final CountDownLatch closing = new CountDownLatch(1);
  private final Thread thread;

  private Repeater(String name, Duration pause, Runnable work) {
    this.thread = Thread.ofPlatform().name(name).daemon().unstarted(() -> run(pause, work));
  }

  /** Does it for the first time at once. */
  public static Repeater start(String name, Duration pause, Runnable work) {
    Repeater repeater = new Repeater(name, pause, work);
    repeater.thread.start();
    return repeater;
  }

  private void run(Duration pause, Runnable work) {
    try {
      do {
        try {
          work.run();
        } catch (JournalException | IllegalStateException e) {
          LOG.log(
              Logger.Level.WARNING,
              "{0}: later again, because {1}",
              thread.getName(),
              e.getMessage());
        }
      } while (!closing.await(pause.toMillis(), TimeUnit.MILLISECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends after what it is doing. */
  @Override
  public void close() {
    closing.countDown();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
