package dev.signalbox.definition;

import dev.signalbox.definition.yaml.YamlReader;
import dev.signalbox.kernel.machine.Machine;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Machines that ship as YAML beside a class, by name. Each is read when it is first asked for. */
public final class MachineShelf {
  private final Class<?> beside;
  private final Map<String, String> paths;
  private final Map<String, Definition> read = new ConcurrentHashMap<>();

  /**
   * @param paths the file of each machine, as seen from the class
   */
  public MachineShelf(Class<?> beside, Map<String, String> paths) {
    this.beside = beside;
    this.paths = new LinkedHashMap<>(paths);
  }

  public List<String> names() {
    return List.copyOf(paths.keySet());
  }

  public boolean has(String name) {
    return paths.containsKey(name);
  }

  /** The text of the machine, named by its path. */
  public Source source(String name) {
    String path = paths.get(name);
    if (path == null) {
      throw new IllegalArgumentException(
          "Expected the name of a machine that ships, but found '%s'. There are: %s."
              .formatted(name, String.join(", ", paths.keySet())));
    }
    try (InputStream in = beside.getResourceAsStream(path)) {
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
  public Definition definition(String name) {
    Definition known = read.get(name);
    return known != null ? known : read.computeIfAbsent(name, n -> YamlReader.read(source(n)));
  }

  public Machine machine(String name) {
    Machine machine = definition(name).machine();
    if (machine == null) {
      throw new IllegalStateException(
          "Expected machine '%s' to be readable, but it has problems: %s"
              .formatted(name, definition(name).problems()));
    }
    return machine;
  }
}
