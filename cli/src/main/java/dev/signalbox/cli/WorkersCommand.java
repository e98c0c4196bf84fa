package dev.signalbox.cli;

import dev.signalbox.journal.Query;
import dev.signalbox.services.task.TaskQueue;
import dev.signalbox.services.worker.Worker;
import dev.signalbox.services.worker.Workers;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code signalbox workers}: who does tasks. */
@Command(
    name = "workers",
    mixinStandardHelpOptions = true,
    description = "List workers, by state or pool; let one end after the task it has.",
    subcommands = WorkersCommand.Drain.class)
@SuppressWarnings("NullAway.Init")
final class WorkersCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private StoreOptions store;
  @Mixin private Listing listing;

  @Option(names = "--state", paramLabel = "STATE", description = "READY, BUSY, CRASHED …")
  private @Nullable String state;

  @Option(names = "--pool", paramLabel = "NAME", description = "Of that pool")
  private @Nullable String pool;

  @Option(names = "--all", description = "Also those that have ended")
  private boolean all;

  @Override
  public Integer call() {
    String in = Words.state(spec, "worker", state);
    Query query = in == null ? Query.ALL : Query.ALL.in(in);
    if (pool != null) {
      query = query.with(Map.of("pool", pool));
    }
    return listing.print(
        spec,
        store,
        query.ofMachine("worker"),
        Worker::of,
        worker -> all || state != null || !worker.state().equals("TERMINATED"),
        WorkersCommand::line,
        WorkersCommand::text);
  }

  private static String text(Worker worker) {
    return "%-28s %-12s %-7s %-14s %s  %s%s"
        .formatted(
            worker.id(),
            worker.name(),
            worker.remote() ? "remote" : "process",
            worker.state(),
            worker.lastHeartbeat() == 0 ? "never" : Instant.ofEpochMilli(worker.lastHeartbeat()),
            String.join(", ", worker.tasks()),
            worker.error().isEmpty() ? "" : "  " + worker.error());
  }

  private static Map<String, @Nullable Object> line(Worker worker) {
    Map<String, @Nullable Object> line = new LinkedHashMap<>();
    line.put("id", worker.id());
    line.put("name", worker.name());
    line.put("pool", worker.pool());
    line.put("place", worker.remote() ? "remote" : "process");
    line.put("state", worker.state());
    line.put("kinds", worker.kinds());
    line.put("tasks", worker.tasks());
    line.put("restarts", worker.restarts());
    line.put("last_heartbeat", worker.lastHeartbeat());
    line.put("error", worker.error());
    line.put("since", worker.since());
    return line;
  }

  /** {@code signalbox workers drain}: lets a worker end after the task it has. */
  @Command(
      name = "drain",
      mixinStandardHelpOptions = true,
      description = "Let a worker end after the task it has, within 60 seconds; for operators.")
  @SuppressWarnings("NullAway.Init")
  static final class Drain implements Callable<Integer> {
    @Spec private CommandSpec spec;
    @Mixin private StoreOptions store;

    @Parameters(paramLabel = "ID", description = "The worker")
    private String id;

    @Option(names = "--json", description = "One line of JSON")
    private boolean json;

    @Override
    public Integer call() {
      return StoreOptions.tell(
          store.ask(
              "/workers/" + Remote.encoded(id) + "/drain",
              Map.of(),
              box -> Workers.stepped(box, TaskQueue.stepped(box)).drain(id, store.actor()).join()),
          json,
          spec.commandLine().getOut());
    }
  }
}
