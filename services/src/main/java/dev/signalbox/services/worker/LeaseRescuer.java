package dev.signalbox.services.worker;

import dev.signalbox.journal.Query;
import dev.signalbox.runtime.Host;
import dev.signalbox.runtime.Instance;
import dev.signalbox.services.task.Task;
import dev.signalbox.services.task.TaskQueue;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds workers that are lost and takes back the tasks that they had in hand. Every node does so;
 * the machines see to it that each thing is done once.
 */
final class LeaseRescuer {
  private static final Duration LOST_AFTER = Duration.ofMinutes(5);
  private static final long EVERY = 5_000;

  /** A lease younger than this may just not be written down in full. */
  private static final long SETTLED = Duration.ofSeconds(30).toMillis();

  private static final int PAGE = 1_000;

  private final Host host;
  private final TaskQueue queue;
  private final Set<String> here;
  private boolean begun;
  private long next;

  LeaseRescuer(Host host, TaskQueue queue, Set<String> here) {
    this.host = host;
    this.queue = queue;
    this.here = here;
  }

  long pass() {
    long now = host.clock().millis();
    if (now >= next) {
      if (!begun && !host.journal().isShared()) {
        // One process owns the store, so workers of a process are of an earlier one.
        each(Worker.MACHINE, List.of("STARTING", "READY", "BUSY"), this::reportEarlier);
      }
      begun = true;
      each(Worker.MACHINE, List.of("READY", "BUSY"), i -> reportSilent(i, now));
      each(Worker.MACHINE, List.of("CRASHED", "FAILED_START"), this::giveUpOrphan);
      rescueLeases(now);
      next = now + EVERY;
    }
    return next - now;
  }

  private void each(String machine, List<String> states, Consumer<Instance> what) {
    for (String state : states) {
      long after = 0;
      List<Instance> page;
      do {
        page = host.instances(Query.ALL.ofMachine(machine).in(state).page(after, PAGE));
        page.forEach(what);
        after = page.isEmpty() ? after : page.getLast().number();
      } while (page.size() == PAGE);
    }
  }

  private void reportEarlier(Instance instance) {
    Worker worker = Worker.of(instance);
    if (!worker.remote() && !here.contains(worker.id())) {
      boolean starting = worker.state().equals("STARTING");
      crash(worker, starting ? "start_failed" : "crashed", "its process ended");
    }
  }

  private void reportSilent(Instance instance, long now) {
    Worker worker = Worker.of(instance);
    long silent = now - Math.max(worker.lastHeartbeat(), instance.since());
    if (silent >= LOST_AFTER.toMillis() && !here.contains(worker.id())) {
      crash(worker, "crashed", "silent for %d seconds".formatted(silent / 1_000));
    }
  }

  private void crash(Worker worker, String event, String error) {
    queue.forget(worker.id());
    var _ =
        send(worker.id(), event, Map.of("error", error))
            .thenCompose(_ -> send(worker.id(), "give_up", null));
  }

  /** Nobody here restarts it: whoever kept it is gone, or it comes again by itself. */
  private void giveUpOrphan(Instance instance) {
    long stands = host.clock().millis() - instance.since();
    if (!here.contains(instance.id())
        && (Worker.of(instance).remote() || stands >= LOST_AFTER.toMillis())) {
      var _ = send(instance.id(), "give_up", null);
    }
  }

  private CompletableFuture<?> send(String worker, String event, @Nullable Object data) {
    return host.submitForCaller(
        Worker.MACHINE, dev.signalbox.runtime.Command.Send.of(worker, event, data));
  }

  private void rescueLeases(long now) {
    Map<String, @Nullable Worker> seen = new HashMap<>();
    each(
        "task",
        List.of("ASSIGNED", "RUNNING"),
        instance -> {
          // What was read may be old, so whoever seems lost is looked at again.
          if (isLost(Task.of(instance), now, seen)) {
            Task task = queue.find(instance.id());
            if (task != null && task.isLeased() && isLost(task, now, seen)) {
              var _ = queue.lost(task, "its worker '%s' is gone".formatted(task.worker()));
            }
          }
        });
  }

  /** Whether the task's worker has ended, or knows nothing of the task for a while. */
  private boolean isLost(Task task, long now, Map<String, @Nullable Worker> seen) {
    Worker worker =
        seen.computeIfAbsent(
            task.worker(),
            id -> {
              Instance instance = host.find(id);
              return instance == null ? null : Worker.of(instance);
            });
    if (worker == null) {
      // It was taken under a name that is no worker's; its own deadline ends it.
      return false;
    }
    boolean dropped = !worker.tasks().contains(task.id()) && now - task.since() >= SETTLED;
    return !worker.isAlive() || (dropped && !worker.state().equals("SHUTTING_DOWN"));
  }
}
