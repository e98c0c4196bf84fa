package dev.signalbox.cli;

import dev.signalbox.definition.Json;
import dev.signalbox.journal.Query;
import dev.signalbox.runtime.Instance;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** How much of a list is printed, and how: a mixin of the commands that list what a query finds. */
final class Listing {
  @Option(
      names = "--most",
      paramLabel = "N",
      converter = Count.class,
      defaultValue = "100",
      description = "How many (default ${DEFAULT-VALUE})")
  private int most;

  @Option(names = "--json", description = "One line of JSON for each")
  private boolean json;

  /** Prints those that the query finds and that are wanted, each in a line. */
  <T> int print(
      CommandSpec spec,
      StoreOptions store,
      Query query,
      Function<Instance, T> shape,
      Predicate<T> wanted,
      Function<T, Map<String, @Nullable Object>> line,
      Function<T, String> text) {
    List<T> found = Pages.collect(store, query, shape, wanted, most);
    PrintWriter out = spec.commandLine().getOut();
    found.forEach(one -> out.println(json ? Json.text(line.apply(one)) : text.apply(one)));
    out.flush();
    StoreOptions.tellNothing(!found.isEmpty(), json, spec);
    return 0;
  }
}
