package dev.signalbox.kernel;

import dev.signalbox.kernel.machine.Type;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Whether a JSON value is of a declared type. */
public final class Conformance {
  private Conformance() {}

  /**
   * What is wrong with the value, or null when it is of the type. An object may not have fields
   * that its type does not declare.
   *
   * @param path what to call the value in the message
   */
  public static @Nullable String fault(Type type, @Nullable Object value, String path) {
    if (value == null || value == Context.ABSENT) {
      return type.optional() || type.kind() == Type.Kind.ANY
          ? null
          : "%s is required and of type %s".formatted(path, word(type));
    }
    boolean fits =
        switch (type.kind()) {
          case ANY -> true;
          case BOOL -> value instanceof Boolean;
          case INT -> value instanceof Long;
          case DOUBLE -> value instanceof Double || value instanceof Long;
          case STRING -> value instanceof String;
          case LIST -> value instanceof List;
          case MAP, OBJECT -> value instanceof Map;
        };
    if (!fits) {
      return "%s is of type %s, not %s".formatted(path, word(type), word(value));
    }
    if (!type.values().isEmpty() && !type.values().contains(value)) {
      return "%s is one of %s and nothing else".formatted(path, type.values());
    }
    return inner(type, value, path);
  }

  private static @Nullable String inner(Type type, Object value, String path) {
    Type item = type.item();
    if (item != null && value instanceof List<?> list) {
      for (int i = 0; i < list.size(); i++) {
        String fault = fault(item, list.get(i), path + "[" + i + "]");
        if (fault != null) {
          return fault;
        }
      }
    }
    if (item != null && value instanceof Map<?, ?> map) {
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        String fault = fault(item, entry.getValue(), path + "." + entry.getKey());
        if (fault != null) {
          return fault;
        }
      }
    }
    return type.kind() == Type.Kind.OBJECT && value instanceof Map<?, ?> map
        ? fields(type, map, path)
        : null;
  }

  private static @Nullable String fields(Type type, Map<?, ?> map, String path) {
    if (type.fields().isEmpty()) {
      return null;
    }
    for (Map.Entry<String, Type> field : type.fields().entrySet()) {
      String fault = fault(field.getValue(), map.get(field.getKey()), path + "." + field.getKey());
      if (fault != null) {
        return fault;
      }
    }
    for (Object key : map.keySet()) {
      if (!type.fields().containsKey(String.valueOf(key))) {
        return "%s has no field '%s'; it has %s"
            .formatted(path, clip(String.valueOf(key)), type.fields().keySet());
      }
    }
    return null;
  }

  private static String word(Type type) {
    return type.kind().name().toLowerCase(java.util.Locale.ROOT);
  }

  private static String word(Object value) {
    return switch (value) {
      case Boolean _ -> "bool";
      case Long _ -> "int";
      case Double _ -> "double";
      case String _ -> "string";
      case List<?> _ -> "list";
      case Map<?, ?> _ -> "map";
      default -> value.getClass().getSimpleName();
    };
  }

  private static String clip(Object value) {
    String text = String.valueOf(value);
    return text.length() <= 40 ? text : text.substring(0, 40) + "…";
  }
}
