package dev.signalbox.systems.runs;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** JSON values of a form that is known: what has another is refused. */
final class Form {
  private Form() {}

  static String text(Map<?, ?> map, String name) {
    if (map.get(name) instanceof String text) {
      return text;
    }
    throw wrong(name, "a text");
  }

  static long whole(Map<?, ?> map, String name) {
    if (map.get(name) instanceof Long number) {
      return number;
    }
    throw wrong(name, "a whole number");
  }

  static boolean flag(Map<?, ?> map, String name) {
    if (map.get(name) instanceof Boolean flag) {
      return flag;
    }
    throw wrong(name, "true or false");
  }

  static Map<String, Object> map(Map<?, ?> map, String name) {
    return map(map.get(name), name);
  }

  static Map<String, Object> map(@Nullable Object value, String name) {
    if (!(value instanceof Map<?, ?> inner)) {
      throw wrong(name, "an object");
    }
    Map<String, Object> fields = new LinkedHashMap<>();
    inner.forEach((key, each) -> {
      if (each != null) {
        fields.put(String.valueOf(key), each);
      }
    });
    return fields;
  }

  static List<Map<String, Object>> maps(Map<?, ?> map, String name) {
    if (map.get(name) instanceof List<?> list) {
      return list.stream().map(each -> map(each, name)).toList();
    }
    throw wrong(name, "a list of objects");
  }

  static List<String> texts(Map<?, ?> map, String name) {
    if (map.get(name) instanceof List<?> list && list.stream().allMatch(String.class::isInstance)) {
      return list.stream().map(String.class::cast).toList();
    }
    throw wrong(name, "a list of texts");
  }

  private static IllegalArgumentException wrong(String name, String expected) {
    return new IllegalArgumentException(
        "Expected '%s' to be %s, but it is not.".formatted(name, expected));
  }
}
