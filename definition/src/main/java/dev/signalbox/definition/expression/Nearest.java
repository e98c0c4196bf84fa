package dev.signalbox.definition.expression;

import dev.signalbox.definition.Suggestion;
import java.util.Collection;

/** Offers the name that was probably meant, as an expression would write it. */
final class Nearest {
  private static final int SHORTEST_START = 4;

  private Nearest() {}

  /** A sentence with the nearest name or the one that was begun, or nothing. */
  static String hint(String prefix, String name, Collection<String> known) {
    String nearest = Suggestion.nearest(name, known);
    if (nearest == null && name.length() >= SHORTEST_START) {
      nearest = known.stream().filter(k -> k.startsWith(name)).findFirst().orElse(null);
    }
    return nearest == null ? "" : " Did you mean `" + prefix + nearest + "`?";
  }
}
