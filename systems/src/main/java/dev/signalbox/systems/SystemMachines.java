package dev.signalbox.systems;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.Source;
import dev.signalbox.definition.yaml.YamlReader;
import dev.signalbox.kernel.machine.Machine;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The machines that ship with Signalbox, by name. Each is read when it is first asked for. */
public final class SystemMachines {
  private static final List<String> NAMES =
      List.of(
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
          "research.agent",
          "approval",
          "task",
          "worker",
          "lock");

  private static final Map<String, Definition> READ = new ConcurrentHashMap<>();

  private SystemMachines() {}

  /** The names of all machines, system by system, the services last. */
  public static List<String> names() {
    return NAMES;
  }

  /** The system the machine belongs to; {@code services} for those that all systems use. */
  public static String system(String name) {
    int dot = known(name).indexOf('.');
    return dot < 0 ? "services" : name.substring(0, dot);
  }

  /** The text of the machine, named by its path inside this module. */
  public static Source source(String name) {
    String path = system(name) + "/" + name.substring(name.indexOf('.') + 1) + ".yaml";
    try (InputStream in = SystemMachines.class.getResourceAsStream(path)) {
      if (in == null) {
        throw new IllegalStateException(
            "Expected the file of machine '%s' at '%s', but it is not there."
                .formatted(name, path));
      }
      return new Source(path, new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The machine with the places of its parts. */
  public static Definition definition(String name) {
    return READ.computeIfAbsent(known(name), n -> YamlReader.read(source(n)));
  }

  public static Machine machine(String name) {
    Machine machine = definition(name).machine();
    if (machine == null) {
      throw new IllegalStateException(
          "Expected machine '%s' to be readable, but it has problems: %s"
              .formatted(name, definition(name).problems()));
    }
    return machine;
  }

  private static String known(String name) {
    if (!NAMES.contains(name)) {
      throw new IllegalArgumentException(
          "Expected the name of a machine of the five systems, but found '%s'. There are: %s."
              .formatted(name, String.join(", ", NAMES)));
    }
    return name;
  }
}
