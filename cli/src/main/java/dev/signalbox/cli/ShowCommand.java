package dev.signalbox.cli;

import dev.signalbox.definition.Json;
import dev.signalbox.runtime.Instance;
import java.io.PrintWriter;
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

/** {@code signalbox show}: an instance as it stands, or stood. */
@Command(
    name = "show",
    mixinStandardHelpOptions = true,
    description = "Show an instance: its states, data, deadlines and the events it waits for.")
@SuppressWarnings("NullAway.Init")
final class ShowCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private StoreOptions store;

  @Parameters(paramLabel = "ID", description = "The instance")
  private String id;

  @Option(names = "--at", paramLabel = "N", description = "As it was after that entry")
  private @Nullable Long sequence;

  @Option(names = "--json", description = "One line of JSON")
  private boolean json;

  @Override
  public Integer call() {
    Long at = sequence;
    Instance instance = store.at(false, desk -> desk.instance(id, at));
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(Json.text(line(instance)));
    } else {
      out.printf(
          "%s, %s version %d, %s%n",
          instance.id(), instance.machine(), instance.version(), instance.status());
      out.printf(
          "  in %s since %s, entry %d, %d refusals%n",
          instance.isReadable() ? String.join(", ", instance.leaves()) : instance.leaf(),
          Instant.ofEpochMilli(instance.since()),
          instance.sequence(),
          instance.refusals());
      instance.context().forEach((name, value) -> out.printf("  %s: %s%n", name, Json.text(value)));
      for (Instance.Deadline deadline : instance.deadlines()) {
        out.printf("  %s at %s%n", deadline.event(), Instant.ofEpochMilli(deadline.due()));
      }
      if (!instance.awaited().isEmpty()) {
        out.printf("  waits for %s%n", String.join(", ", instance.awaited()));
      }
    }
    out.flush();
    return 0;
  }

  static Map<String, @Nullable Object> line(Instance instance) {
    Map<String, @Nullable Object> line = new LinkedHashMap<>();
    line.put("id", instance.id());
    line.put("machine", instance.machine());
    line.put("version", (long) instance.version());
    line.put("status", instance.status());
    line.put("states", instance.states());
    line.put("context", instance.context());
    line.put("sequence", instance.sequence());
    line.put("hash", instance.hash());
    line.put("refusals", instance.refusals());
    line.put("since", instance.since());
    line.put("parent", instance.parent());
    List<Map<String, Object>> deadlines =
        instance.deadlines().stream()
            .map(d -> Map.<String, Object>of("id", d.id(), "event", d.event(), "due", d.due()))
            .toList();
    line.put("deadlines", deadlines);
    line.put("awaited", instance.awaited());
    return line;
  }
}
