package dev.signalbox.services.approval;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;

/** What a request may hold at most. */
final class Limits {
  static final int TEXT = 2_000;
  static final int PEOPLE = 100;
  static final int CHAIN = 32;
  static final int QUORUM = 20;
  static final Duration LONGEST = Duration.ofDays(30);

  private Limits() {}

  static void text(String text, String what) {
    if (text.isBlank() || text.length() > TEXT) {
      throw new IllegalArgumentException(
          "Expected %s of 1 to %,d characters, but it has %,d."
              .formatted(what, TEXT, text.isBlank() ? 0 : text.length()));
    }
  }

  static List<String> people(List<String> names, String what) {
    names.forEach(name -> text(name, "a name in " + what));
    if (names.size() > PEOPLE || new HashSet<>(names).size() < names.size()) {
      throw new IllegalArgumentException(
          "Expected %s to name at most %d different ones, but found %s."
              .formatted(what, PEOPLE, names));
    }
    return List.copyOf(names);
  }

  static void duration(Duration duration, String what) {
    if (duration.isNegative() || duration.isZero() || duration.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "Expected %s of more than nothing and at most %d days, but found %s."
              .formatted(what, LONGEST.toDays(), duration));
    }
  }
}
