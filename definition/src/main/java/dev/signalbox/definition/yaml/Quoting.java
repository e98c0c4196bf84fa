package dev.signalbox.definition.yaml;

import dev.signalbox.definition.yaml.Node.Kind;

/** How a text is written so that it is read as that text. */
final class Quoting {
  /** No plain text starts with one of these. */
  private static final String INDICATORS = "?:,[]{}#&*!|>'\"%@`";

  private Quoting() {}

  /**
   * The text, plain where that is possible.
   *
   * @param flow whether it stands inside brackets, where commas and brackets mean something
   */
  static String scalar(String text, boolean flow) {
    if (isPlain(text, flow)) {
      return text;
    }
    boolean printable = text.codePoints().allMatch(Quoting::isPrintable);
    if (printable && (text.indexOf('"') >= 0 || text.indexOf('\\') >= 0)) {
      return "'" + text.replace("'", "''") + "'";
    }
    return doubleQuoted(text);
  }

  /** Whether the text may be written line by line behind a {@code |}. */
  static boolean isBlock(String text) {
    if (text.indexOf('\n') < 1 || text.endsWith("\n\n") || text.charAt(0) == ' ') {
      return false;
    }
    return text.codePoints().allMatch(c -> c == '\n' || isPrintable(c))
        && text.lines().noneMatch(line -> line.endsWith(" "));
  }

  private static boolean isPlain(String text, boolean flow) {
    if (text.isEmpty() || Scalars.kindOf(text) != Kind.TEXT) {
      return false;
    }
    char first = text.charAt(0);
    boolean indicated =
        INDICATORS.indexOf(first) >= 0
            || (first == '-' && (text.length() == 1 || !isWordStart(text.charAt(1))))
            || text.startsWith("...");
    if (indicated || first == ' ' || text.endsWith(" ") || text.endsWith(":")) {
      return false;
    }
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (flow && ",[]{}".indexOf(c) >= 0) {
        return false;
      }
      char next = i + 1 < text.length() ? text.charAt(i + 1) : ' ';
      if ((c == ':' && next == ' ') || (c == ' ' && next == '#')) {
        return false;
      }
    }
    return text.codePoints().allMatch(Quoting::isPrintable);
  }

  private static boolean isWordStart(char c) {
    return Character.isLetterOrDigit(c) || c == '_' || c == '(';
  }

  private static boolean isPrintable(int c) {
    return (c >= 0x20 && c <= 0x7E)
        || (c > 0xA0 && c < 0xD800 && c != 0x2028 && c != 0x2029)
        || (c >= 0xE000 && c <= 0xFFFD && c != 0xFEFF)
        || c >= 0x10000;
  }

  private static String doubleQuoted(String text) {
    StringBuilder out = new StringBuilder(text.length() + 2).append('"');
    text.codePoints()
        .forEach(c -> {
          switch (c) {
            case '"' -> out.append("\\\"");
            case '\\' -> out.append("\\\\");
            case '\n' -> out.append("\\n");
            case '\r' -> out.append("\\r");
            case '\t' -> out.append("\\t");
            default -> {
              if (isPrintable(c)) {
                out.appendCodePoint(c);
              } else {
                out.append("\\u%04X".formatted(c));
              }
            }
          }
        });
    return out.append('"').toString();
  }
}
