package dev.signalbox.services;

import dev.signalbox.definition.MachineShelf;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The machines that every system uses. */
public final class ServiceMachines {
  private static final List<String> NAMES =
      List.of("approval", "budget", "task", "worker", "lock", "subscription", "delivery", "alert");

  /** All of them, by name; each is reached through its service alone. */
  public static final MachineShelf SHELF =
      new MachineShelf(ServiceMachines.class, paths()).closing(NAMES.toArray(String[]::new));

  private ServiceMachines() {}

  private static Map<String, String> paths() {
    Map<String, String> paths = new LinkedHashMap<>();
    NAMES.forEach(name -> paths.put(name, name + ".yaml"));
    return paths;
  }
}
