package dev.signalbox.definition.draw;

/**
 * XML text that cannot be left by what is put into it. Names and labels of a machine are taken from
 * strangers; everything that is neither a number nor a constant of this package goes through {@link
 * #escape}.
 */
final class Xml {
  private final StringBuilder out = new StringBuilder(16_384);

  /** Adds markup of our own. */
  Xml raw(String markup) {
    out.append(markup);
    return this;
  }

  Xml text(String text) {
    escape(text, out);
    return this;
  }

  Xml attribute(String name, String value) {
    out.append(' ').append(name).append("=\"");
    escape(value, out);
    out.append('"');
    return this;
  }

  Xml attribute(String name, double value) {
    out.append(' ').append(name).append("=\"").append(number(value)).append('"');
    return this;
  }

  /** A tooltip, or nothing when there is nothing to say. */
  Xml title(String text) {
    return text.isEmpty() ? this : raw("<title>").text(text).raw("</title>");
  }

  @Override
  public String toString() {
    return out.toString();
  }

  /** A coordinate with at most one decimal, the same on every machine. */
  static String number(double value) {
    long tenths = Math.round(value * 10);
    String sign = tenths < 0 ? "-" : "";
    long size = Math.abs(tenths);
    return size % 10 == 0 ? sign + size / 10 : sign + size / 10 + "." + size % 10;
  }

  /**
   * A name for an element's {@code id}: letters, digits, dots and underscores stay, everything else
   * becomes its code between hyphens, so that different texts have different names.
   */
  static String name(String text) {
    StringBuilder name = new StringBuilder(text.length() + 8);
    text.codePoints()
        .forEach(c -> {
          boolean plain =
              (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
          if (plain || c == '_' || c == '.') {
            name.appendCodePoint(c);
          } else {
            name.append('-').append(Integer.toHexString(c)).append('-');
          }
        });
    return name.toString();
  }

  /** The text on one line, without what a reader cannot see or an XML text cannot hold. */
  static String visible(String text) {
    StringBuilder clean = new StringBuilder(text.length());
    text.codePoints()
        .forEach(c -> {
          if (c == '\n' || c == '\r' || c == '\t') {
            clean.append(' ');
          } else {
            clean.appendCodePoint(isVisible(c) ? c : 0xFFFD);
          }
        });
    return clean.toString();
  }

  private static void escape(String text, StringBuilder out) {
    text.codePoints()
        .forEach(c -> {
          switch (c) {
            case '<' -> out.append("&lt;");
            case '>' -> out.append("&gt;");
            case '&' -> out.append("&amp;");
            case '"' -> out.append("&quot;");
            case '\'' -> out.append("&#39;");
            case '\n' -> out.append("&#10;");
            case '\t', '\r' -> out.append(' ');
            default -> out.appendCodePoint(isVisible(c) ? c : 0xFFFD);
          }
        });
  }

  /**
   * Whether the character may stand in the text. Control characters and halves of pairs are not
   * XML; the marks that turn or hide text are, but could make a label read as another.
   */
  private static boolean isVisible(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL, Character.SURROGATE, Character.UNASSIGNED, Character.PRIVATE_USE ->
          false;
      // The joiners of emoji and of several scripts are the harmless part of this group.
      case Character.FORMAT -> c == 0x200D || c == 0x200C;
      case Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> false;
      default -> true;
    };
  }
}
