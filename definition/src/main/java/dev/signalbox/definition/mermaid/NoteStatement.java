package dev.signalbox.definition.mermaid;

import dev.signalbox.definition.Place;
import dev.signalbox.definition.Problems;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads what follows the word {@code note}: a note beside a state, in one line or many, or alone.
 */
final class NoteStatement {
  private static final String END = "end note";

  private final Cursor cursor;
  private final DiagramParser parser;
  private final Problems problems;

  NoteStatement(Cursor cursor, DiagramParser parser, Problems problems) {
    this.cursor = cursor;
    this.parser = parser;
    this.problems = problems;
  }

  void read() {
    Place place = cursor.place();
    cursor.moveTo(cursor.at() + "note".length());
    cursor.skipSpace();
    if (cursor.looksAtWord("left of")) {
      cursor.moveTo(cursor.at() + "left of".length());
      beside(place);
    } else if (cursor.looksAtWord("right of")) {
      cursor.moveTo(cursor.at() + "right of".length());
      beside(place);
    } else if (cursor.here() == '"') {
      alone();
    } else {
      parser.refuse("left of, right of or a text in quotes after note");
    }
  }

  private void beside(Place place) {
    cursor.skipSpace();
    Place idPlace = cursor.place();
    int start = cursor.at();
    int end = cursor.nameEnd(":-\n");
    if (end == start) {
      parser.refuse("a state's name");
      return;
    }
    String id = cursor.slice(start, end);
    cursor.moveTo(end);
    if (cursor.here() == '-') {
      cursor.moveTo(cursor.nameEnd(":\n"));
      id = cursor.slice(start, cursor.at());
      problems.error(
          "dash-in-name",
          idPlace,
          "Expected a name without dashes, but found '%s'.".formatted(id),
          "Write: state \"%s\" as %s".formatted(id, id.replace('-', '_')));
    }
    String text = text(place);
    if (text != null) {
      if (id.equals("[*]")) {
        parser.sketch().notes().add(text);
      } else {
        parser.mention(id, idPlace).notes().add(text);
      }
    }
  }

  private @Nullable String text(Place place) {
    int colon = cursor.at();
    while (Chars.isSpace(cursor.charAt(colon))) {
      colon++;
    }
    char first = cursor.charAt(colon + 1);
    if (cursor.charAt(colon) == ':' && first != ':' && first != '\n' && first != ';') {
      cursor.moveTo(colon);
      return oneLine();
    }
    return manyLines(place);
  }

  private String oneLine() {
    int end = cursor.at() + 1;
    int lineEnd = cursor.lineEnd();
    while (end < lineEnd && cursor.charAt(end) != ':' && cursor.charAt(end) != ';') {
      int entity = cursor.charAt(end) == '#' ? cursor.entityEnd(end) : -1;
      end = entity > 0 ? entity : end + 1;
    }
    if (cursor.charAt(end) == ':') {
      problems.error(
          "colon-in-note",
          cursor.place(end),
          "Expected a note without a colon in its text, but found one.",
          "Write #58; for the colon, or use the form that ends with: end note");
      end = lineEnd;
    }
    String text = cursor.slice(cursor.at() + 1, end);
    cursor.moveTo(end);
    return Entities.decode(text).strip();
  }

  private @Nullable String manyLines(Place place) {
    int start = cursor.at();
    int lineEnd = cursor.lineEnd();
    while (true) {
      if (cursor.charAt(lineEnd) != '\n') {
        problems.error(
            "unclosed-note",
            place,
            "Expected a line with \"end note\" that closes the note, but there is none.",
            "");
        cursor.moveTo(lineEnd);
        return null;
      }
      int at = lineEnd + 1;
      while (cursor.charAt(at) != '\n' && Chars.isSpace(cursor.charAt(at))) {
        at++;
      }
      cursor.moveTo(at);
      if (cursor.looksAtWord(END)) {
        cursor.moveTo(at + END.length());
        return clean(cursor.slice(start, lineEnd));
      }
      lineEnd = cursor.lineEnd(at);
    }
  }

  private void alone() {
    int close = cursor.nextQuote(cursor.at() + 1);
    if (close < 0) {
      parser.refuse("a closing quote");
      return;
    }
    String text = clean(cursor.slice(cursor.at() + 1, close));
    cursor.moveTo(close + 1);
    if (!text.isEmpty()) {
      parser.sketch().notes().add(text);
    }
    cursor.skipBlanks();
    if (!cursor.looksAtWord("as")) {
      parser.refuse("as and a name after the note");
    }
    cursor.skipLine();
  }

  private static String clean(String text) {
    return Arrays.stream(Entities.decode(text).split("\n"))
        .map(String::strip)
        .filter(line -> !line.isEmpty())
        .collect(Collectors.joining("\n"));
  }
}
