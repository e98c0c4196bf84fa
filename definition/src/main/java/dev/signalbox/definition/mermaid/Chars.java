package dev.signalbox.definition.mermaid;

/** The classes of characters that Mermaid's scanner knows, which are those of JavaScript. */
final class Chars {
  private Chars() {}

  static boolean isSpace(char c) {
    return (c >= '\t' && c <= '\r') || c == '\uFEFF' || Character.isSpaceChar(c);
  }

  /** A letter, digit or underscore of ASCII. */
  static boolean isWord(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }
}
