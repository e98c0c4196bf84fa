package dev.signalbox.cli;

import dev.signalbox.definition.Json;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code signalbox history}: what happened to an instance, or what it refused. */
@Command(
    name = "history",
    mixinStandardHelpOptions = true,
    description = "Print the entries of an instance, or with --refusals what it refused.")
@SuppressWarnings("NullAway.Init")
final class HistoryCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private StoreOptions store;

  @Parameters(paramLabel = "ID", description = "The instance")
  private String id;

  @Option(names = "--refusals", description = "What it was asked and refused")
  private boolean refusals;

  @Option(
      names = "--from",
      paramLabel = "N",
      converter = Count.class,
      defaultValue = "1",
      description = "The first entry (default ${DEFAULT-VALUE})")
  private int from;

  @Option(
      names = "--most",
      paramLabel = "N",
      converter = Count.class,
      defaultValue = "1000",
      description = "How many (default ${DEFAULT-VALUE})")
  private int most;

  @Option(names = "--json", description = "Each entry as the journal has it, a line each")
  private boolean json;

  @Override
  public Integer call() {
    List<String> entries = store.at(false, desk -> desk.history(id, refusals, from, most));
    PrintWriter out = spec.commandLine().getOut();
    for (String body : entries) {
      out.println(json ? body : line(entry(body)));
    }
    out.flush();
    return 0;
  }

  /** The entry that a text of the journal is. */
  static Map<?, ?> entry(String body) {
    try {
      return (Map<?, ?>) Objects.requireNonNull(Json.parse(body));
    } catch (Json.SyntaxException e) {
      throw new CommandFailure("Expected entries to be JSON, but one is not. Run verify.");
    }
  }

  /** What happened in an entry, for people. */
  static String line(Map<?, ?> entry) {
    Map<?, ?> event = entry.get("event") instanceof Map<?, ?> known ? known : Map.of();
    String who = event.get("actor") instanceof Map<?, ?> actor ? " by " + actor.get("name") : "";
    Object outcome =
        entry.get("code") == null ? entry.get("states") : "refused: " + entry.get("message");
    return "%4s  %s  %s%s  %s"
        .formatted(
            entry.get("sequence"),
            Instant.ofEpochMilli((Long) Objects.requireNonNull(entry.get("at"))),
            event.get("name"),
            who,
            outcome);
  }
}
