package dev.signalbox.definition.mermaid;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.Place;
import dev.signalbox.definition.Places;
import dev.signalbox.definition.Problems;
import dev.signalbox.definition.Source;
import dev.signalbox.definition.sketch.Sketch;
import dev.signalbox.definition.sketch.SketchMachine;
import dev.signalbox.definition.sketch.Slug;
import dev.signalbox.kernel.machine.Machine;
import org.jspecify.annotations.Nullable;

/** Reads a Mermaid state diagram into a machine. */
public final class MermaidReader {
  /** The longest text that is read, in characters. */
  static final int LONGEST = 4_000_000;

  private MermaidReader() {}

  /** The machine of a file that holds one diagram, named after the file. */
  public static Definition read(Source source) {
    return read(source, source.text(), 1, Slug.fileName(source.name()));
  }

  /**
   * The machine of a diagram inside a larger source.
   *
   * @param firstLine the number of the diagram's first line in the source
   */
  static Definition read(Source source, String diagram, int firstLine, String name) {
    Problems problems = new Problems(source.name());
    Places places = new Places();
    Machine machine =
        diagram.length() > LONGEST
            ? refuse(firstLine, problems)
            : machine(diagram, firstLine, name, places, problems);
    return new Definition(source, machine, places, problems.list());
  }

  private static @Nullable Machine machine(
      String diagram, int firstLine, String name, Places places, Problems problems) {
    CleanText clean = CleanText.of(diagram);
    Cursor cursor = new Cursor(clean.text(), firstLine);
    cursor.skipSpace();
    Place header = cursor.place();
    if (!skipHeader(cursor)) {
      problems.error(
          "not-a-state-diagram",
          header,
          "Expected the text to begin with stateDiagram-v2, but it does not.",
          "Only state diagrams can become machines.");
      return null;
    }
    Sketch sketch = new Sketch();
    if (clean.title() != null) {
      sketch.describe(clean.title());
    }
    return new DiagramParser(cursor, problems, sketch, clean.ids()).parse()
        ? SketchMachine.build(sketch, name, header, places, problems)
        : null;
  }

  private static @Nullable Machine refuse(int line, Problems problems) {
    problems.error(
        "too-large",
        new Place(line, 1),
        "Expected at most %,d characters, but the text is longer.".formatted(LONGEST),
        "Split it into several machines.");
    return null;
  }

  /** Whether the text is a state diagram, whatever else is wrong with it. */
  static boolean isStateDiagram(String diagram) {
    Cursor cursor = new Cursor(CleanText.of(diagram).text(), 1);
    cursor.skipSpace();
    return skipHeader(cursor);
  }

  private static boolean skipHeader(Cursor cursor) {
    for (String word : new String[] {"stateDiagram-v2", "stateDiagram"}) {
      char next = cursor.charAt(cursor.at() + word.length());
      if (cursor.looksAt(word) && (next == '\0' || next == ';' || Chars.isSpace(next))) {
        cursor.moveTo(cursor.at() + word.length() + (next == ';' ? 1 : 0));
        return true;
      }
    }
    return false;
  }
}
