package dev.signalbox.services.tool;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The limits of a result, and how its JSON is read: nothing unknown, nothing of another type. */
final class ResultFields {
  static final int TEXT = 4_000;
  static final int ITEMS = 200;

  private ResultFields() {}

  static String text(String text, String what) {
    if (text.isBlank() || text.length() > TEXT) {
      throw new IllegalArgumentException(
          "Expected %s of 1 to %,d characters, but it has %,d."
              .formatted(what, TEXT, text.isBlank() ? 0 : text.length()));
    }
    return text;
  }

  static List<String> texts(List<String> texts, String what) {
    return counted(texts, what).stream().map(text -> text(text, "an item of " + what)).toList();
  }

  static <T> List<T> counted(List<T> items, String what) {
    if (items.size() > ITEMS) {
      throw new IllegalArgumentException(
          "Expected %s to have at most %d items, but there are %d."
              .formatted(what, ITEMS, items.size()));
    }
    return List.copyOf(items);
  }

  /** The texts of a list; empty when there is none. */
  static List<String> list(@Nullable Object value, String name) {
    return list(
        value,
        name,
        item -> {
          if (item instanceof String text) {
            return text;
          }
          throw new IllegalArgumentException(
              "Expected '%s' to be a list of texts, but found something else in it."
                  .formatted(name));
        });
  }

  static <T> List<T> list(
      @Nullable Object value, String name, Function<@Nullable Object, T> reader) {
    if (value == null) {
      return List.of();
    }
    if (!(value instanceof List<?> list)) {
      throw new IllegalArgumentException(
          "Expected '%s' to be a list, but found something else.".formatted(name));
    }
    counted(list.stream().map(_ -> name).toList(), name);
    List<T> items = new ArrayList<>();
    for (Object item : list) {
      items.add(reader.apply(item));
    }
    return items;
  }

  static void only(Map<?, ?> map, String what, String... known) {
    for (Object name : map.keySet()) {
      if (!Arrays.asList(known).contains(String.valueOf(name))) {
        throw new IllegalArgumentException(
            "Expected '%s' to have no field but %s, but found another. Leave it out."
                .formatted(what, String.join(", ", known)));
      }
    }
  }
}
