package dev.signalbox.definition.sketch;

import dev.signalbox.definition.Place;
import java.util.Arrays;

/** Finds the line and column of any offset in a text, after one look at the text. */
public final class LinePlaces {
  private final int length;
  private final int[] starts;

  public LinePlaces(String text) {
    this.length = text.length();
    int[] found = new int[64];
    int count = 1;
    for (int i = text.indexOf('\n'); i >= 0; i = text.indexOf('\n', i + 1)) {
      if (count == found.length) {
        found = Arrays.copyOf(found, count * 2);
      }
      found[count++] = i + 1;
    }
    this.starts = Arrays.copyOf(found, count);
  }

  public Place of(int offset) {
    int line = line(offset);
    return new Place(line + 1, offset - starts[line] + 1);
  }

  /** The offset of the end of the line that holds the offset. */
  public int lineEnd(int offset) {
    int next = line(offset) + 1;
    return next < starts.length ? starts[next] - 1 : length;
  }

  private int line(int offset) {
    int index = Arrays.binarySearch(starts, Math.min(offset, length));
    return index >= 0 ? index : -index - 2;
  }
}
