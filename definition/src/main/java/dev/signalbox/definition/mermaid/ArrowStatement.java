package dev.signalbox.definition.mermaid;

import dev.signalbox.definition.Place;
import dev.signalbox.definition.Problems;
import dev.signalbox.definition.sketch.Sketch.Node;
import org.jspecify.annotations.Nullable;

/** Reads a statement that begins with a name or a dot: an arrow, a description, or a mention. */
final class ArrowStatement {
  private final Cursor cursor;
  private final DiagramParser parser;
  private final Problems problems;

  ArrowStatement(Cursor cursor, DiagramParser parser, Problems problems) {
    this.cursor = cursor;
    this.parser = parser;
    this.problems = problems;
  }

  void read() {
    Place place = cursor.place();
    End from = end(place);
    if (from == null) {
      parser.refuse("a state's name or [*]");
      return;
    }
    skipStyle();
    if (cursor.looksAt("-->")) {
      cursor.moveTo(cursor.at() + 3);
      arrow(from, place);
      return;
    }
    Node node = from.dot ? null : parser.mention(from.name, place);
    if (cursor.here() == '{' && node != null) {
      problems.error(
          "mermaid-syntax",
          place,
          "Expected a keyword before a name with a body, but found \"%s {\".".formatted(from.name),
          "Write: state %s {".formatted(from.name));
      parser.openBody(node, cursor.place());
      cursor.moveTo(cursor.at() + 1);
      return;
    }
    String description = description();
    if (description != null && node != null && !description.isEmpty()) {
      node.descriptions().add(description);
    }
  }

  private void arrow(End from, Place place) {
    skipInline();
    Place targetPlace = cursor.place();
    End to = end(targetPlace);
    if (to == null) {
      parser.refuse("a state's name or [*] after the arrow");
      return;
    }
    Node source = from.dot ? null : parser.mention(from.name, place);
    Node target = to.dot ? null : parser.mention(to.name, targetPlace);
    skipStyle();
    if (cursor.looksAt("-->")) {
      parser.refuse("one arrow in a statement");
    }
    parser.sketch().edge(parser.level(), source, target, description(), place);
  }

  /** One end of an arrow: a dot, or a name. */
  private record End(boolean dot, String name) {}

  private @Nullable End end(Place place) {
    if (cursor.looksAt("[*]")) {
      cursor.moveTo(cursor.at() + 3);
      return new End(true, "");
    }
    if (parser.atTop() && cursor.here() == '"') {
      return quoted(place);
    }
    if (parser.atTop() && (cursor.looksAtWord("default") || cursor.looksAtWord("href"))) {
      parser.reserved(place);
    }
    int start = cursor.at();
    int end = cursor.nameEnd(DiagramParser.NAME_STOPS);
    if (end == start) {
      return null;
    }
    cursor.moveTo(end);
    boolean dashed = false;
    while (cursor.here() == '-' && isInner(cursor.charAt(cursor.at() + 1))) {
      dashed = true;
      cursor.moveTo(cursor.at() + 1);
      cursor.moveTo(cursor.nameEnd(DiagramParser.NAME_STOPS));
    }
    String name = cursor.slice(start, cursor.at());
    if (dashed) {
      problems.error(
          "dash-in-name",
          place,
          "Expected a name without dashes, but found '%s'.".formatted(name),
          "Write: state \"%s\" as %s".formatted(name, name.replace('-', '_')));
    }
    if (name.indexOf(';') >= 0) {
      problems.warning(
          "semicolon-in-name",
          place,
          "Expected no semicolon, because Mermaid ends no statement with one: '%s' is a state."
              .formatted(name),
          "Remove the semicolon; in a label, write #59; instead.");
    }
    return new End(false, name);
  }

  private static boolean isInner(char c) {
    return c != '\0'
        && c != '-'
        && c != '>'
        && !Chars.isSpace(c)
        && DiagramParser.NAME_STOPS.indexOf(c) < 0;
  }

  private @Nullable End quoted(Place place) {
    int close = cursor.nextQuote(cursor.at() + 1);
    if (close < 0 || close > cursor.lineEnd()) {
      return null;
    }
    String name = cursor.slice(cursor.at() + 1, close).strip();
    cursor.moveTo(close + 1);
    problems.error(
        "mermaid-syntax",
        place,
        "Expected a name without quotes, but found \"%s\".".formatted(name),
        "Write: state \"%s\" as a_name".formatted(name));
    return name.isEmpty() ? null : new End(false, name);
  }

  /** Skips what stands between the parts of a statement. */
  private void skipInline() {
    while (!cursor.atEnd() && !(parser.atTop() && cursor.atNewline())) {
      if (Chars.isSpace(cursor.here())) {
        cursor.skipSpace();
      } else if (!cursor.skipComment()) {
        return;
      }
    }
  }

  private void skipStyle() {
    skipInline();
    if (cursor.looksAt(":::")) {
      cursor.moveTo(cursor.at() + 3);
      skipInline();
      cursor.moveTo(cursor.nameEnd(DiagramParser.NAME_STOPS));
      skipInline();
    }
  }

  /** The description that starts here, or null. */
  private @Nullable String description() {
    if (cursor.here() != ':') {
      return null;
    }
    int end = cursor.descriptionEnd();
    if (end < 0 || cursor.charAt(end) == ':') {
      if (cursor.lineEnd() == cursor.at() + 1) {
        parser.refuse("a text after the colon");
        return null;
      }
      problems.error(
          "double-colon",
          cursor.place(Math.max(end, cursor.at())),
          "Expected a text without two colons in a row, but found \"::\".",
          "Write #58; for a colon.");
      end = cursor.lineEnd();
    }
    String text = cursor.slice(cursor.at() + 1, end);
    cursor.moveTo(end);
    return Entities.decode(text).strip();
  }
}
