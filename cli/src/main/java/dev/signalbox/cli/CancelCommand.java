package dev.signalbox.cli;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code signalbox cancel}: end an instance from outside. */
@Command(
    name = "cancel",
    mixinStandardHelpOptions = true,
    description = "End an instance, with everything it invoked.")
@SuppressWarnings("NullAway.Init")
final class CancelCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private StoreOptions store;

  @Parameters(paramLabel = "ID", description = "The instance")
  private String id;

  @Option(names = "--key", paramLabel = "KEY", description = "The idempotency key")
  private @Nullable String key;

  @Option(names = "--json", description = "One line of JSON")
  private boolean json;

  @Override
  public Integer call() {
    return StoreOptions.tell(
        store.at(
            false,
            desk -> desk.submit(new dev.signalbox.runtime.Command.Cancel(id, store.actor(), key))),
        json,
        spec.commandLine().getOut());
  }
}
