package dev.signalbox.cli;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code signalbox fork}: a new instance where another one was. */
@Command(
    name = "fork",
    mixinStandardHelpOptions = true,
    description = {
      "Start a new instance where another was after one of its entries.",
      "The other one does not change, and nothing that it did outside is done again."
    })
@SuppressWarnings("NullAway.Init")
final class ForkCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private StoreOptions store;

  @Parameters(paramLabel = "ID", description = "The other instance")
  private String from;

  @Option(
      names = "--at",
      paramLabel = "N",
      required = true,
      converter = Count.class,
      description = "The number of the entry; 'signalbox history ID' shows them")
  private int entry;

  @Option(names = "--id", paramLabel = "ID", description = "The id of the new one")
  private @Nullable String id;

  @Option(names = "--key", paramLabel = "KEY", description = "The idempotency key")
  private @Nullable String key;

  @Option(names = "--json", description = "One line of JSON")
  private boolean json;

  @Override
  public Integer call() {
    return StoreOptions.tell(
        store.at(
            false,
            desk ->
                desk.submit(
                    new dev.signalbox.runtime.Command.Fork(from, entry, id, store.actor(), key))),
        json,
        spec.commandLine().getOut());
  }
}
