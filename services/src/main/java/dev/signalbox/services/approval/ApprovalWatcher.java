package dev.signalbox.services.approval;

import java.lang.System.Logger;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Tends the approvals again and again: closes orphans and sends reminders. */
public final class ApprovalWatcher implements AutoCloseable {
  private static final Logger LOG = System.getLogger(ApprovalWatcher.class.getName());

  private final Approvals approvals;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("signalbox-approvals").factory());

  private ApprovalWatcher(Approvals approvals) {
    this.approvals = approvals;
  }

  public static ApprovalWatcher start(Approvals approvals, Duration every) {
    ApprovalWatcher watcher = new ApprovalWatcher(approvals);
    long pause = every.toMillis();
    var _ =
        watcher.thread.scheduleWithFixedDelay(watcher::look, pause, pause, TimeUnit.MILLISECONDS);
    return watcher;
  }

  private void look() {
    try {
      approvals.tend();
    } catch (RuntimeException e) {
      // The next look may go better; whoever needs the answer sees the store's trouble elsewhere.
      LOG.log(Logger.Level.WARNING, "Expected to tend the approvals, but: " + e.getMessage());
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
