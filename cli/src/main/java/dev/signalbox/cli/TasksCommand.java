package dev.signalbox.cli;

import dev.signalbox.journal.Query;
import dev.signalbox.services.task.Cause;
import dev.signalbox.services.task.Task;
import dev.signalbox.services.task.TaskQueue;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code signalbox tasks}: what is in the queue, and what became of it. */
@Command(
    name = "tasks",
    mixinStandardHelpOptions = true,
    description =
        "List tasks, by state, kind, owner or outcome; cancel one, or retry one that failed.",
    subcommands = {TasksCommand.Retry.class, TasksCommand.Cancel.class})
@SuppressWarnings("NullAway.Init")
final class TasksCommand implements Callable<Integer> {
  private static final List<String> OUTCOMES =
      List.of("completed", "failed", "cancelled", "expired");

  @Spec private CommandSpec spec;
  @Mixin private StoreOptions store;
  @Mixin private Listing listing;

  @Option(names = "--state", paramLabel = "STATE", description = "QUEUED, RUNNING, COMPLETED …")
  private @Nullable String state;

  @Option(names = "--kind", paramLabel = "KIND", description = "Of that kind")
  private @Nullable String kind;

  @Option(names = "--owner", paramLabel = "NAME", description = "Wanted by that owner")
  private @Nullable String owner;

  @Option(
      names = "--outcome",
      paramLabel = "OUTCOME",
      description = "completed, failed, cancelled or expired")
  private @Nullable String outcome;

  @Override
  public Integer call() {
    String in = Words.state(spec, "task", state);
    String ended = Words.known(spec, "--outcome", outcome, OUTCOMES);
    Map<String, String> fields = new LinkedHashMap<>();
    if (kind != null) {
      fields.put("kind", kind);
    }
    if (owner != null) {
      fields.put("owner", owner);
    }
    Query query = in == null ? Query.ALL : Query.ALL.in(in);
    return listing.print(
        spec,
        store,
        query.ofMachine("task").with(fields),
        Task::of,
        task -> ended == null || task.outcome().equals(ended),
        TasksCommand::line,
        TasksCommand::text);
  }

  private static String text(Task task) {
    return "%-28s %-12s %-10s %-6s %-18s %s%s"
        .formatted(
            task.id(),
            task.kind(),
            task.owner(),
            task.priority().word(),
            task.state(),
            Instant.ofEpochMilli(task.since()),
            task.error().isEmpty() ? "" : "  " + task.error());
  }

  private static Map<String, @Nullable Object> line(Task task) {
    Map<String, @Nullable Object> line = new LinkedHashMap<>();
    line.put("id", task.id());
    line.put("kind", task.kind());
    line.put("owner", task.owner());
    line.put("priority", task.priority().word());
    line.put("state", task.state());
    line.put("outcome", task.outcome());
    line.put("since", task.since());
    line.put("worker", task.worker());
    line.put("fence", task.fence());
    line.put("executions", task.executions());
    line.put("retries", task.retries());
    Cause cause = task.cause();
    line.put("cause", cause == null ? null : cause.word());
    line.put("error", task.error());
    line.put("made_from", task.madeFrom());
    line.put("depends_on", task.dependsOn());
    line.put("input", task.input());
    line.put("result", task.result());
    return line;
  }

  /** {@code signalbox tasks retry}: a new task from one that failed for good. */
  @Command(
      name = "retry",
      mixinStandardHelpOptions = true,
      description = "Make a new task from one that failed for good. Twice gives the same new task.")
  @SuppressWarnings("NullAway.Init")
  static final class Retry implements Callable<Integer> {
    @Spec private CommandSpec spec;
    @Mixin private StoreOptions store;

    @Parameters(paramLabel = "ID", description = "The task that failed")
    private String id;

    @Option(names = "--json", description = "One line of JSON")
    private boolean json;

    @Override
    public Integer call() {
      return StoreOptions.tell(
          store.ask(
              "/tasks/" + Remote.encoded(id) + "/retry",
              Map.of(),
              box -> TaskQueue.stepped(box).retry(id, store.actor()).join()),
          json,
          spec.commandLine().getOut());
    }
  }

  /** {@code signalbox tasks cancel}: ends a task that is not done. */
  @Command(
      name = "cancel",
      mixinStandardHelpOptions = true,
      description = "End a task that is not done; a worker that is at it learns it.")
  @SuppressWarnings("NullAway.Init")
  static final class Cancel implements Callable<Integer> {
    @Spec private CommandSpec spec;
    @Mixin private StoreOptions store;

    @Parameters(paramLabel = "ID", description = "The task")
    private String id;

    @Option(
        names = "--reason",
        paramLabel = "TEXT",
        defaultValue = "cancelled from the command line",
        description = "Why (default: ${DEFAULT-VALUE})")
    private String reason;

    @Option(names = "--json", description = "One line of JSON")
    private boolean json;

    @Override
    public Integer call() {
      return StoreOptions.tell(
          store.ask(
              "/tasks/" + Remote.encoded(id) + "/cancel",
              Map.of("reason", reason),
              box -> TaskQueue.stepped(box).cancel(id, reason, store.actor(), null).join()),
          json,
          spec.commandLine().getOut());
    }
  }
}
