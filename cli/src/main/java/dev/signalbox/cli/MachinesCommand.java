package dev.signalbox.cli;

import dev.signalbox.definition.Json;
import dev.signalbox.definition.MachineIdentity;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code signalbox machines}: what is published. */
@Command(
    name = "machines",
    mixinStandardHelpOptions = true,
    description = "List the published machines.")
@SuppressWarnings("NullAway.Init")
final class MachinesCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private StoreOptions store;

  @Option(names = "--json", description = "One line of JSON for each")
  private boolean json;

  @Override
  public Integer call() {
    return store.at(false, this::list);
  }

  private int list(Desk desk) {
    Set<String> paused = desk.pausedMachines();
    for (MachineIdentity machine : desk.machines()) {
      boolean stands = paused.contains(machine.name());
      spec.commandLine()
          .getOut()
          .println(
              json
                  ? Json.text(
                      Map.of(
                          "machine",
                          machine.name(),
                          "version",
                          (long) machine.version(),
                          "digest",
                          machine.digest(),
                          "paused",
                          stands))
                  : "%s version %d, %s%s"
                      .formatted(
                          machine.name(),
                          machine.version(),
                          machine.digest(),
                          stands ? ", paused" : ""));
    }
    return 0;
  }
}
