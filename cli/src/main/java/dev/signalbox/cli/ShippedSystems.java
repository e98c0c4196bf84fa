package dev.signalbox.cli;

import dev.signalbox.definition.MachineShelf;
import dev.signalbox.runtime.Keyring;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.server.access.Tokens;
import dev.signalbox.services.person.People;
import dev.signalbox.services.system.PackagedSystem;
import dev.signalbox.systems.SystemMachines;
import dev.signalbox.systems.runs.RunsSettings;
import dev.signalbox.systems.runs.RunsSystem;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The systems that come with Signalbox, the shared services first. */
final class ShippedSystems {
  private static final Map<String, String> TITLES =
      Map.of(
          "services", "Services",
          "conversations", "Conversations",
          "agents", "Agents",
          "coordinator", "Coordinator",
          "research", "Research");

  private ShippedSystems() {}

  /**
   * All of them.
   *
   * @param runs where runs are kept and where their plans may work
   */
  static List<PackagedSystem> all(RunsSettings runs) {
    Map<String, List<String>> machines = new LinkedHashMap<>();
    machines.put("services", new ArrayList<>());
    for (String name : SystemMachines.names()) {
      machines.computeIfAbsent(SystemMachines.system(name), _ -> new ArrayList<>()).add(name);
    }
    List<PackagedSystem> systems = new ArrayList<>();
    machines.forEach((name, list) ->
        systems.add(
            name.equals("runs")
                ? new RunsSystem(runs)
                : new Shipped(name, TITLES.getOrDefault(name, name), list)));
    return systems;
  }

  /** Where all their machines are, and those of the server. */
  static List<MachineShelf> shelves() {
    List<MachineShelf> shelves = new ArrayList<>(SystemMachines.shelves());
    shelves.add(Tokens.SHELF);
    shelves.add(People.SHELF);
    return shelves;
  }

  /** Opens a store that knows what came with the program, whether it is published or not. */
  static Signalbox open(String url, InstantSource clock, @Nullable Keyring keyring) {
    StoreOptions.refuseLost(url);
    return Signalbox.open(url, Settings.DEFAULT, clock, keyring, shelves());
  }

  /** A system that is its machines. */
  private record Shipped(String name, String title, List<String> machines)
      implements PackagedSystem {
    @Override
    public void publish(Signalbox box) {
      machines.forEach(machine -> SystemMachines.publish(box, machine));
    }
  }
}
