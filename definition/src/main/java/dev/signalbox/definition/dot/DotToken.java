package dev.signalbox.definition.dot;

import java.util.Locale;

/**
 * A token of DOT.
 *
 * @param text what it says, without quotes
 * @param offset where it starts in the source
 */
record DotToken(Kind kind, String text, int offset) {

  /** What a token is. */
  enum Kind {
    NAME,
    QUOTED,
    HTML,
    PUNCTUATION,
    END
  }

  boolean is(String punctuation) {
    return kind == Kind.PUNCTUATION && text.equals(punctuation);
  }

  /** Whether it is the keyword, which DOT knows in any case and never in quotes. */
  boolean isWord(String keyword) {
    return kind == Kind.NAME && text.toLowerCase(Locale.ROOT).equals(keyword);
  }

  boolean isId() {
    return kind == Kind.NAME || kind == Kind.QUOTED || kind == Kind.HTML;
  }
}
