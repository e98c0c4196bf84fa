package dev.signalbox.cli;

import dev.signalbox.runtime.Command.Clocks;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code signalbox pause}: let instances stand still. */
@Command(
    name = "pause",
    mixinStandardHelpOptions = true,
    description = {
      "Let an instance stand still, or everything below it too, or every live instance of a "
          + "machine.",
      "Each is paused by an entry of its own. Of a paused machine no instance is started "
          + "until it is resumed, and no child born."
    })
@SuppressWarnings("NullAway.Init")
final class PauseCommand implements Callable<Integer> {
  @Mixin private StoreOptions store;
  @Mixin private StandstillOptions which;

  @Option(
      names = "--clocks",
      paramLabel = "stopped|running",
      defaultValue = "stopped",
      description = "What timers do meanwhile (default ${DEFAULT-VALUE})")
  private Clocks clocks;

  @Override
  public Integer call() {
    return store.at(
        false,
        desk ->
            which.carryOut(
                id ->
                    desk.submit(
                        new dev.signalbox.runtime.Command.Pause(
                            id, clocks, store.actor(), which.key())),
                scope -> desk.pause(scope, clocks, store.actor(), which.key()),
                "paused"));
  }
}
