package dev.signalbox.definition.yaml;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A piece of YAML to be written. What it looks like is decided by {@link Printer}. */
sealed interface Part {

  /** A text; it gets quotes where it would be read as something else. */
  record Text(String text) implements Part {}

  /** A number, truth value or null, as it is written. */
  record Plain(String text) implements Part {}

  /**
   * A list.
   *
   * @param block whether it always gets a line for each item
   */
  record Items(List<Part> items, boolean block) implements Part {}

  /**
   * A map.
   *
   * @param block whether it always gets a line for each entry
   */
  record Entries(List<Entry> entries, boolean block) implements Part {
    static Entries of(String key, Part value) {
      return new Entries(List.of(new Entry(key, value)), false);
    }
  }

  record Entry(String key, Part value) {}

  static Part text(String text) {
    return new Text(text);
  }

  static Part flag(boolean value) {
    return new Plain(Boolean.toString(value));
  }

  static Part number(long value) {
    return new Plain(Long.toString(value));
  }

  static Part list(List<Part> items) {
    return new Items(items, false);
  }

  static Part texts(List<String> texts) {
    return list(texts.stream().map(Part::text).toList());
  }

  /** One text, or a list when there are several or none. */
  static Part oneOrList(List<String> texts) {
    return texts.size() == 1 ? text(texts.getFirst()) : texts(texts);
  }

  default boolean isScalar() {
    return this instanceof Text || this instanceof Plain;
  }

  /** Collects the entries of a map. Absent values are left out. */
  final class Builder {
    private final List<Entry> entries = new ArrayList<>();

    Builder put(String key, @Nullable Part value) {
      if (value != null) {
        entries.add(new Entry(key, value));
      }
      return this;
    }

    Builder put(String key, @Nullable String text) {
      return put(key, text == null ? null : new Text(text));
    }

    Builder flag(String key, boolean value) {
      return put(key, value ? Part.flag(true) : null);
    }

    List<Entry> entries() {
      return entries;
    }

    /** On one line where it fits. */
    Entries flow() {
      return new Entries(entries, false);
    }

    /** A line for each entry, unless there is nothing but scalars. */
    Entries block() {
      return new Entries(entries, !entries.stream().allMatch(e -> e.value().isScalar()));
    }
  }
}
