package dev.signalbox.services.sweep;

import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Query;
import dev.signalbox.runtime.Instance;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Tasks whose worker is gone or has been silent for too long. */
public final class ZombieSweep implements Sweep {
  private static final Set<String> HELD = Set.of("ASSIGNED", "RUNNING");
  private static final Set<String> GONE = Set.of("CRASHED", "TERMINATED", "FAILED_START");

  private final Duration silence;

  /**
   * @param silence after which a worker is lost
   */
  public ZombieSweep(Duration silence) {
    this.silence = silence;
  }

  @Override
  public String kind() {
    return "zombie";
  }

  @Override
  public @Nullable Finding look(Subject subject) {
    Instance task = subject.view();
    if (task == null
        || !subject.isLive()
        || !task.machine().equals("task")
        || task.leaves().stream().noneMatch(HELD::contains)
        || !task.awaited().contains("zombie")) {
      return null;
    }
    String name = String.valueOf(task.context().get("worker"));
    Instance worker = worker(subject.around(), name);
    String reason = gone(worker, name);
    long heard = Math.max(heard(task), heard(worker));
    long silent = subject.around().now() - heard;
    if (reason == null
        && heard > 0
        && silent > silence.toMillis()
        && task.leaves().contains("RUNNING")) {
      reason = "worker '%s' has been silent for %d s".formatted(name, silent / 1_000);
    }
    return reason == null ? null : subject.finding(kind(), reason, new Correction.Send("zombie"));
  }

  /** When a task or a worker was last heard of; 0 when never. A worker speaks for its tasks. */
  private static long heard(@Nullable Instance instance) {
    return instance != null && instance.context().get("last_heartbeat") instanceof Long at ? at : 0;
  }

  /** Why the worker is gone, or null when it is there or nobody knows it. */
  private static @Nullable String gone(@Nullable Instance worker, String name) {
    if (worker == null) {
      return null;
    }
    if (worker.status().equals("ended")) {
      return "worker '%s' has ended".formatted(name);
    }
    return worker.leaves().stream().anyMatch(GONE::contains)
        ? "worker '%s' is in %s".formatted(name, String.join(", ", worker.leaves()))
        : null;
  }

  private static @Nullable Instance worker(Surroundings around, String name) {
    Instance byId = around.instance(name);
    if (byId != null && byId.machine().equals("worker")) {
      return byId;
    }
    List<InstanceRow> named =
        around.rows(Query.ALL.ofMachine("worker").with(Map.of("name", name)).page(0, 10));
    for (InstanceRow row : named) {
      if (row.status() != InstanceRow.Status.ENDED) {
        return around.view(row);
      }
    }
    return named.isEmpty() ? null : around.instance(named.getLast().id());
  }
}
