package dev.signalbox.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code signalbox resume}: let instances go on. */
@Command(
    name = "resume",
    mixinStandardHelpOptions = true,
    description = {
      "Let a paused or halted instance go on, or everything below it too, or every instance "
          + "of a machine."
    })
@SuppressWarnings("NullAway.Init")
final class ResumeCommand implements Callable<Integer> {
  @Mixin private StoreOptions store;
  @Mixin private StandstillOptions which;

  @Override
  public Integer call() {
    return store.at(
        false,
        desk ->
            which.carryOut(
                id ->
                    desk.submit(
                        new dev.signalbox.runtime.Command.Resume(id, store.actor(), which.key())),
                scope -> desk.resume(scope, store.actor(), which.key()),
                "resumed"));
  }
}
