package dev.signalbox.definition.expression;

import dev.signalbox.kernel.EvaluationException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Timestamps and durations, with CEL's ranges.
 *
 * <p>A time zone is UTC or an offset. Zones with a name are refused: what they mean changes with
 * the rules of the country and the release of the JDK, and an expression means the same for ever.
 */
final class Times {
  private static final long FIRST_SECOND = -62_135_596_800L;
  private static final long LAST_SECOND = 253_402_300_799L;
  private static final Duration LONGEST = Duration.ofDays(3_652_500);
  private static final int LONGEST_TEXT = 64;

  private static final Pattern DURATION =
      Pattern.compile("([+-]?)(0|(?:[0-9]+(?:\\.[0-9]+)?(?:h|ms|m|s|us|µs|ns))+)");
  private static final Pattern PART = Pattern.compile("([0-9.]+)(h|ms|m|s|us|µs|ns)");

  private Times() {}

  static Instant timestamp(Node.Call call, @Nullable Object value) {
    return switch (value) {
      case Instant instant -> instant;
      case Long seconds when seconds >= FIRST_SECOND && seconds <= LAST_SECOND ->
          Instant.ofEpochSecond(seconds);
      case Long _ -> throw outOfRange(call);
      case String text -> {
        if (text.length() <= LONGEST_TEXT) {
          try {
            yield inRange(call, OffsetDateTime.parse(text).toInstant());
          } catch (DateTimeException e) {
            // Said below.
          }
        }
        throw notA(call, "a timestamp such as '2024-02-29T12:00:00Z'");
      }
      case null, default -> throw Operations.wrong(call.first(), "a string or seconds", value);
    };
  }

  static Duration duration(Node.Call call, @Nullable Object value) {
    return switch (value) {
      case Duration duration -> duration;
      case String text -> {
        Matcher matcher = DURATION.matcher(text);
        if (text.length() > LONGEST_TEXT || !matcher.matches()) {
          throw notA(call, "a duration such as '1h30m'");
        }
        BigDecimal nanos = BigDecimal.ZERO;
        Matcher part = PART.matcher(text);
        while (part.find()) {
          nanos = nanos.add(new BigDecimal(part.group(1)).multiply(unit(part.group(2))));
        }
        yield inRange(call, matcher.group(1).equals("-") ? nanos.negate() : nanos);
      }
      case null, default -> throw Operations.wrong(call.first(), "a string", value);
    };
  }

  private static BigDecimal unit(String unit) {
    return BigDecimal.valueOf(
        switch (unit) {
          case "h" -> 3_600_000_000_000L;
          case "m" -> 60_000_000_000L;
          case "s" -> 1_000_000_000L;
          case "ms" -> 1_000_000L;
          case "ns" -> 1L;
          default -> 1_000L;
        });
  }

  private static Duration inRange(Node.Call call, BigDecimal nanos) {
    BigInteger[] parts =
        nanos
            .setScale(0, RoundingMode.DOWN)
            .toBigInteger()
            .divideAndRemainder(BigInteger.valueOf(1_000_000_000));
    if (parts[0].bitLength() > 62) {
      throw outOfRange(call);
    }
    return inRange(call, Duration.ofSeconds(parts[0].longValue(), parts[1].longValue()));
  }

  private static Duration inRange(Node.Call call, Duration duration) {
    if (duration.abs().compareTo(LONGEST) > 0) {
      throw outOfRange(call);
    }
    return duration;
  }

  private static Instant inRange(Node.Call call, Instant instant) {
    if (instant.getEpochSecond() < FIRST_SECOND || instant.getEpochSecond() > LAST_SECOND) {
      throw outOfRange(call);
    }
    return instant;
  }

  /** The sum or difference, or null when these are no times that can be added or subtracted. */
  static @Nullable Object arithmetic(Node.Call call, @Nullable Object a, @Nullable Object b) {
    if (call.function() == Function.ADD) {
      if (a instanceof Instant x && b instanceof Duration y) {
        return inRange(call, x.plus(y));
      }
      if (a instanceof Duration x && b instanceof Instant y) {
        return inRange(call, y.plus(x));
      }
      if (a instanceof Duration x && b instanceof Duration y) {
        return inRange(call, x.plus(y));
      }
    } else if (call.function() == Function.SUBTRACT) {
      if (a instanceof Instant x && b instanceof Duration y) {
        return inRange(call, x.minus(y));
      }
      if (a instanceof Duration x && b instanceof Duration y) {
        return inRange(call, x.minus(y));
      }
      if (a instanceof Instant x && b instanceof Instant y) {
        Duration between = Duration.between(y, x);
        // CEL counts the difference in nanoseconds of 64 bits.
        if (between.abs().toSeconds() > Long.MAX_VALUE / 1_000_000_000) {
          throw outOfRange(call);
        }
        return between;
      }
    }
    return null;
  }

  /** A part of a timestamp, or a duration in some unit. */
  static long part(Node.Call call, @Nullable Object value, @Nullable Object zone) {
    if (value instanceof Duration duration && call.arguments().size() == 1) {
      switch (call.function()) {
        case GET_HOURS -> {
          return duration.toHours();
        }
        case GET_MINUTES -> {
          return duration.toMinutes();
        }
        case GET_SECONDS -> {
          return duration.getSeconds() + (duration.isNegative() && duration.getNano() > 0 ? 1 : 0);
        }
        case GET_MILLISECONDS -> {
          return duration.toMillis() % 1_000;
        }
        default -> {}
      }
    }
    if (!(value instanceof Instant instant)) {
      throw Operations.wrong(call.first(), "a timestamp", value);
    }
    OffsetDateTime time =
        instant.atOffset(call.arguments().size() == 1 ? ZoneOffset.UTC : offset(call, zone));
    return switch (call.function()) {
      case GET_FULL_YEAR -> time.getYear();
      case GET_MONTH -> time.getMonthValue() - 1;
      case GET_DATE -> time.getDayOfMonth();
      case GET_DAY_OF_MONTH -> time.getDayOfMonth() - 1;
      case GET_DAY_OF_WEEK -> time.getDayOfWeek().getValue() % 7;
      case GET_DAY_OF_YEAR -> time.getDayOfYear() - 1;
      case GET_HOURS -> time.getHour();
      case GET_MINUTES -> time.getMinute();
      case GET_SECONDS -> time.getSecond();
      default -> time.getNano() / 1_000_000;
    };
  }

  private static ZoneOffset offset(Node.Call call, @Nullable Object zone) {
    if (zone instanceof String text && text.length() <= LONGEST_TEXT) {
      if (text.equals("UTC")) {
        return ZoneOffset.UTC;
      }
      try {
        return ZoneOffset.of(
            text.isEmpty() || !Character.isDigit(text.charAt(0)) ? text : "+" + text);
      } catch (DateTimeException e) {
        // Said below.
      }
    }
    throw new EvaluationException(
        "Expected 'UTC' or an offset such as '+02:00' for `%s`, but its time zone is neither."
            .formatted(call.function().text()));
  }

  static String text(Duration duration) {
    Duration size = duration.abs();
    String seconds = (duration.isNegative() ? "-" : "") + size.getSeconds();
    int nanos = size.getNano();
    if (nanos == 0) {
      return seconds + "s";
    }
    String digits = String.format(java.util.Locale.ROOT, "%09d", nanos);
    int length = nanos % 1_000_000 == 0 ? 3 : nanos % 1_000 == 0 ? 6 : 9;
    return seconds + "." + digits.substring(0, length) + "s";
  }

  /** Whole milliseconds, which is how a machine keeps times. */
  static long millis(String what, long seconds, int nanos) {
    if (nanos % 1_000_000 != 0) {
      throw new EvaluationException(
          "Expected whole milliseconds, but the " + what + " has a finer fraction.");
    }
    return seconds * 1_000 + nanos / 1_000_000;
  }

  private static EvaluationException outOfRange(Node.Call call) {
    return new EvaluationException(
        "Expected `" + NodeText.of(call) + "` to be within CEL's range, but it is not.");
  }

  private static EvaluationException notA(Node.Call call, String wanted) {
    return new EvaluationException(
        "Expected `%s` to be the text of %s, but it is not."
            .formatted(NodeText.of(call.first()), wanted));
  }
}
