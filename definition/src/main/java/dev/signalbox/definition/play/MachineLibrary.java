package dev.signalbox.definition.play;

import dev.signalbox.definition.ConfinedFolder;
import dev.signalbox.definition.Definition;
import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Problem;
import dev.signalbox.definition.Source;
import dev.signalbox.kernel.machine.Machine;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Where the machines that others invoke are found: by name, or as a file of one folder. */
public final class MachineLibrary {
  private final Map<String, Machine> named = new HashMap<>();
  private final @Nullable Path folder;
  private final Map<String, Found> read = new HashMap<>();

  /**
   * @param folder what a {@code src} is relative to and may not leave; null means no files
   */
  public MachineLibrary(Collection<Machine> machines, @Nullable Path folder) {
    machines.forEach(machine -> named.putIfAbsent(machine.name(), machine));
    this.folder = folder;
  }

  /** What looking for a machine gave. */
  sealed interface Found {
    record Known(Machine machine) implements Found {}

    /**
     * There is none that could be used.
     *
     * @param why to follow "but"
     */
    record Missing(String why) implements Found {}
  }

  /** The machine of that name, or in that file. */
  Found find(String source) {
    Machine machine = named.get(source);
    return machine != null ? new Found.Known(machine) : read.computeIfAbsent(source, this::file);
  }

  private Found file(String source) {
    if (folder == null) {
      return new Found.Missing("no machine has the name '" + source + "'");
    }
    return switch (new ConfinedFolder(folder).read(source)) {
      case ConfinedFolder.Content.Found(Path path, String text) ->
          parse(new Source(path.toString(), text));
      case ConfinedFolder.Content.Refused(String why) -> new Found.Missing(why);
    };
  }

  /** The machine that the text describes, in any format that is read. */
  Found parse(String text) {
    return parse(new Source("content", text));
  }

  private Found parse(Source source) {
    List<Definition> definitions = MachineReader.readAll(source, folder);
    if (definitions.size() > 1) {
      return new Found.Missing("'" + source.name() + "' holds several machines");
    }
    Definition definition = definitions.getFirst();
    Machine machine = definition.machine();
    if (machine != null && !definition.hasErrors()) {
      return new Found.Known(machine);
    }
    String first =
        definition.problems().stream()
            .filter(Problem::isError)
            .map(Problem::message)
            .findFirst()
            .orElse("It is no machine.");
    return new Found.Missing("'%s' has problems: %s".formatted(source.name(), first));
  }
}
