package dev.signalbox.cli;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.Graph;
import dev.signalbox.definition.Json;
import dev.signalbox.definition.MachineWriter;
import dev.signalbox.definition.Problem;
import dev.signalbox.definition.Problems;
import dev.signalbox.definition.Source;
import dev.signalbox.definition.draw.Drawing;
import dev.signalbox.definition.draw.Options;
import dev.signalbox.kernel.machine.Machine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code signalbox draw}: a machine as a picture or in another format. */
@Command(
    name = "draw",
    mixinStandardHelpOptions = true,
    description = {
      "Write a machine as a picture or in another format, by the extension of OUT.",
      "A machine with errors is drawn as far as it could be read, and answered with 1."
    })
@SuppressWarnings("NullAway.Init")
final class DrawCommand implements Callable<Integer> {
  private static final Set<String> LEFT_OPEN =
      Set.of(Graph.MISSING_START, "ambiguous-start", "unlabelled-fan-out");

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "FILE", description = "YAML, SCXML, Mermaid, Markdown or DOT")
  private Path file;

  @Option(
      names = {"-o", "--out"},
      required = true,
      paramLabel = "OUT",
      description = "A file ending in .svg .mmd .scxml .dot .puml .yaml or .json (XState)")
  private Path out;

  @Option(names = "--machine", paramLabel = "NAME", description = "The one to draw, if several")
  private @Nullable String name;

  @Option(
      names = "--theme",
      paramLabel = "THEME",
      defaultValue = "AUTO",
      description = "For .svg: ${COMPLETION-CANDIDATES} (default ${DEFAULT-VALUE})")
  private Options.Theme theme;

  @Option(
      names = "--direction",
      paramLabel = "WAY",
      defaultValue = "DOWN",
      description = "For .svg: ${COMPLETION-CANDIDATES} (default ${DEFAULT-VALUE})")
  private Options.Direction direction;

  @Option(names = "--json", description = "One line of JSON for the file, and one for each problem")
  private boolean json;

  @Override
  public Integer call() {
    String extension = extension(out);
    refuseToOverwriteTheInput();
    Definition definition = Definitions.single(file, name, printer());
    Machine machine = definition.machine();
    if (machine == null) {
      throw new CommandFailure("Expected a machine in %s, but there is none.".formatted(file));
    }
    Problems lost = new Problems(out.toString());
    String text =
        extension.equals("svg")
            ? Drawing.svg(machine, Options.DEFAULT.theme(theme).direction(direction))
            : MachineWriter.write(machine, extension, lost);
    write(text);
    printer().print(new Source(out.toString(), ""), lost.list());
    if (json) {
      spec.commandLine().getOut().println(Json.text(summary(definition, machine)));
    }
    return definition.problems().stream().anyMatch(DrawCommand::spoilsTheDrawing) ? 1 : 0;
  }

  private Map<String, Object> summary(Definition definition, Machine machine) {
    Graph graph = Graph.of(definition);
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("file", file.toString());
    line.put("machine", machine.name());
    line.put("out", out.toString());
    line.put("states", graph.states().size());
    line.put("transitions", graph.edges().size());
    return line;
  }

  /** What a machine must say to run, a drawing may leave open: it shows all that is there. */
  private static boolean spoilsTheDrawing(Problem problem) {
    return problem.isError() && !LEFT_OPEN.contains(problem.code());
  }

  /** Writes beside the target first, so that a failure leaves no half of a file. */
  private void write(String text) {
    Path target = out.toAbsolutePath();
    if (Files.isDirectory(target)) {
      throw new CommandFailure("Expected to write %s, but it is a folder.".formatted(out));
    }
    Path fresh = target.resolveSibling("." + target.getFileName() + ".new");
    try {
      Files.createDirectories(Objects.requireNonNull(target.getParent()));
      try {
        Files.writeString(fresh, text);
        Files.move(fresh, target, StandardCopyOption.REPLACE_EXISTING);
      } finally {
        Files.deleteIfExists(fresh);
      }
    } catch (IOException e) {
      throw new CommandFailure(
          "Expected to write %s, but its folder cannot be made or written to.".formatted(out));
    }
  }

  private void refuseToOverwriteTheInput() {
    try {
      if (Files.exists(out) && Files.exists(file) && Files.isSameFile(out, file)) {
        throw new ParameterException(
            spec.commandLine(), "Expected OUT to be another file than FILE, but both are " + file);
      }
    } catch (IOException e) {
      // Whichever of the two cannot be looked at is told when it is read or written.
    }
  }

  private ProblemPrinter printer() {
    return new ProblemPrinter(spec.commandLine().getErr(), json);
  }

  private String extension(Path path) {
    String text = path.toString();
    String extension = text.substring(text.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
    if (!extension.equals("svg") && !MachineWriter.EXTENSIONS.contains(extension)) {
      throw new ParameterException(
          spec.commandLine(),
          "Expected OUT to end in .svg or one of .%s, but found '%s'."
              .formatted(String.join(" .", MachineWriter.EXTENSIONS), text));
    }
    return extension;
  }
}
