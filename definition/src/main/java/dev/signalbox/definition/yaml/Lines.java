package dev.signalbox.definition.yaml;

import dev.signalbox.definition.Place;
import java.util.Arrays;
import java.util.Optional;
import org.snakeyaml.engine.v2.exceptions.Mark;

/** Where the lines of a text begin, to turn the parser's marks into places in constant time. */
final class Lines {
  private final String text;
  private final int[] starts;
  private final boolean astral;

  Lines(String text) {
    this.text = text;
    int[] found = new int[64];
    int count = 1;
    boolean surrogates = false;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      surrogates |= Character.isSurrogate(c);
      boolean lineEnds =
          c == '\n' || (c == '\r' && !(i + 1 < text.length() && text.charAt(i + 1) == '\n'));
      if (lineEnds) {
        if (count == found.length) {
          found = Arrays.copyOf(found, count * 2);
        }
        found[count++] = i + 1;
      }
    }
    starts = Arrays.copyOf(found, count);
    astral = surrogates;
  }

  Place place(Optional<Mark> mark) {
    return mark.map(this::place).orElse(Place.START);
  }

  /** The parser counts code points; places count characters. */
  private Place place(Mark mark) {
    int column = mark.getColumn();
    if (astral && mark.getLine() < starts.length) {
      int start = starts[mark.getLine()];
      int end = mark.getLine() + 1 < starts.length ? starts[mark.getLine() + 1] : text.length();
      int points = text.codePointCount(start, end);
      column = text.offsetByCodePoints(start, Math.min(column, points)) - start;
    }
    return new Place(mark.getLine() + 1, column + 1);
  }

  int offset(Place place) {
    int line = Math.min(place.line(), starts.length) - 1;
    return Math.min(starts[line] + place.column() - 1, text.length());
  }

  Place placeOf(int offset) {
    int found = Arrays.binarySearch(starts, offset);
    int line = found >= 0 ? found : -found - 2;
    return new Place(line + 1, offset - starts[line] + 1);
  }

  /** The place of the code point with the number, counted from 0. */
  Place placeOfCodePoint(int number) {
    int points = text.codePointCount(0, text.length());
    return placeOf(text.offsetByCodePoints(0, Math.max(0, Math.min(number, points))));
  }
}
