package dev.signalbox.definition.yaml;

import dev.signalbox.definition.Place;
import dev.signalbox.definition.yaml.Node.Kind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The entries of a map: by fixed keys, or by names that the author chose. */
final class Keys {

  /** One entry: its key, where the key stands, and the value. */
  record Named(String name, Place place, Node value) {}

  private final Reading reading;
  private final Place place;
  private final Map<String, Named> entries;

  private Keys(Reading reading, Place place, Map<String, Named> entries) {
    this.reading = reading;
    this.place = place;
    this.entries = entries;
  }

  /**
   * The map's entries, after unknown and repeated keys were reported; null when it is no map.
   *
   * @param what as in "Expected a key of …"
   */
  static @Nullable Keys of(Reading reading, Node node, String what, Set<String> known) {
    if (!(node instanceof Node.Mapping mapping)) {
      reading.wrongType(node, what, "");
      return null;
    }
    Map<String, Named> entries = new LinkedHashMap<>();
    for (Named named : unique(reading, mapping)) {
      if (known.contains(named.name)) {
        entries.put(named.name, named);
      } else {
        reading.unknownKey(named.name, named.place, what, known, Misplaced.why(named.name));
      }
    }
    return new Keys(reading, mapping.place(), entries);
  }

  /** The entries of a map whose keys are names; empty when it is no map. */
  static List<Named> named(Reading reading, Node node, String what) {
    if (node instanceof Node.Mapping mapping) {
      return unique(reading, mapping);
    }
    reading.wrongType(node, what, "");
    return List.of();
  }

  private static List<Named> unique(Reading reading, Node.Mapping mapping) {
    Map<String, Named> found = LinkedHashMap.newLinkedHashMap(mapping.entries().size());
    for (Node.Entry entry : mapping.entries()) {
      if (!(entry.key() instanceof Node.Scalar key)) {
        reading.wrongType(entry.key(), "a key", "");
        continue;
      }
      Named first =
          found.putIfAbsent(key.text(), new Named(key.text(), key.place(), entry.value()));
      if (first != null) {
        reading.error(
            "duplicate-key",
            key.place(),
            "Expected every key once, but '"
                + Reading.shortened(key.text())
                + "' is also at line "
                + first.place.line()
                + ".",
            "");
      }
    }
    return new ArrayList<>(found.values());
  }

  Place place() {
    return place;
  }

  boolean has(String key) {
    return entries.containsKey(key);
  }

  /** The keys that are present, in the order of the source. */
  Set<String> present() {
    return entries.keySet();
  }

  @Nullable Node node(String key) {
    Named named = entries.get(key);
    return named == null ? null : named.value;
  }

  /** The place of the key, or of the map when it is absent. */
  Place placeOf(String key) {
    Named named = entries.get(key);
    return named == null ? place : named.place;
  }

  /** The value of a key that must be there; null, and a problem, when it is not. */
  @Nullable Node required(String key, String what) {
    Node node = node(key);
    if (node == null) {
      reading.error(
          "missing-key", place, "Expected " + what + " to have '" + key + "', but it has not.", "");
    }
    return node;
  }

  /** Prose or another free text; null when absent. */
  @Nullable String text(String key) {
    Node node = node(key);
    if (node == null) {
      return null;
    }
    return text(reading, node, "a text");
  }

  /** A name; null when absent or bad. */
  @Nullable String name(String key) {
    Node node = node(key);
    return node == null ? null : name(reading, node, "a name");
  }

  boolean flag(String key) {
    Node node = node(key);
    if (node == null) {
      return false;
    }
    if (node instanceof Node.Scalar scalar && scalar.kind() == Kind.BOOL) {
      return scalar.text().equalsIgnoreCase("true");
    }
    reading.wrongType(node, "true or false", "");
    return false;
  }

  /** A whole number from {@code least}; the default when absent or bad. */
  int number(String key, int least, int byDefault) {
    return number(key, least, Integer.MAX_VALUE, byDefault);
  }

  int number(String key, int least, int most, int byDefault) {
    Node node = node(key);
    if (node == null) {
      return byDefault;
    }
    Long value =
        node instanceof Node.Scalar scalar && scalar.kind() == Kind.INT
            ? Values.whole(scalar.text())
            : null;
    if (value != null && value >= least && value <= most) {
      return value.intValue();
    }
    reading.wrongType(
        node,
        "a whole number from " + least + (most == Integer.MAX_VALUE ? "" : " to " + most),
        "");
    return byDefault;
  }

  static @Nullable String text(Reading reading, Node node, String what) {
    if (node instanceof Node.Scalar scalar && scalar.kind() == Kind.TEXT) {
      return scalar.text();
    }
    boolean quotable = node instanceof Node.Scalar && !node.isNothing();
    reading.wrongType(node, what, quotable ? "Put it into quotes." : "");
    return null;
  }

  /** A text that is not blank. */
  static @Nullable String name(Reading reading, Node node, String what) {
    String text = text(reading, node, what);
    if (text != null && text.isBlank()) {
      reading.error("bad-name", node.place(), "Expected " + what + ", but it is empty.", "");
      return null;
    }
    return text;
  }

  /** One name or a list of names. */
  static List<String> names(Reading reading, Node node, String what) {
    List<Node> nodes = node instanceof Node.Sequence list ? list.items() : List.of(node);
    List<String> names = new ArrayList<>();
    for (Node item : nodes) {
      String name = name(reading, item, what);
      if (name != null) {
        names.add(name);
      }
    }
    return names;
  }

  /** The items of a list; empty when it is none. */
  static List<Node> items(Reading reading, Node node, String what) {
    if (node instanceof Node.Sequence list) {
      return list.items();
    }
    reading.wrongType(node, what, "");
    return List.of();
  }
}
