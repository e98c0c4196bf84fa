package dev.signalbox.systems.runs;

import java.util.Locale;

/** What a tool does to where it works. */
public enum Access {
  /** It looks; it must leave everything as it is. */
  READ,
  /** It changes something. */
  WRITE,
  /** It tries something out, and may leave traces where it works. */
  TEST;

  /** As plans and policies write it. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  static Access of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }
}
