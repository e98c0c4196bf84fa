package dev.signalbox.definition;

import dev.signalbox.definition.yaml.YamlReader;
import dev.signalbox.kernel.machine.Machine;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;

/**
 * Machines that ship as YAML beside a class, by name. Each is read when it is first asked for.
 *
 * <p>The shelf has every version that ever shipped. The newest is the file of the machine's path,
 * such as {@code runs/run.yaml}; older ones stand beside it with their number, such as {@code
 * runs/run@1.yaml}.
 */
public final class MachineShelf {
  private final Class<?> beside;
  private final Map<String, String> paths;
  private final Set<String> closed;
  private final Set<String> prefixes;
  private final Map<String, Definition> read = new ConcurrentHashMap<>();

  /**
   * A shelf of machines whose instances anybody may start and send to, as their roles say.
   *
   * @param paths the file of each machine, as seen from the class
   */
  public MachineShelf(Class<?> beside, Map<String, String> paths) {
    this(beside, paths, Set.of(), Set.of());
  }

  private MachineShelf(
      Class<?> beside, Map<String, String> paths, Set<String> closed, Set<String> prefixes) {
    this.beside = beside;
    this.paths = new LinkedHashMap<>(paths);
    this.closed = Set.copyOf(closed);
    this.prefixes = Set.copyOf(prefixes);
  }

  /**
   * The same shelf, on which the machines are closed: their instances are reached through the
   * service that owns them, never through the door that is for all machines.
   */
  public MachineShelf closing(String... names) {
    Set<String> all = new LinkedHashSet<>(closed);
    for (String name : names) {
      String _ = path(name);
      all.add(name);
    }
    return new MachineShelf(beside, paths, all, prefixes);
  }

  /** The same shelf, for whose closed machines the services also compute ids that begin so. */
  public MachineShelf keepingIds(String... beginnings) {
    Set<String> all = new LinkedHashSet<>(prefixes);
    all.addAll(List.of(beginnings));
    return new MachineShelf(beside, paths, closed, all);
  }

  public List<String> names() {
    return List.copyOf(paths.keySet());
  }

  public boolean has(String name) {
    return paths.containsKey(name);
  }

  /** Whether the machine's instances are reached through the service that owns them alone. */
  public boolean isClosed(String name) {
    return closed.contains(name);
  }

  /**
   * What the ids begin with that the services compute for instances of a closed machine, so that
   * nobody else may choose such an id.
   */
  public Set<String> keptIds(String name) {
    Set<String> all = new LinkedHashSet<>(prefixes);
    all.add(name + "-");
    all.add(name + ":");
    return all;
  }

  /** The text of the newest version, named by its path. */
  public Source source(String name) {
    return text(name, path(name));
  }

  private String path(String name) {
    String path = paths.get(name);
    if (path == null) {
      throw new IllegalArgumentException(
          "Expected the name of a machine that ships, but found '%s'. There are: %s."
              .formatted(name, String.join(", ", paths.keySet())));
    }
    return path;
  }

  private Source text(String name, String path) {
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

  /** The newest version with the places of its parts. */
  public Definition definition(String name) {
    return definition(path(name), name);
  }

  private Definition definition(String path, String name) {
    Definition known = read.get(path);
    return known != null ? known : read.computeIfAbsent(path, p -> YamlReader.read(text(name, p)));
  }

  /** The newest version. */
  public Machine machine(String name) {
    return sound(name, definition(name));
  }

  /** Every version that ever shipped, the oldest first. */
  public List<Machine> versions(String name) {
    Machine newest = machine(name);
    String path = path(name);
    String stem = path.substring(0, path.length() - ".yaml".length());
    return IntStream.rangeClosed(1, newest.version())
        .mapToObj(version ->
            version == newest.version()
                ? newest
                : sound(name, definition("%s@%d.yaml".formatted(stem, version), name)))
        .toList();
  }

  private static Machine sound(String name, Definition definition) {
    Machine machine = definition.machine();
    if (machine == null) {
      throw new IllegalStateException(
          "Expected machine '%s' to be readable, but it has problems: %s"
              .formatted(name, definition.problems()));
    }
    return machine;
  }
}
