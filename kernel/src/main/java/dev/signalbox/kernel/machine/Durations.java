package dev.signalbox.kernel.machine;

import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as definitions write them: {@code 90s}, {@code 1h30m}, {@code 1.5s}, {@code 250ms}. */
public final class Durations {
  private static final Pattern PART =
      Pattern.compile("([0-9]{1,15}(?:\\.[0-9]{1,9})?|\\.[0-9]{1,9})(ms|s|m|h|d)");

  private Durations() {}

  /** The duration, or empty when the text is not one. A bare {@code 0} is allowed. */
  public static Optional<Duration> parse(String text) {
    String rest = text.strip();
    if (rest.equals("0")) {
      return Optional.of(Duration.ZERO);
    }
    if (rest.isEmpty() || rest.length() > 64) {
      return Optional.empty();
    }
    Duration sum = Duration.ZERO;
    Matcher part = PART.matcher(rest);
    int at = 0;
    while (at < rest.length()) {
      part.region(at, rest.length());
      if (!part.lookingAt()) {
        return Optional.empty();
      }
      double amount = Double.parseDouble(part.group(1));
      double millis = amount * millisOf(part.group(2));
      if (millis > 1e15) {
        return Optional.empty();
      }
      sum = sum.plusMillis(Math.round(millis));
      at = part.end();
    }
    return Optional.of(sum);
  }

  /** The shortest text that {@link #parse} reads back as the same duration, in whole units. */
  public static String text(Duration duration) {
    long millis = duration.toMillis();
    if (millis == 0) {
      return "0s";
    }
    // 24h and 60s are how the documents put it; a whole number of one unit reads best.
    if (millis % 86_400_000 == 0 && millis > 86_400_000) {
      return millis / 86_400_000 + "d";
    }
    if (millis % 3_600_000 == 0) {
      return millis / 3_600_000 + "h";
    }
    if (millis % 60_000 == 0 && millis > 60_000) {
      return millis / 60_000 + "m";
    }
    if (millis % 1000 == 0) {
      return millis / 1000 + "s";
    }
    return millis + "ms";
  }

  static String text(Operand delay) {
    return switch (delay) {
      case Operand.Literal(Duration d) -> text(d);
      case Operand.Literal(var other) -> String.valueOf(other);
      case Operand.Expr(String text) -> text;
    };
  }

  private static double millisOf(String unit) {
    return switch (unit) {
      case "ms" -> 1;
      case "s" -> 1_000;
      case "m" -> 60_000;
      case "h" -> 3_600_000;
      default -> 86_400_000;
    };
  }
}
