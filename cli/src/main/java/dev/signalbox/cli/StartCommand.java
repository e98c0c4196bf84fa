package dev.signalbox.cli;

import dev.signalbox.server.api.InstanceRoutes;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code signalbox start}: a new instance. */
@Command(
    name = "start",
    mixinStandardHelpOptions = true,
    description = "Start an instance of a published machine.")
@SuppressWarnings("NullAway.Init")
final class StartCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private StoreOptions store;

  @Parameters(paramLabel = "MACHINE", description = "A name, or NAME@VERSION")
  private String machine;

  @Option(names = "--id", paramLabel = "ID", description = "The instance's id; else one is made")
  private @Nullable String id;

  @Option(names = "--input", paramLabel = "JSON", description = "Values for context fields")
  private @Nullable String input;

  @Option(names = "--key", paramLabel = "KEY", description = "The idempotency key")
  private @Nullable String key;

  @Option(names = "--json", description = "One line of JSON")
  private boolean json;

  @Override
  public Integer call() {
    if (id != null && !InstanceRoutes.isId(id)) {
      throw new ParameterException(
          spec.commandLine(),
          "Expected an id of at most 200 letters, digits and . _ : @ - after --id, but found '%s'."
              .formatted(id));
    }
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    switch (StoreOptions.json(spec, input, "--input")) {
      case null -> {}
      case Map<?, ?> map -> map.forEach((name, value) -> fields.put((String) name, value));
      default ->
          throw new ParameterException(
              spec.commandLine(), "Expected a JSON object after --input, but found another value.");
    }
    return StoreOptions.tell(
        store.at(
            false,
            desk ->
                desk.submit(
                    new dev.signalbox.runtime.Command.Start(
                        machine, id, fields, store.actor(), key))),
        json,
        spec.commandLine().getOut());
  }
}
