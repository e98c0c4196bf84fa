package dev.signalbox.definition.yaml;

import dev.signalbox.definition.yaml.Node.Kind;

/** Which plain scalars are not text, by the core schema of YAML 1.2. */
final class Scalars {
  private Scalars() {}

  static Kind kindOf(String plain) {
    return switch (plain) {
      case "", "~", "null", "Null", "NULL" -> Kind.NOTHING;
      case "true", "True", "TRUE", "false", "False", "FALSE" -> Kind.BOOL;
      case ".nan", ".NaN", ".NAN" -> Kind.DOUBLE;
      default -> isInfinity(plain) ? Kind.DOUBLE : numberKind(plain);
    };
  }

  private static boolean isInfinity(String plain) {
    String unsigned = isSign(plain.charAt(0)) ? plain.substring(1) : plain;
    return unsigned.equals(".inf") || unsigned.equals(".Inf") || unsigned.equals(".INF");
  }

  private static Kind numberKind(String plain) {
    int at = 0;
    int end = plain.length();
    if (plain.startsWith("0x")) {
      return end > 2 && plain.chars().skip(2).allMatch(c -> Character.digit(c, 16) >= 0 && c < 128)
          ? Kind.INT
          : Kind.TEXT;
    }
    if (plain.startsWith("0o")) {
      return end > 2 && plain.chars().skip(2).allMatch(c -> c >= '0' && c <= '7')
          ? Kind.INT
          : Kind.TEXT;
    }
    if (isSign(plain.charAt(0))) {
      at++;
    }
    int whole = digits(plain, at);
    at += whole;
    if (at == end) {
      return whole > 0 ? Kind.INT : Kind.TEXT;
    }
    int fraction = 0;
    if (plain.charAt(at) == '.') {
      at++;
      fraction = digits(plain, at);
      at += fraction;
    }
    if (whole + fraction == 0) {
      return Kind.TEXT;
    }
    if (at < end && (plain.charAt(at) == 'e' || plain.charAt(at) == 'E')) {
      at++;
      if (at < end && isSign(plain.charAt(at))) {
        at++;
      }
      int exponent = digits(plain, at);
      at += exponent;
      if (exponent == 0) {
        return Kind.TEXT;
      }
    }
    return at == end ? Kind.DOUBLE : Kind.TEXT;
  }

  private static boolean isSign(char c) {
    return c == '-' || c == '+';
  }

  private static int digits(String text, int from) {
    int at = from;
    while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
      at++;
    }
    return at - from;
  }
}
