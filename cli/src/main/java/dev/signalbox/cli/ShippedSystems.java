package dev.signalbox.cli;

import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.system.PackagedSystem;
import dev.signalbox.systems.SystemMachines;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The systems that come with Signalbox, the shared services first. */
final class ShippedSystems {
  private static final Map<String, String> TITLES =
      Map.of(
          "services", "Services",
          "conversations", "Conversations",
          "runs", "Approved runs",
          "agents", "Agents",
          "coordinator", "Coordinator",
          "research", "Research");

  private ShippedSystems() {}

  static List<PackagedSystem> all() {
    Map<String, List<String>> machines = new LinkedHashMap<>();
    machines.put("services", new ArrayList<>());
    for (String name : SystemMachines.names()) {
      machines.computeIfAbsent(SystemMachines.system(name), _ -> new ArrayList<>()).add(name);
    }
    List<PackagedSystem> systems = new ArrayList<>();
    machines.forEach(
        (name, list) -> systems.add(new Shipped(name, TITLES.getOrDefault(name, name), list)));
    return systems;
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
