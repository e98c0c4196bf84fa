package dev.signalbox.server.api;

import dev.signalbox.runtime.Audit;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.runtime.Verification;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The check of the whole journal that a server was asked for: one at a time, on a thread of its
 * own, within a time, with progress that anybody who may ask can see. The last one is remembered.
 * Any thread may ask.
 */
final class VerifyJob implements AutoCloseable {
  /** A journal that takes longer is verified with the command line, beside the server. */
  static final Duration LONGEST = Duration.ofHours(1);

  private static final Logger LOG = Logger.getLogger(VerifyJob.class.getName());

  private final Signalbox box;
  private final InstantSource clock;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition over = lock.newCondition();
  private @Nullable Run last;

  VerifyJob(Signalbox box, InstantSource clock) {
    this.box = box;
    this.clock = clock;
  }

  /** One check of the whole journal. */
  private static final class Run {
    final String by;
    final long began;
    volatile long groups;
    volatile boolean cancelled;
    volatile String state = "running";
    volatile @Nullable Verification found;
    volatile @Nullable String reason;

    Run(String by, long began) {
      this.by = by;
      this.began = began;
    }
  }

  /** Begins one, unless one is under way. */
  void begin(String by) {
    lock.lock();
    try {
      if (last == null || !last.state.equals("running")) {
        Run run = new Run(by, clock.millis());
        last = run;
        Thread.ofPlatform().daemon().name("signalbox-verify").start(() -> verify(run));
      }
    } finally {
      lock.unlock();
    }
  }

  private void verify(Run run) {
    String state = "failed";
    try {
      // What came since the last signature is signed first, so that little is left without one.
      box.checkpoint();
      run.found = Audit.verify(box.journal(), groups -> look(run, groups));
      state = "done";
    } catch (CancellationException e) {
      state = "cancelled";
      run.reason = e.getMessage();
    } catch (RuntimeException | Error e) {
      // An Error too ends the job and not the server.
      LOG.log(Level.WARNING, "Expected to verify the journal, but it failed.", e);
      run.reason =
          "Expected to read the whole journal, but it failed; the server's log has more. Ask"
              + " again.";
    } finally {
      lock.lock();
      try {
        run.state = state;
        over.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }

  private void look(Run run, long groups) {
    run.groups = groups;
    if (run.cancelled) {
      throw new CancellationException("Expected to read the whole journal, but it was cancelled.");
    }
    if (clock.millis() - run.began > LONGEST.toMillis()) {
      throw new CancellationException(
          "Expected to read the whole journal within %d minutes, but it takes longer. Use signalbox verify."
              .formatted(LONGEST.toMinutes()));
    }
  }

  /** Waits a moment for the end of what is under way. */
  void await(Duration patience) {
    lock.lock();
    try {
      long left = patience.toNanos();
      while (left > 0 && last != null && last.state.equals("running")) {
        left = over.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
    }
  }

  void cancel() {
    lock.lock();
    try {
      if (last != null) {
        last.cancelled = true;
      }
    } finally {
      lock.unlock();
    }
  }

  boolean isRunning() {
    lock.lock();
    try {
      return last != null && last.state.equals("running");
    } finally {
      lock.unlock();
    }
  }

  /** The one under way or the last one. */
  Map<String, @Nullable Object> view() {
    Run run;
    lock.lock();
    try {
      run = last;
    } finally {
      lock.unlock();
    }
    Map<String, @Nullable Object> view = new LinkedHashMap<>();
    // The state first: what is done has been found.
    view.put("state", run == null ? "never" : run.state);
    Verification found = run == null ? null : run.found;
    view.put("by", run == null ? null : run.by);
    view.put("began_at", run == null ? null : run.began);
    view.put("groups_read", run == null ? 0L : run.groups);
    view.put("reason", run == null ? null : run.reason);
    if (found != null) {
      view.putAll(found.fields());
    }
    return view;
  }

  @Override
  public void close() {
    cancel();
    await(Duration.ofSeconds(5));
  }
}
