package dev.signalbox.services;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Values of which canonical JSON has exactly one reading. Canonical JSON writes a whole number
 * beyond 2<sup>53</sup> as a text of its digits; a digest of the text would then be one of the
 * number, so such numbers are refused and have to be texts from the start.
 */
public final class ExactJson {
  private static final long SAFE = 1L << 53;
  private static final int DEPTH = 90;

  private ExactJson() {}

  /**
   * An unchangeable copy.
   *
   * @throws IllegalArgumentException when the value has no exact form
   */
  public static @Nullable Object value(@Nullable Object value) {
    return value(value, 0);
  }

  /**
   * An unchangeable copy of an object, none of whose fields is null.
   *
   * @throws IllegalArgumentException when a value has no exact form
   */
  public static Map<String, Object> fields(Map<String, Object> map) {
    Map<String, Object> fields = new LinkedHashMap<>();
    map.forEach((name, value) -> {
      Object exact = value(value, 1);
      if (exact == null) {
        throw new IllegalArgumentException(
            "Expected a value for '%s', but it has none. Leave it out.".formatted(name));
      }
      fields.put(name, exact);
    });
    return Collections.unmodifiableMap(fields);
  }

  private static @Nullable Object value(@Nullable Object value, int depth) {
    if (depth > DEPTH) {
      throw new IllegalArgumentException(
          "Expected arguments of at most %d levels, but there are more.".formatted(DEPTH));
    }
    return switch (value) {
      case null -> null;
      case String text -> text;
      case Boolean truth -> truth;
      case Long number -> whole(number);
      case Integer number -> (long) number;
      case Short number -> (long) number;
      case Byte number -> (long) number;
      case Double number -> decimal(number);
      case Float number -> decimal((double) number);
      case List<?> list -> {
        List<@Nullable Object> items = new ArrayList<>(list.size());
        for (Object item : list) {
          items.add(value(item, depth + 1));
        }
        yield Collections.unmodifiableList(items);
      }
      case Map<?, ?> map -> {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        for (Map.Entry<?, ?> field : map.entrySet()) {
          if (!(field.getKey() instanceof String name)) {
            throw new IllegalArgumentException(
                "Expected the names of arguments to be texts, but found " + field.getKey() + ".");
          }
          fields.put(name, value(field.getValue(), depth + 1));
        }
        yield Collections.unmodifiableMap(fields);
      }
      default ->
          throw new IllegalArgumentException(
              "Expected JSON values as arguments, but found a %s. Bring it into JSON first."
                  .formatted(value.getClass().getName()));
    };
  }

  private static long whole(long number) {
    if (number > SAFE || number < -SAFE) {
      throw new IllegalArgumentException(
          "Expected whole numbers within 2^53, but found %d. Write it as a text."
              .formatted(number));
    }
    return number;
  }

  private static Object decimal(double number) {
    if (!Double.isFinite(number)) {
      throw new IllegalArgumentException(
          "Expected numbers that JSON has, but found " + number + ".");
    }
    return number == (long) number && Math.abs(number) <= SAFE ? (Object) (long) number : number;
  }
}
