package dev.signalbox.cli;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.MachineWriter;
import dev.signalbox.definition.Problems;
import dev.signalbox.definition.Source;
import dev.signalbox.definition.draw.Drawing;
import dev.signalbox.definition.draw.Options;
import dev.signalbox.kernel.machine.Machine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
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
    description = "Write a machine as a picture or in another format, by the extension of OUT.")
@SuppressWarnings("NullAway.Init")
final class DrawCommand implements Callable<Integer> {
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
      defaultValue = "AUTO",
      description = "For .svg: ${COMPLETION-CANDIDATES} (default ${DEFAULT-VALUE})")
  private Options.Theme theme;

  @Option(
      names = "--direction",
      defaultValue = "DOWN",
      description = "For .svg: ${COMPLETION-CANDIDATES} (default ${DEFAULT-VALUE})")
  private Options.Direction direction;

  @Option(names = "--json", description = "Problems as lines of JSON")
  private boolean json;

  @Override
  public Integer call() throws IOException {
    String extension = extension(out);
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
    Path folder = out.toAbsolutePath().getParent();
    if (folder != null) {
      Files.createDirectories(folder);
    }
    Path fresh = out.resolveSibling("." + out.getFileName() + ".new");
    Files.writeString(fresh, text);
    Files.move(fresh, out, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    printer().print(new Source(out.toString(), ""), lost.list());
    return 0;
  }

  private ProblemPrinter printer() {
    return new ProblemPrinter(spec.commandLine().getErr(), json);
  }

  private String extension(Path path) {
    String text = path.getFileName().toString();
    String extension = text.substring(text.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
    if (!extension.equals("svg") && !MachineWriter.EXTENSIONS.contains(extension)) {
      throw new ParameterException(
          spec.commandLine(),
          "Expected OUT to end in .svg or one of %s, but found '%s'."
              .formatted(MachineWriter.EXTENSIONS, text));
    }
    return extension;
  }
}
