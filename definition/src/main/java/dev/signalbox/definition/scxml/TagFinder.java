package dev.signalbox.definition.scxml;

import dev.signalbox.definition.Place;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Finds the start tags of a well-formed XML text one after the other, with the place of each
 * attribute. The parser's own locations point behind a tag and know nothing of attributes.
 */
final class TagFinder {
  private final String text;
  private final int[] lineStarts;
  private int at;

  TagFinder(String text) {
    this.text = text;
    this.lineStarts = lineStarts(text);
  }

  /**
   * A start tag.
   *
   * @param values the place of each attribute's value, by the attribute's name with its prefix
   */
  record Tag(Place place, Map<String, Place> values) {}

  /** The next start tag; the parser has already seen that there is one. */
  Tag next() {
    while (at < text.length()) {
      int open = text.indexOf('<', at);
      if (open < 0) {
        break;
      }
      if (text.startsWith("<!--", open)) {
        at = after("-->", open + 4);
      } else if (text.startsWith("<![CDATA[", open)) {
        at = after("]]>", open + 9);
      } else if (text.startsWith("<?", open)) {
        at = after("?>", open + 2);
      } else if (text.startsWith("</", open)) {
        at = after(">", open + 2);
      } else {
        return new Tag(place(open), attributes(open + 1));
      }
    }
    return new Tag(Place.START, Map.of());
  }

  Place place(int offset) {
    int line = Arrays.binarySearch(lineStarts, offset);
    if (line < 0) {
      line = -line - 2;
    }
    return new Place(line + 1, offset - lineStarts[line] + 1);
  }

  private Map<String, Place> attributes(int start) {
    Map<String, Place> values = Map.of();
    at = start;
    skipName();
    while (at < text.length() && text.charAt(at) != '>') {
      char c = text.charAt(at);
      if (isSpace(c) || c == '/') {
        at++;
        continue;
      }
      int nameStart = at;
      skipName();
      String name = text.substring(nameStart, at);
      at = after("=", at);
      while (at < text.length() && isSpace(text.charAt(at))) {
        at++;
      }
      if (at >= text.length()) {
        break;
      }
      if (values.isEmpty()) {
        values = new HashMap<>();
      }
      values.put(name, place(at + 1));
      at = after(text.substring(at, at + 1), at + 1);
    }
    at = Math.min(at + 1, text.length());
    return values;
  }

  private void skipName() {
    while (at < text.length() && "=/> \t\r\n".indexOf(text.charAt(at)) < 0) {
      at++;
    }
  }

  private int after(String end, int from) {
    int found = text.indexOf(end, from);
    return found < 0 ? text.length() : found + end.length();
  }

  private static boolean isSpace(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
  }

  private static int[] lineStarts(String text) {
    int lines = 1 + (int) text.chars().filter(c -> c == '\n').count();
    int[] starts = new int[lines];
    int line = 1;
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) == '\n') {
        starts[line++] = i + 1;
      }
    }
    return starts;
  }
}
