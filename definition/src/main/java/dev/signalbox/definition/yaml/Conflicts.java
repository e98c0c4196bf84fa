package dev.signalbox.definition.yaml;

import java.util.Set;

/** Keys that make no sense together. */
final class Conflicts {
  private Conflicts() {}

  static void report(Reading reading, Keys keys, String key, String with) {
    reading.error(
        "key-conflict",
        keys.placeOf(key),
        "Expected '" + with + "' without '" + key + "', but found both.",
        "");
  }

  /** Reports every key that is present and not allowed beside {@code with}. */
  static void reportAllBut(Reading reading, Keys keys, String with, Set<String> allowed) {
    for (String key : keys.present()) {
      if (!allowed.contains(key)) {
        report(reading, keys, key, with);
      }
    }
  }
}
