package dev.signalbox.systems;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** JSON values whose form is not certain. */
public final class Values {
  private Values() {}

  /** The object, or an empty one. */
  public static Map<String, @Nullable Object> map(@Nullable Object value) {
    if (!(value instanceof Map<?, ?> map)) {
      return Map.of();
    }
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    map.forEach((name, field) -> fields.put(String.valueOf(name), field));
    return Collections.unmodifiableMap(fields);
  }

  /** The list, or an empty one. */
  public static List<?> list(@Nullable Object value) {
    return value instanceof List<?> list ? list : List.of();
  }

  /** The text, or an empty one. */
  public static String text(@Nullable Object value) {
    return value instanceof String text ? text : "";
  }
}
