package dev.signalbox.systems.runs.frozen;

import dev.signalbox.definition.Json;
import dev.signalbox.definition.Place;
import dev.signalbox.definition.PlacedJson;
import dev.signalbox.definition.Problems;
import dev.signalbox.definition.Source;
import dev.signalbox.systems.Values;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One object of a JSON text while it is read: what is asked for is used up, and the rest is a
 * problem. A value of another type than the one asked for is a problem too, and reads as empty.
 */
final class JsonItem {
  /** The most items of a list. */
  static final int MOST = 1_000;

  private static final String NAME = "[A-Za-z0-9][A-Za-z0-9_.-]{0,59}";

  private final PlacedJson text;
  private final Problems problems;
  private final String pointer;
  private final String what;
  private final Map<String, @Nullable Object> fields;
  private final Set<String> asked = new LinkedHashSet<>();

  private JsonItem(
      PlacedJson text, Problems problems, String pointer, String what, Map<?, ?> fields) {
    this.text = text;
    this.problems = problems;
    this.pointer = pointer;
    this.what = what;
    this.fields = Values.map(fields);
  }

  /** The object that the text is; null, with a problem, when it is none. */
  static @Nullable JsonItem of(Source source, String what, Problems problems) {
    try {
      PlacedJson text = PlacedJson.parse(source.text());
      if (text.value() instanceof Map<?, ?> fields) {
        return new JsonItem(text, problems, "", what, fields);
      }
      problems.error("wrong-type", Place.START, "Expected a %s in JSON.".formatted(what), "");
    } catch (Json.SyntaxException e) {
      problems.error(
          "json-syntax",
          e.place(),
          "Expected a %s in JSON, but %s.".formatted(what, e.getMessage()),
          "Take the file as the coordinator wrote it.");
    }
    return null;
  }

  Place place() {
    return text.places().getOrDefault(pointer, Place.START);
  }

  /** Where the field is, or the object when it is not there. */
  Place place(String key) {
    return text.places().getOrDefault(PlacedJson.below(pointer, key), place());
  }

  /** A text that has to be there. */
  String text(String key) {
    asked.add(key);
    if (isMissing(key)) {
      return "";
    }
    String value = textOrNull(key);
    if (value == null || value.isEmpty()) {
      problems.error(
          "wrong-type",
          place(key),
          "Expected '%s' of the %s to be a text with something in it.".formatted(key, what),
          "");
      return "";
    }
    return value;
  }

  /** A text, or null where the field is not there or null. */
  @Nullable String textOrNull(String key) {
    asked.add(key);
    Object value = fields.get(key);
    if (value == null || value instanceof String) {
      return (String) value;
    }
    problems.error("wrong-type", place(key), "Expected '%s' to be a text.".formatted(key), "");
    return null;
  }

  /** A name that files and commands can have too. */
  String name(String key) {
    String name = text(key);
    if (!name.isEmpty() && !name.matches(NAME)) {
      problems.error(
          "bad-name",
          place(key),
          "Expected '%s' to have at most 60 letters, digits, '_', '.' and '-', and to begin with a letter or a digit."
              .formatted(key),
          "");
    }
    return name;
  }

  /** One of the words; the first of them, with a problem, when it is none. */
  String word(String key, List<String> words) {
    String word = text(key);
    if (words.contains(word)) {
      return word;
    }
    if (!word.isEmpty()) {
      notAmong(key, word, words);
    }
    return words.getFirst();
  }

  /** Words, each of them one of those. */
  List<String> words(String key, List<String> words) {
    List<String> found = texts(key);
    for (String word : found) {
      if (!words.contains(word)) {
        notAmong(key, word, words);
      }
    }
    return found.stream().filter(words::contains).toList();
  }

  private void notAmong(String key, String word, List<String> words) {
    problems.error(
        "wrong-type",
        place(key),
        "Expected '%s' to be one of %s, but found '%s'."
            .formatted(key, String.join(", ", words), clipped(word)),
        "");
  }

  /** Texts that have to be there, each with something in it; the list may be empty. */
  List<String> texts(String key) {
    asked.add(key);
    if (isMissing(key)) {
      return List.of();
    }
    if (fields.get(key) instanceof List<?> list
        && list.size() <= MOST
        && list.stream().allMatch(each -> each instanceof String some && !some.isEmpty())) {
      return list.stream().map(String.class::cast).toList();
    }
    problems.error(
        "wrong-type",
        place(key),
        "Expected '%s' to be a list of at most %,d texts, each with something in it."
            .formatted(key, MOST),
        "");
    return List.of();
  }

  /** Texts, or none where the field is not there. */
  List<String> textsIfAny(String key) {
    asked.add(key);
    return fields.containsKey(key) ? texts(key) : List.of();
  }

  /** The object that has to be there; null, with a problem, when it is not. */
  @Nullable JsonItem item(String key, String called) {
    asked.add(key);
    if (isMissing(key)) {
      return null;
    }
    if (fields.get(key) instanceof Map<?, ?> inner) {
      return new JsonItem(text, problems, PlacedJson.below(pointer, key), called, inner);
    }
    problems.error("wrong-type", place(key), "Expected '%s' to be an object.".formatted(key), "");
    return null;
  }

  /** The objects of a list that has to be there. */
  List<JsonItem> items(String key, String called) {
    asked.add(key);
    List<JsonItem> items = new ArrayList<>();
    if (isMissing(key)) {
      return items;
    }
    if (!(fields.get(key) instanceof List<?> list) || list.size() > MOST) {
      problems.error(
          "wrong-type",
          place(key),
          "Expected '%s' to be a list of at most %,d.".formatted(key, MOST),
          "");
      return items;
    }
    String below = PlacedJson.below(pointer, key);
    for (int i = 0; i < list.size(); i++) {
      String at = PlacedJson.below(below, i);
      if (list.get(i) instanceof Map<?, ?> inner) {
        items.add(new JsonItem(text, problems, at, called, inner));
      } else {
        problems.error(
            "wrong-type",
            text.places().getOrDefault(at, place(key)),
            "Expected a %s, which is an object.".formatted(called),
            "");
      }
    }
    return items;
  }

  private boolean isMissing(String key) {
    if (fields.containsKey(key)) {
      return false;
    }
    problems.error(
        "missing-key", place(), "Expected the %s to have '%s'.".formatted(what, key), "");
    return true;
  }

  /** Every name of a field, at any depth, with its place. */
  void everyName(BiConsumer<String, Place> see) {
    names(pointer, fields, see);
  }

  private void names(String at, @Nullable Object value, BiConsumer<String, Place> see) {
    if (value instanceof Map<?, ?> map) {
      map.forEach((key, inner) -> {
        String below = PlacedJson.below(at, String.valueOf(key));
        see.accept(String.valueOf(key), text.places().getOrDefault(below, Place.START));
        names(below, inner, see);
      });
    } else if (value instanceof List<?> list) {
      for (int i = 0; i < list.size(); i++) {
        names(PlacedJson.below(at, i), list.get(i), see);
      }
    }
  }

  /** Tells what nobody asked for. */
  void finish() {
    for (String key : fields.keySet()) {
      if (!asked.contains(key)) {
        problems.error(
            "unknown-key",
            place(key),
            "Expected the %s to have nothing but %s, but found '%s'."
                .formatted(what, String.join(", ", asked), clipped(key)),
            "");
      }
    }
  }

  private static String clipped(String text) {
    return text.length() > 60 ? text.substring(0, 60) + "…" : text;
  }
}
