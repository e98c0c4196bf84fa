package dev.signalbox.definition.yaml;

import dev.signalbox.definition.Place;

/** What may be a name. */
final class Names {
  private static final int LONGEST = 200;

  private Names() {}

  /** Letters, digits, {@code _}, {@code -} and {@code .}: a machine is also part of addresses. */
  static boolean isMachineName(String name) {
    return !name.isEmpty()
        && name.length() <= LONGEST
        && name.codePoints()
            .allMatch(c -> Character.isLetterOrDigit(c) || c == '_' || c == '-' || c == '.');
  }

  /** Anything visible without white space; {@code ->} is how facts join two names. */
  static boolean isName(String name) {
    return !name.isEmpty()
        && name.length() <= LONGEST
        && !name.contains("->")
        && name.codePoints().noneMatch(Names::isBlankOrControl);
  }

  private static boolean isBlankOrControl(int c) {
    return Character.isWhitespace(c)
        || Character.isSpaceChar(c)
        || Character.isISOControl(c)
        || Character.getType(c) == Character.SURROGATE;
  }

  static boolean isGood(Reading reading, Keys.Named named, String what) {
    return isGood(reading, named.name(), named.place(), what);
  }

  static boolean isGood(Reading reading, String name, Place place, String what) {
    if (isName(name)) {
      return true;
    }
    reading.error(
        "bad-name",
        place,
        "Expected " + what + ", but found '" + Reading.shortened(name) + "'.",
        "A name has no spaces and no '->', and at most 200 characters.");
    return false;
  }
}
