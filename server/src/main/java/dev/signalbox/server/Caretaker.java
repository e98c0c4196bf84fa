package dev.signalbox.server;

import dev.signalbox.journal.JournalException;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.server.api.CareRoutes;
import dev.signalbox.server.api.Readings;
import dev.signalbox.services.alert.Alerts;
import dev.signalbox.services.approval.ApprovalWatcher;
import dev.signalbox.services.approval.Approvals;
import dev.signalbox.services.budget.Budgets;
import dev.signalbox.services.metrics.Metrics;
import dev.signalbox.services.notification.Notifications;
import dev.signalbox.services.notification.Secrets;
import dev.signalbox.services.retention.Archives;
import dev.signalbox.services.sweep.SweepReport;
import dev.signalbox.services.sweep.SweepSettings;
import dev.signalbox.services.sweep.Sweeper;
import dev.signalbox.services.trace.Tracing;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The services that look after the store while the server is up: sweeps, metrics, alerts,
 * notifications, reminders, traces. What they do they do through the one door, so several nodes may
 * each have one.
 */
final class Caretaker implements AutoCloseable, CareRoutes.Sweeps {
  private static final Logger LOG = Logger.getLogger(Caretaker.class.getName());

  /**
   * As {@link SweepSettings#DEFAULT}, but a long life is only read, because this one comes again
   * and again.
   */
  private static final SweepSettings SWEEPS =
      new SweepSettings(
          SweepSettings.DEFAULT.grace(),
          SweepSettings.DEFAULT.overdue(),
          100_000,
          1_000,
          100_000,
          SweepSettings.DEFAULT.mostCorrections(),
          SweepSettings.DEFAULT.mostFindings());

  private static final Duration BETWEEN_ARCHIVES = Duration.ofHours(1);

  private final Metrics metrics;
  private final Alerts alerts;
  private final Notifications notifications;
  private final Sweeper sweeper;
  private final Readings readings;
  private final AtomicReference<@Nullable SweepReport> swept = new AtomicReference<>();

  /** In the order in which they were begun. */
  private final Deque<AutoCloseable> begun = new ArrayDeque<>();

  /**
   * @param secrets where the secrets of webhooks are found
   * @param archives null where the server has no folder to keep them in
   */
  Caretaker(
      Signalbox box, Care care, Secrets secrets, @Nullable Archives archives, InstantSource clock) {
    try {
      if (care.telemetry() != null) {
        Tracing tracing = begin(new Tracing(box, care.telemetry()));
        box.around(tracing::traced);
        box.aroundCommands(tracing::around);
      }
      this.metrics = begin(Metrics.of(box, care.looking()));
      this.alerts = begin(new Alerts(box, metrics, care.alerts()));
      this.notifications =
          begin(new Notifications(box, care.rules(), secrets, care.webhooks(), clock));
      this.sweeper = begin(new Sweeper(box, Sweeper.standard(), SWEEPS));
      this.readings = new Readings(metrics.registry(), clock);
      if (!care.sweeps().isZero()) {
        sweeper.start(care.sweeps(), this::swept);
      }
      if (!care.looking().isZero()) {
        again(
            "signalbox-alerts",
            care.looking(),
            () -> {
              alerts.look();
              readings.take();
            });
      }
      if (!care.tending().isZero()) {
        begin(ApprovalWatcher.start(Approvals.on(box), care.tending()));
        Budgets budgets = Budgets.on(box);
        again("signalbox-budgets", care.tending(), budgets::tend);
      }
      if (!care.keeping().isZero() && archives != null) {
        again("signalbox-archives", BETWEEN_ARCHIVES, () -> archive(archives, care.keeping()));
      }
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  /** File after file, until nothing is old enough or nothing but what must stay. */
  private static void archive(Archives archives, Duration keeping) {
    try {
      Archives.Written written;
      do {
        written = archives.write(keeping, Archives.MOST, Actor.SYSTEM);
        if (written != null) {
          LOG.log(
              Level.INFO,
              "{0} instances went into the archive {1}.",
              new Object[] {written.instances(), written.file()});
        }
      } while (written != null && written.instances() > 0);
    } catch (IOException e) {
      LOG.log(Level.WARNING, "Expected to archive what has ended, but: {0}", e.getMessage());
    }
  }

  private <T extends AutoCloseable> T begin(T one) {
    begun.push(one);
    return one;
  }

  /** Does the work again and again, until this is closed. */
  private void again(String name, Duration pause, Runnable work) {
    ScheduledExecutorService thread =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name(name).factory());
    var _ =
        thread.scheduleWithFixedDelay(
            () -> {
              try {
                work.run();
              } catch (JournalException | IllegalStateException e) {
                LOG.log(Level.WARNING, "{0}: later again, because {1}", names(name, e));
              }
            },
            0,
            pause.toMillis(),
            TimeUnit.MILLISECONDS);
    begin(() -> {
      thread.shutdown();
      if (!thread.awaitTermination(5, TimeUnit.SECONDS)) {
        thread.shutdownNow();
      }
    });
  }

  private static Object[] names(String name, RuntimeException e) {
    return new Object[] {name, String.valueOf(e.getMessage())};
  }

  private void swept(SweepReport report) {
    swept.set(report);
    if (!report.isClean()) {
      LOG.log(
          Level.INFO,
          "A sweep of {0} instances found {1} and corrected {2}.",
          new Object[] {report.scanned(), report.counts(), report.corrected()});
    }
  }

  Metrics metrics() {
    return metrics;
  }

  Alerts alerts() {
    return alerts;
  }

  Notifications notifications() {
    return notifications;
  }

  Readings readings() {
    return readings;
  }

  @Override
  public @Nullable SweepReport last() {
    return swept.get();
  }

  @Override
  public SweepReport sweep(boolean dryRun) {
    SweepReport report = sweeper.sweep(dryRun);
    if (!dryRun) {
      swept(report);
    }
    return report;
  }

  /** Ends them, the last one first. */
  @Override
  public void close() {
    List<AutoCloseable> all = new ArrayList<>(begun);
    begun.clear();
    for (AutoCloseable one : all) {
      try {
        one.close();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (Exception e) {
        LOG.log(Level.WARNING, "Expected to end a service, but it failed.", e);
      }
    }
  }
}
