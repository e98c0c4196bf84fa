package dev.signalbox.systems.runs;

import dev.signalbox.runtime.Host;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.approval.ApprovalWatcher;
import dev.signalbox.services.approval.Approvals;
import dev.signalbox.services.system.PackagedSystem;
import dev.signalbox.services.system.Route;
import dev.signalbox.systems.SystemMachines;
import dev.signalbox.systems.runs.file.RunFiles;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The system of approved runs: attached to a store, it does the work of every run in it. */
public final class RunsSystem implements PackagedSystem {
  private static final Duration TENDING = Duration.ofSeconds(5);

  private final RunsSettings settings;
  private final List<AutoCloseable> beside = new CopyOnWriteArrayList<>();

  public RunsSystem(RunsSettings settings) {
    this.settings = settings;
  }

  @Override
  public String name() {
    return "runs";
  }

  @Override
  public String title() {
    return "Approved runs";
  }

  @Override
  public List<String> machines() {
    return List.of(Runs.MACHINE);
  }

  @Override
  public void publish(Signalbox box) {
    SystemMachines.publish(box, Runs.MACHINE);
    Approvals.on(box);
  }

  @Override
  public void attach(Signalbox box) {
    new RunWork(box, settings).attach(box::handle);
    // What a run asked is closed when it has ended.
    beside.add(ApprovalWatcher.start(Approvals.on(box), TENDING));
    beside.add(RunFiles.follow(box, settings.folder()));
  }

  @Override
  public void close() {
    for (AutoCloseable each : beside) {
      try {
        each.close();
      } catch (Exception e) {
        throw new IllegalStateException("Expected what stands beside the runs to end.", e);
      }
    }
    beside.clear();
  }

  /** Starts runs and finds them, under the policy that they are judged by. */
  public Runs runs(Host host) {
    return Runs.on(host, settings.policy());
  }

  @Override
  public String folder() {
    return "page";
  }

  @Override
  public List<Route> routes(Signalbox box) {
    return new RunRoutes(runs(box), settings).routes();
  }
}
