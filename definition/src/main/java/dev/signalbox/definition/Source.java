package dev.signalbox.definition;

/**
 * A text with the name it is known by, as in problems.
 *
 * @param name a file's path as the user gave it
 */
public record Source(String name, String text) {

  /** The most characters that any reader takes. */
  public static final int LARGEST = 10 * 1024 * 1024;

  /** The text of the line, without its end; empty when there is no such line. */
  public String line(int number) {
    int start = 0;
    for (int line = 1; line < number; line++) {
      start = lineEnd(start);
      if (start == text.length()) {
        return "";
      }
      boolean two = text.startsWith("\r\n", start);
      start += two ? 2 : 1;
    }
    return text.substring(start, lineEnd(start));
  }

  /** The index of the line feed or carriage return that ends the line, or the text's length. */
  private int lineEnd(int from) {
    int at = from;
    while (at < text.length() && text.charAt(at) != '\n' && text.charAt(at) != '\r') {
      at++;
    }
    return at;
  }

  /** The place of the character at the offset. */
  public Place place(int offset) {
    int line = 1;
    int lineStart = 0;
    int end = Math.min(Math.max(offset, 0), text.length());
    for (int i = 0; i < end; i++) {
      if (text.charAt(i) == '\n') {
        line++;
        lineStart = i + 1;
      }
    }
    return new Place(line, end - lineStart + 1);
  }
}
