package dev.signalbox.services.approval;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The context of an instance, by type. */
record Fields(Map<String, @Nullable Object> context) {

  String text(String name) {
    return context.get(name) instanceof String text ? text : "";
  }

  long number(String name) {
    return context.get(name) instanceof Number number ? number.longValue() : 0;
  }

  List<String> texts(String name) {
    List<String> texts = new ArrayList<>();
    list(name).forEach(item -> texts.add(String.valueOf(item)));
    return List.copyOf(texts);
  }

  Map<String, Object> map(String name) {
    Map<String, Object> map = new LinkedHashMap<>();
    if (context.get(name) instanceof Map<?, ?> found) {
      found.forEach((key, value) -> {
        if (value != null) {
          map.put(String.valueOf(key), value);
        }
      });
    }
    return map;
  }

  List<?> list(String name) {
    return context.get(name) instanceof List<?> list ? list : List.of();
  }
}
