package dev.signalbox.definition.mermaid;

import dev.signalbox.definition.Place;
import dev.signalbox.definition.sketch.LinePlaces;
import java.util.HashMap;
import java.util.Map;

/** A position in a cleaned diagram text, and the small things Mermaid's scanner looks for there. */
final class Cursor {
  private final String text;
  private final int firstLine;
  private final LinePlaces lines;
  private int at;
  private int directionLineEnd = -1;
  private int directionStart = -1;
  private int noQuoteFrom = Integer.MAX_VALUE;
  private int markLineEnd = -1;
  // What was found in the current line, so that a line of many statements is searched once.
  private final Map<String, Integer> lastMarks = new HashMap<>();

  /**
   * @param firstLine the number of the text's first line in its source
   */
  Cursor(String text, int firstLine) {
    this.text = text;
    this.firstLine = firstLine;
    this.lines = new LinePlaces(text);
  }

  int at() {
    return at;
  }

  void moveTo(int offset) {
    at = offset;
  }

  boolean atEnd() {
    return at >= text.length();
  }

  boolean atNewline() {
    return at < text.length() && text.charAt(at) == '\n';
  }

  /** The character here, or NUL at the end. */
  char here() {
    return charAt(at);
  }

  char charAt(int offset) {
    return offset >= 0 && offset < text.length() ? text.charAt(offset) : '\0';
  }

  Place place() {
    return place(at);
  }

  Place place(int offset) {
    Place inside = lines.of(offset);
    return new Place(inside.line() + firstLine - 1, inside.column());
  }

  boolean looksAt(String literal) {
    return text.startsWith(literal, at);
  }

  /** Whether the word is here, in any case, with a word boundary behind it. */
  boolean looksAtWord(String word) {
    return text.regionMatches(true, at, word, 0, word.length())
        && !Chars.isWord(charAt(at + word.length()));
  }

  /** Whether the word is here, in any case, with a space behind it. */
  boolean looksAtKeyword(String word) {
    int end = at + word.length();
    return text.regionMatches(true, at, word, 0, word.length())
        && end < text.length()
        && Chars.isSpace(text.charAt(end));
  }

  int lineEnd() {
    return lineEnd(at);
  }

  int lineEnd(int from) {
    return lines.lineEnd(from);
  }

  String slice(int from, int to) {
    return text.substring(from, to);
  }

  void skipLine() {
    at = lineEnd();
  }

  void skipSpace() {
    while (at < text.length() && Chars.isSpace(text.charAt(at))) {
      at++;
    }
  }

  void skipBlanks() {
    while (at < text.length() && text.charAt(at) != '\n' && Chars.isSpace(text.charAt(at))) {
      at++;
    }
  }

  /** Skips a comment to the end of its line. */
  boolean skipComment() {
    boolean comment =
        (here() == '#' && entityEnd(at) < 0) || (looksAt("%%") && charAt(at + 2) != '{');
    if (comment) {
      skipLine();
    }
    return comment;
  }

  /** The offset behind the entity ({@code #35;}) that starts at the offset, or -1. */
  int entityEnd(int offset) {
    int end = offset + 1;
    // Real ones are short; the bound keeps a line of # signs from costing its square.
    while (end < text.length() && end - offset < 40 && Chars.isWord(text.charAt(end))) {
      end++;
    }
    return end > offset + 1 && charAt(end) == ';' ? end + 1 : -1;
  }

  /** The next offset of the text, or -1. */
  int find(String literal, int from) {
    return text.indexOf(literal, from);
  }

  /** The offset of the next double quote, or -1. */
  int nextQuote(int from) {
    if (from >= noQuoteFrom) {
      return -1;
    }
    int quote = text.indexOf('"', from);
    if (quote < 0) {
      noQuoteFrom = Math.min(noQuoteFrom, from);
    }
    return quote;
  }

  /** The last occurrence of the mark in the rest of this line, in any case, or -1. */
  int lastInLine(String mark) {
    int end = lineEnd();
    if (end != markLineEnd) {
      markLineEnd = end;
      lastMarks.clear();
    }
    int last = lastMarks.computeIfAbsent(mark, m -> findLast(m, end));
    return last >= at ? last : -1;
  }

  private int findLast(String mark, int end) {
    for (int i = end - mark.length(); i >= at; i--) {
      if (text.regionMatches(true, i, mark, 0, mark.length())) {
        return i;
      }
    }
    return -1;
  }

  /** Whether the rest of the line, from anywhere in it, says {@code direction LR} or the like. */
  boolean looksAtDirection() {
    int end = lineEnd();
    if (end != directionLineEnd) {
      directionLineEnd = end;
      directionStart = findDirection(end);
    }
    return directionStart >= at;
  }

  private int findDirection(int end) {
    for (int i = end - 9; i >= at; i--) {
      if (text.regionMatches(true, i, "direction", 0, 9)) {
        int value = i + 9;
        while (value < text.length() && Chars.isSpace(text.charAt(value))) {
          value++;
        }
        if (value > i + 9 && isDirection(value)) {
          return i;
        }
      }
    }
    return -1;
  }

  private boolean isDirection(int offset) {
    for (String value : new String[] {"TB", "BT", "RL", "LR"}) {
      if (text.regionMatches(true, offset, value, 0, 2)) {
        return true;
      }
    }
    return false;
  }

  /** Skips the direction; its value may stand on the next line. */
  void skipDirection() {
    at = directionStart + 9;
    skipSpace();
    skipLine();
  }

  /** The offset behind a name that starts here; the same offset when none does. */
  int nameEnd(String stops) {
    int end = at;
    while (end < text.length()) {
      char c = text.charAt(end);
      if (Chars.isSpace(c) || stops.indexOf(c) >= 0) {
        break;
      }
      // A comment may follow a name without a space.
      if (c == '%' && charAt(end + 1) == '%' && end > at) {
        break;
      }
      end++;
    }
    return end;
  }

  /** The offset behind a description that starts with the colon here, or -1. */
  int descriptionEnd() {
    if (here() != ':') {
      return -1;
    }
    int end = at + 1;
    while (end < text.length()) {
      char c = text.charAt(end);
      if (c == '#') {
        int entity = entityEnd(end);
        end = entity > 0 ? entity : end + 1;
      } else if (c == ':' && !stopsDescription(charAt(end + 1)) && end + 1 < text.length()) {
        end++;
      } else if (stopsDescription(c)) {
        break;
      } else {
        end++;
      }
    }
    return end == at + 1 ? -1 : end;
  }

  private static boolean stopsDescription(char c) {
    return c == ':' || c == '\n' || c == ';';
  }
}
