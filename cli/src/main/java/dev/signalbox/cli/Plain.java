package dev.signalbox.cli;

/**
 * Text as a terminal shows it and nothing else: what would move the cursor, change colours, ring,
 * turn the direction of reading or hide is written out, as JSON writes it. Texts come from agents,
 * tools and strangers.
 */
final class Plain {
  private Plain() {}

  /** The text, in as many lines as it has. */
  static String text(String text) {
    return written(text, false);
  }

  /** The text in one line, for a cell of a table or the middle of a sentence. */
  static String line(String text) {
    return written(text, true);
  }

  private static String written(String text, boolean oneLine) {
    int fine = 0;
    while (fine < text.length() && isPlain(text.charAt(fine), oneLine)) {
      fine++;
    }
    if (fine == text.length()) {
      return text;
    }
    StringBuilder out = new StringBuilder(text.length() + 16).append(text, 0, fine);
    for (int i = fine; i < text.length(); ) {
      int c = text.codePointAt(i);
      int next = i + Character.charCount(c);
      if (isHarmless(c, oneLine)) {
        out.appendCodePoint(c);
      } else if (c == '\n') {
        out.append("\\n");
      } else if (c == '\t') {
        out.append("\\t");
      } else {
        for (int k = i; k < next; k++) {
          out.append("\\u%04x".formatted((int) text.charAt(k)));
        }
      }
      i = next;
    }
    return out.toString();
  }

  /** The quick answer for nearly all there is. */
  private static boolean isPlain(char c, boolean oneLine) {
    return (c >= ' ' && c < 0x7F) || (!oneLine && c == '\n');
  }

  private static boolean isHarmless(int c, boolean oneLine) {
    if (c == '\n' || c == '\t') {
      return !oneLine;
    }
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      default -> true;
    };
  }
}
