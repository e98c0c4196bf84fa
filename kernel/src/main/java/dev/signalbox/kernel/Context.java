package dev.signalbox.kernel;

import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The data of an instance: one slot for each field its machine declares. Immutable. */
public final class Context {

  /** The content of a slot that has no value yet; {@code has(ctx.field)} is false for it. */
  public static final Object ABSENT = new Absent();

  private final Layout layout;
  private final @Nullable Object[] slots;

  /** What {@link #size} found; negative before. */
  private long size = -1;

  Context(Layout layout, @Nullable Object[] slots) {
    this.layout = layout;
    this.slots = slots;
  }

  public static Context empty(Layout layout) {
    Object[] slots = new Object[layout.size()];
    Arrays.fill(slots, ABSENT);
    return new Context(layout, slots);
  }

  public Layout layout() {
    return layout;
  }

  /** The value in the slot, or {@link #ABSENT}. */
  public @Nullable Object slot(int index) {
    return slots[index];
  }

  /** The value of the field; null when it is absent or not declared. */
  public @Nullable Object value(String name) {
    int index = layout.index(name);
    Object value = index < 0 ? null : slots[index];
    return value == ABSENT ? null : value;
  }

  /** This context with one slot changed. */
  public Context with(int index, @Nullable Object value) {
    @Nullable Object[] copy = slots.clone();
    copy[index] = value;
    return new Context(layout, copy);
  }

  /** This context with one slot changed, when both sizes are known. */
  Context with(int index, @Nullable Object value, long sized) {
    Context changed = with(index, value);
    changed.size = sized;
    return changed;
  }

  /** This context with one slot changed by a value that counts as much as the one before. */
  Context withSame(int index, @Nullable Object value) {
    return with(index, value, size);
  }

  /** About how many bytes its values have as JSON. */
  long size() {
    long known = size;
    if (known < 0) {
      known = 0;
      for (Object value : slots) {
        known += Size.ofKnown(value);
      }
      size = known;
    }
    return known;
  }

  /** The fields that have a value, in declared order. */
  public Map<String, @Nullable Object> asMap() {
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    for (int i = 0; i < slots.length; i++) {
      if (slots[i] != ABSENT) {
        map.put(layout.name(i), slots[i]);
      }
    }
    return Collections.unmodifiableMap(map);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Context that
        && layout.equals(that.layout)
        && Arrays.equals(slots, that.slots);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(slots);
  }

  @Override
  public String toString() {
    return asMap().toString();
  }

  /** The names of the slots, in order. */
  public static final class Layout {
    private final List<String> names;
    private final Map<String, Integer> indexes;

    public Layout(List<String> names) {
      this.names = List.copyOf(names);
      this.indexes = new HashMap<>();
      for (int i = 0; i < names.size(); i++) {
        indexes.putIfAbsent(names.get(i), i);
      }
    }

    public int size() {
      return names.size();
    }

    public String name(int index) {
      return names.get(index);
    }

    public List<String> names() {
      return names;
    }

    /** The slot of the field, or -1. */
    public int index(String name) {
      Integer index = indexes.get(name);
      return index == null ? -1 : index;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return this == other || (other instanceof Layout that && names.equals(that.names));
    }

    @Override
    public int hashCode() {
      return names.hashCode();
    }

    @Override
    public String toString() {
      return names.toString();
    }
  }

  private static final class Absent {
    @Override
    public String toString() {
      return "(absent)";
    }
  }
}
