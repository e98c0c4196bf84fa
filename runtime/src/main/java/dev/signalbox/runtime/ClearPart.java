package dev.signalbox.runtime;

import dev.signalbox.definition.Json;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What of a sealed instance's entry may be read by everyone: what the machine itself says, who did
 * it and when. It is chosen by what may stay, not by what must go, so that a field which is new in
 * the format is sealed until someone decides otherwise.
 */
final class ClearPart {
  private static final Shape WHOLE = (_, value) -> value;

  private static final Shape EVENT =
      object(
          Map.of(
              "actor", WHOLE,
              "invoke_id", WHOLE,
              "kind", WHOLE,
              "name", WHOLE,
              "origin", WHOLE,
              "origin_type", WHOLE,
              "send_id", WHOLE,
              "data", ClearPart::data));

  private static final Shape CHILD =
      object(Map.of("id", WHOLE, "instance", WHOLE, "machine", WHOLE));

  private static final Shape ENTRY =
      object(
          Map.ofEntries(
              Map.entry("after", WHOLE),
              Map.entry("at", WHOLE),
              Map.entry("cause", WHOLE),
              Map.entry("children", list(object(Map.of("started", CHILD, "cancelled", CHILD)))),
              Map.entry("code", WHOLE),
              Map.entry(
                  "effects",
                  list(
                      object(
                          Map.of(
                              "idempotent", WHOLE,
                              "key", WHOLE,
                              "name", WHOLE,
                              "reply", WHOLE,
                              "retry", WHOLE)))),
              Map.entry("ended", WHOLE),
              Map.entry("event", EVENT),
              Map.entry(
                  "guards",
                  list(
                      object(Map.of("answer", WHOLE, "from", WHOLE, "guard", WHOLE, "on", WHOLE)))),
              Map.entry("instance", WHOLE),
              Map.entry("key", WHOLE),
              Map.entry("kind", WHOLE),
              Map.entry("machine", WHOLE),
              Map.entry(
                  "microsteps",
                  list(object(Map.of("entered", WHOLE, "exited", WHOLE, "taken", WHOLE)))),
              Map.entry("parent", WHOLE),
              Map.entry("records", list(object(Map.of("kind", WHOLE)))),
              Map.entry("sequence", WHOLE),
              Map.entry("states", WHOLE),
              Map.entry(
                  "timers",
                  list(
                      object(
                          Map.of(
                              "cancelled", WHOLE,
                              "fired", WHOLE,
                              "scheduled",
                                  object(Map.of("due", WHOLE, "id", WHOLE, "state", WHOLE)))))),
              Map.entry(
                  "violations", list(object(Map.of("invariant", WHOLE, "severity", WHOLE))))));

  private ClearPart() {}

  /** What may stay of a value. */
  private interface Shape {
    /**
     * @param kind of the whole entry
     */
    @Nullable Object of(String kind, Object value);
  }

  private static Shape object(Map<String, Shape> fields) {
    return (kind, value) -> {
      if (!(value instanceof Map<?, ?> map)) {
        return null;
      }
      Map<String, @Nullable Object> clear = new TreeMap<>();
      fields.forEach((name, shape) -> {
        Object field = map.get(name);
        Object kept = field == null ? null : shape.of(kind, field);
        if (kept != null) {
          clear.put(name, kept);
        }
      });
      return clear;
    };
  }

  private static Shape list(Shape item) {
    return (kind, value) -> {
      if (!(value instanceof List<?> list)) {
        return null;
      }
      List<@Nullable Object> clear = new ArrayList<>(list.size());
      list.forEach(one -> clear.add(item.of(kind, Objects.requireNonNull(one))));
      return clear;
    };
  }

  /** What an event brings is sealed, but for where a fork began and what a migration maps. */
  private static @Nullable Object data(String kind, Object value) {
    return switch (kind) {
      case "fork" ->
          object(Map.of("hash", WHOLE, "instance", WHOLE, "sequence", WHOLE)).of(kind, value);
      case "migrate" -> object(Map.of("states", WHOLE, "to", WHOLE)).of(kind, value);
      default -> null;
    };
  }

  /** The clear part of an entry. */
  @SuppressWarnings("unchecked")
  static Map<String, @Nullable Object> of(byte[] body) {
    Map<?, ?> entry = read(body);
    return (Map<String, @Nullable Object>)
        Objects.requireNonNull(ENTRY.of(String.valueOf(entry.get("kind")), entry));
  }

  /** An entry, or a part of one, as its values. */
  static Map<?, ?> read(byte[] body) {
    try {
      return (Map<?, ?>)
          Objects.requireNonNull(Json.parse(new String(body, StandardCharsets.UTF_8)));
    } catch (Json.SyntaxException e) {
      throw new IllegalStateException("Expected an entry to be JSON, but it is not.", e);
    }
  }
}
