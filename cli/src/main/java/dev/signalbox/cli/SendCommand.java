package dev.signalbox.cli;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code signalbox send}: an event to an instance. */
@Command(
    name = "send",
    mixinStandardHelpOptions = true,
    description = "Send an event to an instance. A refusal says why, and is recorded.")
@SuppressWarnings("NullAway.Init")
final class SendCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private StoreOptions store;

  @Parameters(index = "0", paramLabel = "ID", description = "The instance")
  private String instance;

  @Parameters(index = "1", paramLabel = "EVENT", description = "The event's name")
  private String event;

  @Option(names = "--data", paramLabel = "JSON", description = "The event's data")
  private @Nullable String data;

  @Option(names = "--key", paramLabel = "KEY", description = "The idempotency key")
  private @Nullable String key;

  @Option(
      names = "--expect",
      paramLabel = "N",
      description = "Refuse unless the newest entry is this one")
  private @Nullable Long expected;

  @Option(names = "--json", description = "One line of JSON")
  private boolean json;

  @Override
  public Integer call() {
    Object value = StoreOptions.json(spec, data, "--data");
    return StoreOptions.tell(
        store.at(
            false,
            desk ->
                desk.submit(
                    new dev.signalbox.runtime.Command.Send(
                        instance, event, value, store.actor(), key, expected))),
        json,
        spec.commandLine().getOut());
  }
}
