package dev.signalbox.runtime;

import dev.signalbox.kernel.CanonicalJson;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Data from outside as the values that machines compute with and the journal writes. What the
 * journal's JSON would give back in another form is brought into that form first, so that a replay
 * computes with the same values: a double without a fraction becomes a whole number, a whole number
 * beyond 2<sup>53</sup> a string of its digits.
 */
final class Values {
  private static final int DEPTH = 100;

  private long left;

  private Values(long most) {
    this.left = most;
  }

  /**
   * The value in its journal form, unchangeable. It is copied, what is shared as often as it is
   * there, so it is refused before it is whole when it is larger than it may be.
   *
   * @param most bytes that it may have as JSON
   * @throws IllegalArgumentException when it is not JSON; the message follows "but"
   * @throws TooLarge when it is larger
   */
  static @Nullable Object of(@Nullable Object value, int most) {
    return new Values(most).form(value, 0);
  }

  /** The fields with their values in journal form. */
  static Map<String, @Nullable Object> fields(
      Map<String, ? extends @Nullable Object> map, int most) {
    Values values = new Values(most);
    Map<String, @Nullable Object> fields = LinkedHashMap.newLinkedHashMap(map.size());
    map.forEach((name, value) -> {
      values.take(name.length() + 3L);
      fields.put(name, values.form(value, 1));
    });
    return Collections.unmodifiableMap(fields);
  }

  /** There is more of it than there may be. */
  static final class TooLarge extends RuntimeException {
    TooLarge() {
      super(null, null, false, false);
    }
  }

  /** Never counts more than is written, so that the door says exactly what is too much. */
  private void take(long bytes) {
    left -= bytes;
    if (left < 0) {
      throw new TooLarge();
    }
  }

  private @Nullable Object form(@Nullable Object value, int depth) {
    take(value instanceof String text ? text.length() + 2L : 1);
    if (depth > DEPTH) {
      throw new IllegalArgumentException("it is nested more than " + DEPTH + " levels deep");
    }
    return switch (value) {
      case null -> null;
      case String text -> text;
      case Boolean truth -> truth;
      case Long number -> CanonicalJson.readBack(number);
      case Integer number -> (long) number;
      case Short number -> (long) number;
      case Byte number -> (long) number;
      case Double number -> decimal(number);
      case Float number -> decimal((double) number);
      case List<?> list -> {
        List<@Nullable Object> items = new ArrayList<>(list.size());
        for (Object item : list) {
          items.add(form(item, depth + 1));
        }
        yield Collections.unmodifiableList(items);
      }
      case Map<?, ?> map -> {
        Map<String, @Nullable Object> fields = LinkedHashMap.newLinkedHashMap(map.size());
        for (Map.Entry<?, ?> field : map.entrySet()) {
          if (!(field.getKey() instanceof String name)) {
            throw new IllegalArgumentException("a key is no text: " + field.getKey());
          }
          take(name.length() + 3L);
          fields.put(name, form(field.getValue(), depth + 1));
        }
        yield Collections.unmodifiableMap(fields);
      }
      default ->
          throw new IllegalArgumentException(
              "it holds a " + value.getClass().getName() + ", which has no JSON form");
    };
  }

  private static Object decimal(double number) {
    if (!Double.isFinite(number)) {
      throw new IllegalArgumentException("it holds the number " + number + ", which JSON has not");
    }
    return CanonicalJson.readBack(number);
  }
}
