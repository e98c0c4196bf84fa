package dev.signalbox.kernel;

import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The one JSON text of a value, by RFC 8785: keys in the order of their UTF-16 code units, numbers
 * as ECMAScript writes them, no white space. Equal values have equal texts, so the text can be
 * hashed.
 *
 * <p>A value is null, a Boolean, Long, Double, String, List or Map. A Long beyond 2<sup>53</sup> in
 * either direction becomes a string of its digits, because JSON readers that know only doubles
 * would change it. What has no JSON text is refused: NaN, the infinities, half of a surrogate pair,
 * any other type, and more than 1,000 levels.
 */
public final class CanonicalJson {
  /** The largest whole number up to which every double is exact. */
  private static final long SAFE = 1L << 53;

  /** Below this, doubles are so far apart that a digit more or less can be chosen. */
  private static final double COARSE = 1e-320;

  private static final int DEPTH = 1_000;

  private final StringBuilder out;

  private CanonicalJson(StringBuilder out) {
    this.out = out;
  }

  /**
   * The value's text.
   *
   * @throws IllegalArgumentException when the value has no JSON text
   */
  public static String text(@Nullable Object value) {
    StringBuilder out = new StringBuilder(256);
    append(value, out);
    return out.toString();
  }

  /** The value's text in UTF-8, as it is hashed. */
  public static byte[] bytes(@Nullable Object value) {
    return text(value).getBytes(StandardCharsets.UTF_8);
  }

  /** Appends the value's text. After an exception the builder holds a part of it. */
  public static void append(@Nullable Object value, StringBuilder out) {
    new CanonicalJson(out).value(value, 0);
  }

  /** What a whole number is when its text is read: beyond 2<sup>53</sup> a string of its digits. */
  public static Object readBack(long number) {
    return number > SAFE || number < -SAFE ? (Object) Long.toString(number) : (Object) number;
  }

  /** What a finite number is when its text is read: without a fraction it is a whole one. */
  public static Object readBack(double number) {
    return number == (long) number && Math.abs(number) <= SAFE ? (Object) (long) number : number;
  }

  private void value(@Nullable Object value, int depth) {
    if (depth > DEPTH) {
      throw new IllegalArgumentException("Expected at most 1,000 levels, but found more.");
    }
    switch (value) {
      case null -> out.append("null");
      case String text -> string(text);
      case Long number -> integer(number);
      case Boolean truth -> out.append(truth.booleanValue());
      case Double number -> decimal(number);
      case List<?> list -> list(list, depth);
      case Map<?, ?> map -> map(map, depth);
      default ->
          throw new IllegalArgumentException(
              "Expected a JSON value, but found a " + value.getClass().getName() + ".");
    }
  }

  private void list(List<?> list, int depth) {
    out.append('[');
    boolean first = true;
    for (Object item : list) {
      if (!first) {
        out.append(',');
      }
      first = false;
      value(item, depth + 1);
    }
    out.append(']');
  }

  private void map(Map<?, ?> map, int depth) {
    String[] keys = new String[map.size()];
    int count = 0;
    for (Object key : map.keySet()) {
      if (!(key instanceof String text)) {
        throw new IllegalArgumentException("Expected keys to be texts, but found " + key + ".");
      }
      keys[count++] = text;
    }
    // String's own order is that of its UTF-16 code units.
    Arrays.sort(keys);
    out.append('{');
    for (int i = 0; i < count; i++) {
      if (i > 0) {
        out.append(',');
      }
      string(keys[i]);
      out.append(':');
      value(map.get(keys[i]), depth + 1);
    }
    out.append('}');
  }

  private void integer(long number) {
    if (number > SAFE || number < -SAFE) {
      out.append('"').append(number).append('"');
    } else {
      out.append(number);
    }
  }

  private void string(String text) {
    out.append('"');
    int from = 0;
    int length = text.length();
    for (int i = 0; i < length; i++) {
      char c = text.charAt(i);
      if (c >= ' ' && c != '"' && c != '\\' && (c < '\uD800' || c > '\uDFFF')) {
        continue;
      }
      if (Character.isSurrogate(c)) {
        boolean pair =
            Character.isHighSurrogate(c)
                && i + 1 < length
                && Character.isLowSurrogate(text.charAt(i + 1));
        if (!pair) {
          throw new IllegalArgumentException(
              "Expected whole characters, but found half of a surrogate pair.");
        }
        i++;
        continue;
      }
      out.append(text, from, i);
      escape(c);
      from = i + 1;
    }
    out.append(text, from, length).append('"');
  }

  private void escape(char c) {
    out.append('\\');
    switch (c) {
      case '"', '\\' -> out.append(c);
      case '\b' -> out.append('b');
      case '\t' -> out.append('t');
      case '\n' -> out.append('n');
      case '\f' -> out.append('f');
      case '\r' -> out.append('r');
      default ->
          out.append("u00")
              .append(Character.forDigit(c >> 4, 16))
              .append(Character.forDigit(c & 15, 16));
    }
  }

  private void decimal(double number) {
    if (!Double.isFinite(number)) {
      throw new IllegalArgumentException("Expected a finite number, but found " + number + ".");
    }
    // Also turns -0.0 into 0.
    if (number == (long) number && Math.abs(number) <= SAFE) {
      out.append((long) number);
      return;
    }
    if (number < 0) {
      out.append('-');
    }
    shortest(Math.abs(number));
  }

  /**
   * The number as ECMAScript's Number::toString writes it (ECMA-262, 6.1.6.1.20): the fewest digits
   * that give the number back, and of those the nearest; an exponent only from 1e21 and below 1e-6.
   *
   * <p>{@link Double#toString} finds those digits, with one exception: where one digit would do it
   * also considers two, so that the smallest double is 4.9E-324 and not 5e-324.
   */
  private void shortest(double number) {
    if (number < COARSE) {
      for (int precision = 1; ; precision++) {
        BigDecimal rounded = new BigDecimal(number).round(new MathContext(precision));
        if (rounded.doubleValue() == number) {
          String digits = rounded.stripTrailingZeros().unscaledValue().toString();
          int magnitude = digits.length() - rounded.stripTrailingZeros().scale();
          notation(digits.toCharArray(), 0, digits.length(), magnitude);
          return;
        }
      }
    }
    String text = Double.toString(number);
    int mark = text.indexOf('E');
    int end = mark < 0 ? text.length() : mark;
    int exponent = mark < 0 ? 0 : Integer.parseInt(text, mark + 1, text.length(), 10);
    int point = text.indexOf('.');
    char[] digits = new char[end - 1];
    text.getChars(0, point, digits, 0);
    text.getChars(point + 1, end, digits, point);
    int from = 0;
    while (digits[from] == '0') {
      from++;
    }
    int to = digits.length;
    while (digits[to - 1] == '0') {
      to--;
    }
    notation(digits, from, to, point - from + exponent);
  }

  /** Writes 0.DIGITS times ten to the power of the magnitude. */
  private void notation(char[] digits, int from, int to, int magnitude) {
    int count = to - from;
    if (magnitude > 21 || magnitude <= -6) {
      out.append(digits[from]);
      if (count > 1) {
        out.append('.').append(digits, from + 1, count - 1);
      }
      int exponent = magnitude - 1;
      out.append('e').append(exponent < 0 ? '-' : '+').append(Math.abs(exponent));
    } else if (magnitude <= 0) {
      out.append("0.").repeat('0', -magnitude).append(digits, from, count);
    } else if (count <= magnitude) {
      out.append(digits, from, count).repeat('0', magnitude - count);
    } else {
      out.append(digits, from, magnitude).append('.');
      out.append(digits, from + magnitude, count - magnitude);
    }
  }
}
