package dev.signalbox.definition.mermaid;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Gives every state a name that Mermaid's scanner reads as one name. */
final class Names {
  /** Words that start a statement of their own, whatever follows them. */
  private static final Set<String> RESERVED =
      Set.of(
          "click", "href", "default", "scale", "state", "note", "class", "classdef", "style", "as",
          "acctitle", "accdescr", "statediagram", "direction", "root");

  private final Map<String, String> names = new HashMap<>();
  private final Set<String> taken = new HashSet<>();

  Names(List<String> ids) {
    for (String id : ids) {
      if (isName(id)) {
        names.put(id, id);
        taken.add(id);
      }
    }
    ids.forEach(this::of);
  }

  /** The name of the state. */
  String of(String id) {
    return names.computeIfAbsent(id, this::alias);
  }

  boolean isAliased(String id) {
    return !of(id).equals(id);
  }

  private String alias(String id) {
    StringBuilder stem = new StringBuilder();
    id.codePoints()
        .limit(60)
        .forEach(
            c -> {
              if (Character.isLetterOrDigit(c)) {
                stem.appendCodePoint(c);
              } else if (!stem.isEmpty() && stem.charAt(stem.length() - 1) != '_') {
                stem.append('_');
              }
            });
    String base = stem.isEmpty() ? "s" : stem.toString();
    String name = isName(base) ? base : base + "_";
    for (int number = 2; !isName(name) || !taken.add(name); number++) {
      name = base + number;
    }
    return name;
  }

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
