package dev.signalbox.definition.mermaid;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.Fence;
import dev.signalbox.definition.Source;
import dev.signalbox.definition.sketch.Slug;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads every state diagram in the Mermaid fences of a Markdown text. Each machine is named after
 * the nearest heading above it; a number tells machines under one heading apart.
 */
public final class MarkdownReader {
  private static final Pattern UNDERLINE = Pattern.compile("^\\s{0,3}(?:=+|-+)\\s*$");
  private static final Pattern MERMAID =
      Pattern.compile("^\\{?\\.?mermaid\\b.*", Pattern.CASE_INSENSITIVE);

  private final Source source;
  private final List<Definition> found = new ArrayList<>();
  private final Set<String> names = new HashSet<>();
  private final Map<String, Integer> numbers = new HashMap<>();
  private String heading = "";

  private MarkdownReader(Source source) {
    this.source = source;
  }

  /** The machines, in the order of their diagrams, with places in the Markdown text. */
  public static List<Definition> read(Source source) {
    MarkdownReader reader = new MarkdownReader(source);
    reader.scan(source.text().lines().toList());
    return List.copyOf(reader.found);
  }

  private void scan(List<String> lines) {
    int at = 0;
    for (Fence fence : Fence.of(lines)) {
      headings(lines, at, fence.open());
      if (MERMAID.matcher(fence.info()).matches()) {
        diagram(fence.text(), fence.firstLine());
      }
      at = fence.close() + 1;
    }
    headings(lines, at, lines.size());
  }

  private void headings(List<String> lines, int from, int to) {
    for (int at = from; at < to; at++) {
      heading(lines, at);
    }
  }

  private void diagram(String text, int firstLine) {
    if (text.length() > MermaidReader.LONGEST || MermaidReader.isStateDiagram(text)) {
      found.add(MermaidReader.read(source, text, firstLine, name()));
    }
  }

  private void heading(List<String> lines, int at) {
    String text = headingText(lines, at);
    if (text != null && !Slug.name(text, '-').isEmpty()) {
      heading = text;
    }
  }

  private static @Nullable String headingText(List<String> lines, int at) {
    String line = lines.get(at).strip();
    if (line.startsWith("#") && line.length() <= 1000) {
      String text = line.replaceFirst("^#{1,6}(?=\\s)", "");
      return text.equals(line) ? null : text.replaceFirst("#+$", "").strip();
    }
    boolean underlined =
        at > 0
            && UNDERLINE.matcher(lines.get(at)).matches()
            && !lines.get(at - 1).isBlank()
            && lines.get(at - 1).length() <= 1000;
    return underlined ? lines.get(at - 1) : null;
  }

  private String name() {
    String stem = Slug.name(heading, '-');
    String base = stem.isEmpty() ? Slug.fileName(source.name()) : stem;
    String name = base;
    int number = numbers.getOrDefault(base, 1);
    while (!names.add(name)) {
      number++;
      name = base + "-" + number;
    }
    numbers.put(base, number);
    return name;
  }
}
