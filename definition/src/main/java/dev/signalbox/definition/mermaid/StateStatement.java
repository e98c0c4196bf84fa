package dev.signalbox.definition.mermaid;

import dev.signalbox.definition.Place;
import dev.signalbox.definition.Problems;
import dev.signalbox.definition.sketch.Sketch.Node;
import dev.signalbox.kernel.machine.State;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads what follows the word {@code state}: a body, an alias, a point, or a bare name.
 *
 * <p>Mermaid skips the bare name without a word. This reader does the same, because the drawing
 * shows no such state, and says so unless the state is mentioned elsewhere.
 */
final class StateStatement {
  private final Cursor cursor;
  private final DiagramParser parser;
  private final Problems problems;
  private final Map<String, Place> ignored = new LinkedHashMap<>();
  private final Map<String, String> ignoredTexts = new LinkedHashMap<>();

  StateStatement(Cursor cursor, DiagramParser parser, Problems problems) {
    this.cursor = cursor;
    this.parser = parser;
    this.problems = problems;
  }

  void read() {
    cursor.moveTo(cursor.at() + "state".length());
    cursor.skipSpace();
    Place place = cursor.place();
    skip();
    if (point(place)) {
      return;
    }
    if (cursor.here() == '"') {
      alias();
    } else {
      words(place);
    }
  }

  /** Tells which bare names came to nothing. */
  void reportIgnored() {
    ignored.forEach((id, place) -> {
      Node node = parser.known(id);
      if (node == null) {
        problems.warning(
            "ignored-state",
            place,
            "Expected a state, but Mermaid draws nothing for a bare \"state %s\".".formatted(id),
            "Write just: %s".formatted(id));
      } else if (ignoredTexts.containsKey(id)) {
        node.notes().add(ignoredTexts.getOrDefault(id, ""));
      }
    });
  }

  private boolean point(Place place) {
    for (String mark : DiagramParser.POINTS) {
      int at = cursor.lastInLine(mark);
      if (at >= 0) {
        String name = cursor.slice(cursor.at(), at).strip();
        cursor.moveTo(at + mark.length());
        if (name.isEmpty()) {
          parser.refuse("a name before " + mark);
        } else {
          declarePoint(name, mark, place);
        }
        return true;
      }
    }
    return false;
  }

  private void declarePoint(String name, String mark, Place place) {
    String id = name;
    String shown = null;
    int close = name.indexOf('"', 1);
    if (name.startsWith("\"") && close > 0) {
      String rest = name.substring(close + 1).strip();
      if (rest.startsWith("as ")) {
        // Mermaid takes all of it for the name, which nobody can have meant.
        shown = Entities.decode(name.substring(1, close)).strip();
        id = rest.substring(3).strip();
        problems.warning(
            "aliased-point",
            place,
            "Expected a plain name before %s, but Mermaid knows no alias there.".formatted(mark),
            "Write: state %s %s".formatted(id, mark));
      }
    }
    Node node = parser.mention(id, place);
    State.Kind kind = DiagramParser.pointKind(mark.substring(2, mark.length() - 2));
    if (node.kind().isPoint() && node.kind() != kind) {
      problems.warning(
          "two-points",
          place,
          "Expected one kind of point, but '%s' was declared as another one before.".formatted(id),
          "The last declaration counts. Draw two points, one behind the other.");
    }
    node.become(kind);
    if (shown != null && !shown.isEmpty()) {
      node.descriptions().add(shown);
    }
  }

  private void alias() {
    int close = cursor.nextQuote(cursor.at() + 1);
    if (close < 0) {
      parser.refuse("a closing quote");
      return;
    }
    String shown = Entities.decode(cursor.slice(cursor.at() + 1, close)).strip();
    cursor.moveTo(close + 1);
    cursor.skipSpace();
    if (!cursor.looksAtKeyword("as")) {
      parser.refuse("as and a name after the quotes");
      return;
    }
    cursor.moveTo(cursor.at() + 2);
    cursor.skipSpace();
    int end = cursor.at();
    int lineEnd = cursor.lineEnd();
    while (end < lineEnd && cursor.charAt(end) != '{') {
      end++;
    }
    String name = cursor.slice(cursor.at(), end);
    int comment = name.indexOf("%%");
    name = comment > 0 ? name.substring(0, comment) : name;
    String more = null;
    int colon = name.indexOf(':');
    if (colon >= 0) {
      String[] parts = name.split(":", -1);
      more = Entities.decode(parts[1]).strip();
      name = parts[0];
    }
    if (name.isBlank()) {
      parser.refuse("a name after as");
      return;
    }
    Node node = parser.mention(name.strip(), cursor.place());
    cursor.moveTo(end);
    if (!shown.isEmpty()) {
      node.descriptions().add(shown);
    }
    if (more != null && !more.isEmpty()) {
      node.descriptions().add(more);
    }
    body(node);
  }

  private void words(Place place) {
    int brace = cursor.at();
    int lineEnd = cursor.lineEnd();
    while (brace < lineEnd && cursor.charAt(brace) != '{') {
      brace++;
    }
    String head = cursor.slice(cursor.at(), brace);
    if (brace < lineEnd && isTwoWords(head)) {
      problems.error(
          "name-with-spaces",
          place,
          "Expected a name of one word, but found \"%s\".".formatted(head.strip()),
          "Write: state \"%s\" as %s {"
              .formatted(head.strip(), head.strip().replaceAll("\\W+", "_")));
      // Older versions of Mermaid take the last word and say nothing.
      String[] words = head.strip().split("\\s+");
      Node node = parser.mention(words[words.length - 1], place);
      cursor.moveTo(brace);
      body(node);
      return;
    }
    String first = null;
    String last = null;
    Place lastPlace = place;
    int textStart = -1;
    while (true) {
      skip();
      if (cursor.atEnd() || cursor.atNewline() || cursor.here() == '{') {
        break;
      }
      lastPlace = cursor.place();
      int start = cursor.at();
      cursor.moveTo(cursor.nameEnd("{"));
      last = cursor.slice(start, cursor.at());
      first = first == null ? last : first;
      textStart = textStart < 0 && last.startsWith(":") ? start + 1 : textStart;
    }
    if (first == null || last == null) {
      parser.refuse("a name after state");
    } else if (opensBody()) {
      body(parser.mention(last, lastPlace));
    } else {
      ignored.putIfAbsent(first, place);
      if (textStart > 0) {
        String text = cursor.slice(textStart, cursor.at()).strip();
        ignoredTexts.putIfAbsent(first, Entities.decode(text));
      }
    }
  }

  private static boolean isTwoWords(String head) {
    int at = 0;
    while (at < head.length() && Chars.isWord(head.charAt(at))) {
      at++;
    }
    int second = at;
    while (second < head.length() && Chars.isSpace(head.charAt(second))) {
      second++;
    }
    return at > 0 && second > at && second < head.length() && Chars.isWord(head.charAt(second));
  }

  private void body(@Nullable Node node) {
    if (node != null && opensBody()) {
      parser.openBody(node, cursor.place());
      cursor.moveTo(cursor.at() + 1);
    }
  }

  /** Moves to the brace when one follows; at the top it may open the next line. */
  private boolean opensBody() {
    skip();
    if (cursor.here() == '{') {
      return true;
    }
    int at = cursor.at();
    if (parser.atTop() && cursor.atNewline()) {
      int next = at + 1;
      while (cursor.charAt(next) != '\n' && Chars.isSpace(cursor.charAt(next))) {
        next++;
      }
      if (cursor.charAt(next) == '{') {
        cursor.moveTo(next);
        return true;
      }
    }
    return false;
  }

  private void skip() {
    do {
      cursor.skipBlanks();
    } while (cursor.skipComment());
  }
}
