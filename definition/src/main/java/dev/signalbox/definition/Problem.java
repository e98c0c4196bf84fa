package dev.signalbox.definition;

/**
 * Something wrong with a definition, or something a format cannot say.
 *
 * @param code kebab-case, listed in docs/problems.md, never reused
 * @param source the name of the source, as in {@link Source#name}
 * @param message what was expected and what was found
 * @param hint what to do about it; empty when the message says it all
 */
public record Problem(
    String code, Severity severity, String source, Place place, String message, String hint) {

  /** How bad it is. */
  public enum Severity {
    /** The machine cannot be used. */
    ERROR,
    /** The machine can be used, and something in it deserves a look or was lost. */
    WARNING
  }

  public boolean isError() {
    return severity == Severity.ERROR;
  }

  /**
   * The problem for a person: file, line, column, message, the line itself, a caret and the hint.
   * Control characters of the text are masked, so that no text can drive the reader's terminal.
   */
  public String render(Source text) {
    StringBuilder out = new StringBuilder();
    out.append(source).append(':').append(place.line()).append(':').append(place.column());
    out.append(": ").append(severity == Severity.ERROR ? "error" : "warning").append(": ");
    out.append(message).append(" [").append(code).append("]\n");
    String line = text.line(place.line());
    if (!line.isEmpty()) {
      String number = Integer.toString(place.line());
      out.append(" ").append(number).append(" | ").append(clip(line, place.column())).append('\n');
      out.append(" ").append(" ".repeat(number.length())).append(" | ");
      out.append(" ".repeat(caret(line, place.column()))).append("^\n");
    }
    if (!hint.isEmpty()) {
      out.append("   ").append(hint).append('\n');
    }
    return masked(out);
  }

  private static String masked(StringBuilder text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (Character.isISOControl(c) && c != '\n') {
        text.setCharAt(i, c == '\t' ? ' ' : '\uFFFD');
      }
    }
    return text.toString();
  }

  private static final int WIDTH = 110;

  private static int start(String line, int column) {
    return line.length() <= WIDTH ? 0 : Math.max(0, Math.min(column - 40, line.length() - WIDTH));
  }

  private static String clip(String line, int column) {
    int from = start(line, column);
    return line.substring(from, Math.min(line.length(), from + WIDTH));
  }

  private static int caret(String line, int column) {
    return Math.max(0, Math.min(column - 1, line.length()) - start(line, column));
  }
}
