package dev.signalbox.services.system;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The fields of a JSON object that came in, read with the types that are expected. */
public final class Fields {
  private final Map<?, ?> values;

  private Fields(Map<?, ?> values) {
    this.values = values;
  }

  /**
   * The fields of the value.
   *
   * @param value an object, or null for one without fields
   * @throws ProblemException when it is something else
   */
  public static Fields of(@Nullable Object value) {
    if (value == null) {
      return new Fields(Map.of());
    }
    if (value instanceof Map<?, ?> map) {
      return new Fields(map);
    }
    throw ProblemException.badRequest(
        "Expected a JSON object, but found %s.".formatted(kind(value)));
  }

  /**
   * Refuses fields that nobody reads, so that a misspelt one shows.
   *
   * @throws ProblemException when there is another field
   */
  public Fields only(String... known) {
    for (Object name : values.keySet()) {
      if (!List.of(known).contains(String.valueOf(name))) {
        String text = String.valueOf(name);
        throw ProblemException.badRequest(
            "Expected no field but %s, but found '%s'."
                .formatted(
                    String.join(", ", known), text.length() > 40 ? text.substring(0, 40) : text));
      }
    }
    return this;
  }

  public @Nullable Object value(String name) {
    return values.get(name);
  }

  public @Nullable String textOrNull(String name) {
    Object value = values.get(name);
    if (value == null || value instanceof String) {
      return (String) value;
    }
    throw wrong(name, "a text", value);
  }

  public String text(String name) {
    String text = textOrNull(name);
    if (text == null || text.isEmpty()) {
      throw ProblemException.badRequest(
          "Expected the field '%s', but it is missing or empty.".formatted(name));
    }
    return text;
  }

  public @Nullable Long numberOrNull(String name) {
    Object value = values.get(name);
    if (value == null || value instanceof Long) {
      return (Long) value;
    }
    throw wrong(name, "a whole number", value);
  }

  public boolean flag(String name, boolean otherwise) {
    Object value = values.get(name);
    if (value == null) {
      return otherwise;
    }
    if (value instanceof Boolean flag) {
      return flag;
    }
    throw wrong(name, "true or false", value);
  }

  /** The object in the field; empty when there is none. */
  public Map<String, @Nullable Object> object(String name) {
    Object value = values.get(name);
    if (value == null) {
      return Map.of();
    }
    if (value instanceof Map<?, ?> map) {
      Map<String, @Nullable Object> fields = new LinkedHashMap<>();
      map.forEach((key, item) -> fields.put(String.valueOf(key), item));
      return Collections.unmodifiableMap(fields);
    }
    throw wrong(name, "an object", value);
  }

  /** The texts in the field's list; empty when there is none. */
  public List<String> texts(String name) {
    Object value = values.get(name);
    if (value == null) {
      return List.of();
    }
    if (value instanceof List<?> list && list.stream().allMatch(String.class::isInstance)) {
      return list.stream().map(String.class::cast).toList();
    }
    throw wrong(name, "a list of texts", value);
  }

  /** An object whose values are texts; empty when there is none. */
  public Map<String, String> textMap(String name) {
    Map<String, String> texts = new LinkedHashMap<>();
    object(name)
        .forEach((key, value) -> {
          if (!(value instanceof String text)) {
            throw wrong(name, "an object of texts", value);
          }
          texts.put(key, text);
        });
    return texts;
  }

  private static ProblemException wrong(String name, String expected, @Nullable Object found) {
    return ProblemException.badRequest(
        "Expected '%s' to be %s, but found %s.".formatted(name, expected, kind(found)));
  }

  private static String kind(@Nullable Object value) {
    return switch (value) {
      case null -> "null";
      case String _ -> "a text";
      case Boolean _ -> "true or false";
      case Long _ -> "a whole number";
      case Number _ -> "a number";
      case List<?> _ -> "a list";
      case Map<?, ?> _ -> "an object";
      default -> "something else";
    };
  }
}
