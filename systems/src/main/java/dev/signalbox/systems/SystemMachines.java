package dev.signalbox.systems;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.MachineShelf;
import dev.signalbox.definition.Source;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.runtime.Host;
import dev.signalbox.services.MachineDoor;
import dev.signalbox.services.ServiceMachines;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The machines that ship with Signalbox, by name. */
public final class SystemMachines {
  private static final MachineShelf SHELF =
      new MachineShelf(
              SystemMachines.class,
              paths(
                  "conversations.runtime",
                  "conversations.session",
                  "runs.run",
                  "agents.turn",
                  "agents.tool",
                  "agents.session",
                  "agents.agent",
                  "agents.autonomy",
                  "coordinator.plan",
                  "research.session",
                  "research.hypothesis",
                  "research.agent"))
          .closing("runs.run")
          .keepingIds("RUN-");

  private SystemMachines() {}

  private static Map<String, String> paths(String... names) {
    Map<String, String> paths = new LinkedHashMap<>();
    for (String name : names) {
      paths.put(name, name.replace('.', '/') + ".yaml");
    }
    return paths;
  }

  /** The names of all machines, system by system, the services last. */
  public static List<String> names() {
    return Stream.concat(SHELF.names().stream(), ServiceMachines.SHELF.names().stream()).toList();
  }

  /** Where all of them are. */
  public static List<MachineShelf> shelves() {
    return List.of(SHELF, ServiceMachines.SHELF);
  }

  /** The system the machine belongs to; {@code services} for those that all systems use. */
  public static String system(String name) {
    return ServiceMachines.SHELF.has(name) ? "services" : name.substring(0, name.indexOf('.'));
  }

  public static Source source(String name) {
    return shelf(name).source(name);
  }

  /** The machine with the places of its parts. */
  public static Definition definition(String name) {
    return shelf(name).definition(name);
  }

  public static Machine machine(String name) {
    return shelf(name).machine(name);
  }

  /** Publishes the machine; what was proved when it was built is not explored again. */
  public static void publish(Host host, String name) {
    host.publish(shelf(name), name);
  }

  /** The instances of a machine, for callers that wait; it is published where it is not yet. */
  public static MachineDoor door(Host host, String name) {
    return new MachineDoor(host, shelf(name), name);
  }

  private static MachineShelf shelf(String name) {
    return ServiceMachines.SHELF.has(name) ? ServiceMachines.SHELF : SHELF;
  }
}
