package dev.signalbox.cli;

import dev.signalbox.definition.Json;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Query;
import dev.signalbox.runtime.Instance;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code signalbox list}: instances by what they are. */
@Command(
    name = "list",
    mixinStandardHelpOptions = true,
    description = "List instances, by machine, state, status, parent or searchable fields.")
@SuppressWarnings("NullAway.Init")
final class ListCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private StoreOptions store;

  @Option(names = "--machine", paramLabel = "NAME", description = "Of that machine")
  private @Nullable String machine;

  @Option(names = "--state", paramLabel = "STATE", description = "In that state, at any depth")
  private @Nullable String state;

  @Option(names = "--status", paramLabel = "STATUS", description = "${COMPLETION-CANDIDATES}")
  private InstanceRow.@Nullable Status status;

  @Option(names = "--parent", paramLabel = "ID", description = "Invoked by that instance")
  private @Nullable String parent;

  @Option(names = "--field", paramLabel = "NAME=VALUE", description = "A searchable field")
  private Map<String, String> fields = Map.of();

  @Option(
      names = "--most",
      paramLabel = "N",
      converter = Count.class,
      defaultValue = "100",
      description = "How many (default ${DEFAULT-VALUE}, at most 1000)")
  private int most;

  @Option(names = "--json", description = "One line of JSON for each")
  private boolean json;

  @Override
  public Integer call() {
    List<Instance> found = store.at(false, desk -> desk.instances(query()));
    PrintWriter out = spec.commandLine().getOut();
    for (Instance instance : found) {
      out.println(
          json
              ? Json.text(ShowCommand.line(instance))
              : "%-32s %-16s %-7s %s since %s"
                  .formatted(
                      instance.id(),
                      instance.machine() + "@" + instance.version(),
                      instance.status(),
                      String.join(", ", instance.leaves()),
                      Instant.ofEpochMilli(instance.since())));
    }
    out.flush();
    StoreOptions.tellNothing(!found.isEmpty(), json, spec);
    return 0;
  }

  private Query query() {
    Query query = Query.ALL.page(0, Math.min(most, Query.MOST));
    if (machine != null) {
      query = query.ofMachine(machine);
    }
    if (state != null) {
      query = query.in(state);
    }
    if (status != null) {
      query = query.that(status);
    }
    if (parent != null) {
      query = query.below(parent);
    }
    return fields == null ? query : query.with(fields);
  }
}
