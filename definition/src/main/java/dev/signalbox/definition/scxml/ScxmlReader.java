package dev.signalbox.definition.scxml;

import dev.signalbox.definition.ConfinedFolder;
import dev.signalbox.definition.Definition;
import dev.signalbox.definition.Places;
import dev.signalbox.definition.Problems;
import dev.signalbox.definition.Source;
import dev.signalbox.kernel.machine.Machine;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Reads a machine from SCXML 1.0 with CEL as its data model. It never throws: whatever is wrong
 * with the text is a problem with its place.
 *
 * <p>Data that a state declares under early binding joins the machine's context in document order,
 * which means the same; {@link dev.signalbox.kernel.machine.State#data} holds it under late binding
 * only. Locations such as {@code a.b} are not checked here: SCXML wants {@code error.execution}
 * when they are used.
 */
public final class ScxmlReader {
  private ScxmlReader() {}

  /**
   * The machine in the text.
   *
   * @param folder where {@code src} of data may be read from; null means nowhere
   */
  public static Definition read(Source source, @Nullable Path folder) {
    Problems problems = new Problems(source.name());
    Places places = new Places();
    XmlElement root = XmlReader.read(source, problems);
    Machine machine = null;
    if (root != null && root.is("scxml")) {
      Reading in =
          new Reading(problems, places, folder == null ? null : new ConfinedFolder(folder));
      machine = new MachineElementReader(in).machine(root, baseName(source.name()));
    } else if (root != null) {
      problems.error(
          "not-scxml",
          root.place(),
          "Expected <scxml> in the namespace '%s', but found <%s>."
              .formatted(Namespaces.SCXML, root.name()),
          "");
    }
    return new Definition(source, machine, places, problems.list());
  }

  private static String baseName(String name) {
    String file = name.substring(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
    int dot = file.indexOf('.');
    String base = dot > 0 ? file.substring(0, dot) : file;
    return base.isBlank() ? "machine" : base;
  }
}
