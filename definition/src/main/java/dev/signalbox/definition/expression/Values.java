package dev.signalbox.definition.expression;

import dev.signalbox.kernel.EvaluationException;
import dev.signalbox.kernel.LimitException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What CEL says about values: their types, when they are equal, which of them JSON knows. */
final class Values {
  private static final double LARGEST_EXACT = 9_007_199_254_740_992.0;
  private static final int DEEPEST = 200;

  private Values() {}

  /** The type of the value in a sentence. */
  static String kind(@Nullable Object value) {
    return switch (value) {
      case null -> "null";
      case Boolean _ -> "a bool";
      case Long _ -> "an int";
      case Double _ -> "a double";
      case String _ -> "a string";
      case List<?> _ -> "a list";
      case Map<?, ?> _ -> "a map";
      case Instant _ -> "a timestamp";
      case Duration _ -> "a duration";
      case Unknown _ -> "unknown";
      default -> "of a type that JSON has not";
    };
  }

  /**
   * Whether two values are equal: numbers by value whatever their type, lists and maps by their
   * parts; values of other different types never.
   */
  static boolean equal(@Nullable Object a, @Nullable Object b, @Nullable Frame frame) {
    // The likely types first, and no switch: this is where guards spend their time.
    if (a instanceof Long x) {
      return b instanceof Long y
          ? x.longValue() == y.longValue()
          : b instanceof Double d && (double) x == d;
    }
    if (a instanceof String x) {
      return b instanceof String y && equal(x, y, frame);
    }
    if (a instanceof Double x) {
      return b instanceof Double y
          ? x.doubleValue() == y.doubleValue()
          : b instanceof Long whole && x == (double) whole;
    }
    if (a instanceof List<?> x) {
      return b instanceof List<?> y && equal(x, y, frame);
    }
    if (a instanceof Map<?, ?> x) {
      return b instanceof Map<?, ?> y && equal(x, y, frame);
    }
    return a == null ? b == null : a.equals(b);
  }

  private static boolean equal(String a, String b, @Nullable Frame frame) {
    if (frame != null && a.length() == b.length()) {
      frame.spend(a.length() >> 4);
    }
    return a.equals(b);
  }

  private static boolean equal(List<?> a, List<?> b, @Nullable Frame frame) {
    if (a.size() != b.size()) {
      return false;
    }
    Frame.count(frame, a.size());
    for (int i = 0; i < a.size(); i++) {
      if (!equal(a.get(i), b.get(i), frame)) {
        return false;
      }
    }
    return true;
  }

  private static boolean equal(Map<?, ?> a, Map<?, ?> b, @Nullable Frame frame) {
    if (a.size() != b.size()) {
      return false;
    }
    Frame.count(frame, a.size());
    for (Map.Entry<?, ?> entry : a.entrySet()) {
      Object other = find(b, entry.getKey());
      if (other == Missing.KEY || !equal(entry.getValue(), other, frame)) {
        return false;
      }
    }
    return true;
  }

  /** The value under the key, or {@link Missing#KEY}. */
  static @Nullable Object find(Map<?, ?> map, @Nullable Object key) {
    if (key instanceof String name) {
      Object value = map.get(name);
      return value != null || map.containsKey(name) ? value : Missing.KEY;
    }
    // Only maps written in an expression have other keys, and a sorted map would choke on one.
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      if (equal(entry.getKey(), key, null)) {
        return entry.getValue();
      }
    }
    return Missing.KEY;
  }

  /** What a map has under a key that is not there; null is a value. */
  enum Missing {
    KEY
  }

  /** The keys in an order that does not depend on how the map was made or stored. */
  static List<Object> sortedKeys(Map<?, ?> map) {
    List<Object> keys = new ArrayList<>(map.keySet());
    keys.sort(Values::compareKeys);
    return keys;
  }

  private static int compareKeys(Object a, Object b) {
    if (a instanceof String x && b instanceof String y) {
      return x.compareTo(y);
    }
    if (a instanceof Long x && b instanceof Long y) {
      return x.compareTo(y);
    }
    return (a.getClass().getName() + a).compareTo(b.getClass().getName() + b);
  }

  /**
   * The value as JSON knows it: a double without a fraction is an integer, because that is what it
   * is once it was written down and read again; a timestamp or a duration is whole milliseconds.
   */
  static @Nullable Object json(@Nullable Object value) {
    return json(value, Long.MAX_VALUE);
  }

  /**
   * The same, for a value of at most so many bytes, about.
   *
   * @throws LimitException when it is larger; it is not looked at any further then
   */
  static @Nullable Object json(@Nullable Object value, long bytes) {
    if (value instanceof String text && text.length() > bytes) {
      throw tooLarge(bytes);
    }
    return value instanceof List<?> || value instanceof Map<?, ?>
        ? json(value, 0, new Room(bytes))
        : json(value, 0, Room.ENDLESS);
  }

  private static LimitException tooLarge(long bytes) {
    return new LimitException("%,d bytes in one value".formatted(bytes));
  }

  /** How much a value may still have. */
  private static final class Room {
    static final Room ENDLESS = new Room(Long.MAX_VALUE);

    private final long bytes;
    private long left;

    Room(long bytes) {
      this.bytes = bytes;
      this.left = bytes;
    }

    void take(long more) {
      if (bytes != Long.MAX_VALUE) {
        left -= more;
        if (left < 0) {
          throw tooLarge(bytes);
        }
      }
    }
  }

  private static @Nullable Object json(@Nullable Object value, int level, Room room) {
    if (level >= DEEPEST && (value instanceof List<?> || value instanceof Map<?, ?>)) {
      throw new EvaluationException(
          "Expected a value of at most 200 levels, but this one goes deeper.");
    }
    return switch (value) {
      case null -> null;
      case Boolean _, Long _ -> value;
      case String text -> {
        room.take(text.length() + 2L);
        yield value;
      }
      case Double d -> json(d);
      case List<?> list -> json(list, level + 1, room);
      case Map<?, ?> map -> json(map, level + 1, room);
      case Instant instant ->
          Times.millis("timestamp", instant.getEpochSecond(), instant.getNano());
      case Duration duration -> Times.millis("duration", duration.getSeconds(), duration.getNano());
      case Unknown unknown -> unknown;
      default -> throw new EvaluationException("Expected a JSON value, but this is none.");
    };
  }

  private static Object json(Double number) {
    if (!Double.isFinite(number)) {
      throw new EvaluationException("Expected a finite number, but it is " + number + ".");
    }
    return number == Math.rint(number) && Math.abs(number) <= LARGEST_EXACT
        ? (Object) number.longValue()
        : number;
  }

  private static List<?> json(List<?> list, int level, Room room) {
    List<@Nullable Object> copy = null;
    room.take(2L + 2L * list.size());
    for (int i = 0; i < list.size(); i++) {
      Object item = list.get(i);
      Object normal = json(item, level, room);
      if (normal != item && copy == null) {
        copy = new ArrayList<>(list);
      }
      if (copy != null) {
        copy.set(i, normal);
      }
    }
    return copy == null ? list : Collections.unmodifiableList(copy);
  }

  private static Map<?, ?> json(Map<?, ?> map, int level, Room room) {
    Map<@Nullable Object, @Nullable Object> copy = null;
    room.take(2L + 4L * map.size());
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      if (!(entry.getKey() instanceof String)) {
        throw new EvaluationException(
            "Expected a map with strings as keys, but one key is " + kind(entry.getKey()) + ".");
      }
      Object normal = json(entry.getValue(), level, room);
      if (normal != entry.getValue()) {
        if (copy == null) {
          copy = new LinkedHashMap<>(map);
        }
        copy.put(entry.getKey(), normal);
      }
    }
    return copy == null ? map : Collections.unmodifiableMap(copy);
  }
}
