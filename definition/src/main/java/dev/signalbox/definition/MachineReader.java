package dev.signalbox.definition;

import dev.signalbox.definition.dot.DotReader;
import dev.signalbox.definition.mermaid.MarkdownReader;
import dev.signalbox.definition.mermaid.MermaidReader;
import dev.signalbox.definition.scxml.ScxmlReader;
import dev.signalbox.definition.statelist.StateListReader;
import dev.signalbox.definition.yaml.YamlReader;
import dev.signalbox.kernel.machine.Machine;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Reads machines from any format, chosen by the file's extension and, for text, its content. */
public final class MachineReader {
  /** A larger file is refused. */
  public static final long MOST_BYTES = 10L << 20;

  private MachineReader() {}

  /**
   * The one machine of the file.
   *
   * @throws DefinitionException with every problem when there is none without errors, or several
   */
  public static Machine read(Path file) {
    return single(readAll(file));
  }

  /**
   * The one machine of the source.
   *
   * @throws DefinitionException with every problem when there is none without errors, or several
   */
  public static Machine read(Source source) {
    return single(readAll(source, null));
  }

  /** Every machine of the file, each with its problems; a file that cannot be read is a problem. */
  public static List<Definition> readAll(Path file) {
    String name = file.toString();
    try {
      if (Files.isDirectory(file)) {
        return unreadable(name, "a file", "it is a folder");
      }
      byte[] bytes;
      // A pipe has no size to ask for, so reading itself is bounded.
      try (InputStream in = Files.newInputStream(file)) {
        bytes = in.readNBytes((int) MOST_BYTES + 1);
      }
      if (bytes.length > MOST_BYTES) {
        return unreadable(name, "a file of at most 10 MB", "it is larger");
      }
      return readAll(new Source(name, text(bytes)), file.toAbsolutePath().getParent());
    } catch (CharacterCodingException e) {
      return unreadable(name, "text in UTF-8", "it is not");
    } catch (IOException e) {
      return unreadable(
          name, "a file that can be read", Files.exists(file) ? "it cannot be" : "there is none");
    }
  }

  /**
   * Every machine of the source, each with its problems.
   *
   * @param folder where {@code src} in the definition may look, or null for nowhere
   */
  public static List<Definition> readAll(Source source, @Nullable Path folder) {
    return switch (format(source)) {
      case YAML -> YamlReader.readAll(source);
      case SCXML -> List.of(ScxmlReader.read(source, folder));
      case MERMAID -> List.of(MermaidReader.read(source));
      case MARKDOWN -> orNone(source, markdown(source));
      case DOT -> List.of(DotReader.read(source));
      case UNKNOWN ->
          unreadable(
              source.name(),
              "a machine in YAML, SCXML, Mermaid, Markdown or DOT",
              "neither the extension nor the content is one of these");
    };
  }

  private enum Format {
    YAML,
    SCXML,
    MERMAID,
    MARKDOWN,
    DOT,
    UNKNOWN
  }

  private static Format format(Source source) {
    String name = source.name().toLowerCase(Locale.ROOT);
    String extension = name.substring(name.lastIndexOf('.') + 1);
    return switch (extension) {
      case "yaml", "yml" -> Format.YAML;
      case "scxml", "xml" -> Format.SCXML;
      case "mmd", "mermaid" -> Format.MERMAID;
      case "md", "markdown" -> Format.MARKDOWN;
      case "dot", "gv" -> Format.DOT;
      default -> sniff(source.text());
    };
  }

  private static Format sniff(String text) {
    String start = text.stripLeading();
    if (start.startsWith("<")) {
      return Format.SCXML;
    }
    if (text.contains("```")) {
      return Format.MARKDOWN;
    }
    if (start.contains("stateDiagram")) {
      return Format.MERMAID;
    }
    if (start.startsWith("digraph") || start.startsWith("strict digraph")) {
      return Format.DOT;
    }
    return text.lines().anyMatch(l -> l.startsWith("machine:")) ? Format.YAML : Format.UNKNOWN;
  }

  /** The diagrams of the text, and behind them its lists of states. */
  private static List<Definition> markdown(Source source) {
    List<Definition> found = new ArrayList<>(MarkdownReader.read(source));
    found.addAll(StateListReader.read(source));
    return found;
  }

  private static List<Definition> orNone(Source source, List<Definition> found) {
    return found.isEmpty()
        ? unreadable(
            source.name(), "a state diagram or a list of states in the text", "there is none")
        : found;
  }

  private static Machine single(List<Definition> definitions) {
    Definition first = definitions.getFirst();
    Machine machine = first.machine();
    if (definitions.size() > 1) {
      Problem several =
          new Problem(
              "several-machines",
              Problem.Severity.ERROR,
              first.source().name(),
              Place.START,
              "Expected one machine, but found %d.".formatted(definitions.size()),
              "Read them with readAll.");
      throw new DefinitionException(first.source(), List.of(several));
    }
    if (machine == null || first.hasErrors()) {
      throw new DefinitionException(first.source(), first.problems());
    }
    return machine;
  }

  private static List<Definition> unreadable(String name, String expected, String found) {
    Problem problem =
        new Problem(
            "unreadable",
            Problem.Severity.ERROR,
            name,
            Place.START,
            "Expected %s, but %s.".formatted(expected, found),
            "");
    return List.of(new Definition(new Source(name, ""), null, new Places(), List.of(problem)));
  }

  private static String text(byte[] bytes) throws CharacterCodingException {
    String text =
        StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPORT)
            .onUnmappableCharacter(CodingErrorAction.REPORT)
            .decode(ByteBuffer.wrap(bytes))
            .toString();
    return text.startsWith("\uFEFF") ? text.substring(1) : text;
  }
}
