package dev.signalbox.definition.mermaid;

import java.util.Locale;
import java.util.Set;

/** The names that Mermaid's scanner reads as one name wherever they stand. */
final class Names {
  /** Words that start a statement of their own, whatever follows them. */
  private static final Set<String> RESERVED =
      Set.of(
          "click",
          "href",
          "default",
          "scale",
          "state",
          "note",
          "class",
          "classdef",
          "style",
          "as",
          "acctitle",
          "accdescr",
          "statediagram",
          "direction",
          "root");

  private Names() {}

  static boolean isName(String id) {
    int word = 0;
    while (word < id.length() && Chars.isWord(id.charAt(word))) {
      word++;
    }
    if (id.isEmpty() || RESERVED.contains(id.substring(0, word).toLowerCase(Locale.ROOT))) {
      return false;
    }
    for (int i = 0; i < id.length(); i++) {
      char c = id.charAt(i);
      if (Chars.isSpace(c) || Character.isISOControl(c) || ":-{}#%\"\\<;,".indexOf(c) >= 0) {
        return false;
      }
    }
    return !id.startsWith("[*]")
        && !id.contains("[[")
        && !id.toLowerCase(Locale.ROOT).endsWith("direction");
  }
}
