package dev.signalbox.definition;

import dev.signalbox.definition.dot.DotWriter;
import dev.signalbox.definition.mermaid.MermaidWriter;
import dev.signalbox.definition.plantuml.PlantUmlWriter;
import dev.signalbox.definition.scxml.ScxmlWriter;
import dev.signalbox.definition.xstate.XStateWriter;
import dev.signalbox.definition.yaml.YamlWriter;
import dev.signalbox.kernel.machine.Machine;
import java.util.List;

/** Writes machines in any format, chosen by an extension. */
public final class MachineWriter {
  /** What {@link #write} can be asked for. */
  public static final List<String> EXTENSIONS =
      List.of("yaml", "scxml", "mmd", "dot", "puml", "json");

  private MachineWriter() {}

  /**
   * The machine in the format of the extension.
   *
   * @param problems receives a warning for each thing that the format cannot say
   * @throws IllegalArgumentException when the extension is not one of {@link #EXTENSIONS}
   */
  public static String write(Machine machine, String extension, Problems problems) {
    return switch (extension) {
      case "yaml" -> YamlWriter.write(machine, problems);
      case "scxml" -> ScxmlWriter.write(machine, problems);
      case "mmd" -> MermaidWriter.write(machine, problems);
      case "dot" -> DotWriter.write(machine, problems);
      case "puml" -> PlantUmlWriter.write(machine, problems);
      case "json" -> XStateWriter.write(machine, problems);
      default ->
          throw new IllegalArgumentException(
              "Expected one of %s, but found '%s'.".formatted(EXTENSIONS, extension));
    };
  }
}
