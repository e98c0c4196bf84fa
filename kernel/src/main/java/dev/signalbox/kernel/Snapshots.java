package dev.signalbox.kernel;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Snapshots as JSON values and back. States, fields and timers are written by name, so a snapshot
 * outlives the tables it was made with; what is empty is left out.
 */
public final class Snapshots {
  private Snapshots() {}

  /** The snapshot as a map of JSON values. */
  public static Map<String, @Nullable Object> toValue(Snapshot snapshot) {
    return parts(snapshot, snapshot.context().asMap());
  }

  /** The same, but with the {@link Context} itself, for who writes it without a map between. */
  public static Map<String, @Nullable Object> parts(Snapshot snapshot) {
    return parts(snapshot, snapshot.context());
  }

  private static Map<String, @Nullable Object> parts(Snapshot snapshot, Object context) {
    Map<String, @Nullable Object> value = new LinkedHashMap<>();
    Snapshot.Memory memory = snapshot.memory();
    value.put("instance", snapshot.instance());
    putUnless(value, "parent", snapshot.parent(), snapshot.parent() == null);
    value.put("states", snapshot.configuration().leaves());
    value.put("context", context);
    putUnless(value, "done", true, !snapshot.done());
    putUnless(value, "history", memory.history(), memory.history().isEmpty());
    putUnless(value, "timers", each(memory.timers(), Snapshots::timer), memory.timers().isEmpty());
    putUnless(value, "remaining", memory.remaining(), memory.remaining().isEmpty());
    putUnless(
        value, "children", each(memory.children(), Snapshots::child), memory.children().isEmpty());
    putUnless(value, "monitors", memory.monitors(), memory.monitors().isEmpty());
    putUnless(value, "bound", memory.bound(), memory.bound().isEmpty());
    putUnless(value, "ids", memory.ids(), memory.ids() == 0);
    putUnless(value, "output", memory.output(), memory.output() == null);
    return Collections.unmodifiableMap(value);
  }

  /**
   * The snapshot that {@link #toValue} wrote.
   *
   * @throws IllegalArgumentException when the value is not a snapshot of the chart's machine
   */
  public static Snapshot fromValue(Chart chart, Map<String, ? extends @Nullable Object> value) {
    try {
      @Nullable Object[] slots = new Object[chart.layout.size()];
      Arrays.fill(slots, Context.ABSENT);
      for (Map.Entry<?, ?> field : map(value.get("context")).entrySet()) {
        int slot = chart.layout.index((String) field.getKey());
        if (slot < 0) {
          throw new IllegalArgumentException(
              "Expected a context of machine '%s', but it declares no field '%s'."
                  .formatted(chart.machine.name(), field.getKey()));
        }
        slots[slot] = field.getValue();
      }
      Map<String, List<String>> history = fields(value.get("history"), Snapshots::texts);
      Map<String, Long> remaining = fields(value.get("remaining"), v -> (Long) v);
      Map<String, Object> monitors = fields(value.get("monitors"), v -> v);
      List<Timer> timers = each(list(value.get("timers")), v -> timer(map(v)));
      List<ChildChange.Invocation> children = each(list(value.get("children")), v -> child(map(v)));
      Object ids = value.get("ids");
      return new Snapshot(
          text(value, "instance"),
          (String) value.get("parent"),
          chart.configurationOf(texts(value.get("states"))),
          new Context(chart.layout, slots),
          Boolean.TRUE.equals(value.get("done")),
          new Snapshot.Memory(
              history,
              timers,
              remaining,
              children,
              monitors,
              texts(value.get("bound")),
              ids == null ? 0 : (Long) ids,
              value.get("output")));
    } catch (ClassCastException | NullPointerException e) {
      throw new IllegalArgumentException(
          "Expected a snapshot of machine '%s', but a part of it has another form."
              .formatted(chart.machine.name()),
          e);
    }
  }

  private static <V> Map<String, V> fields(@Nullable Object value, Function<Object, V> form) {
    Map<?, ?> map = map(value);
    if (map.isEmpty()) {
      return Map.of();
    }
    Map<String, V> fields = new LinkedHashMap<>();
    map.forEach((k, v) -> fields.put((String) k, form.apply(v)));
    return Collections.unmodifiableMap(fields);
  }

  /** Without a stream, which costs more than a few items do. */
  private static <T, V> List<V> each(List<T> items, Function<T, V> form) {
    if (items.isEmpty()) {
      return List.of();
    }
    List<V> formed = new ArrayList<>(items.size());
    for (T item : items) {
      formed.add(form.apply(item));
    }
    return List.copyOf(formed);
  }

  private static Map<String, @Nullable Object> timer(Timer timer) {
    Map<String, @Nullable Object> value = new LinkedHashMap<>();
    value.put("id", timer.id());
    putUnless(value, "send_id", timer.sendId(), timer.sendId() == null);
    putUnless(value, "state", timer.state(), timer.state() == null);
    value.put("due", timer.due());
    value.put("to", timer.message().to());
    value.put("event", event(timer.message().event()));
    return value;
  }

  private static Timer timer(Map<?, ?> value) {
    return new Timer(
        text(value, "id"),
        (String) value.get("send_id"),
        (String) value.get("state"),
        value.get("due") instanceof Long due ? due : 0,
        new Step.Message(text(value, "to"), event(map(value.get("event")))));
  }

  /** The event as a map of JSON values. */
  public static Map<String, @Nullable Object> event(Event event) {
    Map<String, @Nullable Object> value = new LinkedHashMap<>();
    value.put("name", event.name());
    value.put("kind", event.kind().word());
    putUnless(value, "data", event.data(), event.data() == null);
    Actor actor = event.actor();
    if (actor != null) {
      value.put(
          "actor",
          Map.of(
              "kind",
              actor.kind().name().toLowerCase(java.util.Locale.ROOT),
              "name",
              actor.name(),
              "roles",
              actor.roles()));
    }
    putUnless(value, "send_id", event.sendId(), event.sendId() == null);
    putUnless(value, "origin", event.origin(), event.origin() == null);
    putUnless(value, "origin_type", event.originType(), event.originType() == null);
    putUnless(value, "invoke_id", event.invokeId(), event.invokeId() == null);
    return value;
  }

  /** The event that {@link #event(Event)} wrote. */
  public static Event event(Map<?, ?> value) {
    Map<?, ?> actor = map(value.get("actor"));
    return new Event(
        text(value, "name"),
        Event.Kind.of(text(value, "kind")),
        value.get("data"),
        actor.isEmpty()
            ? null
            : new Actor(
                Actor.Kind.valueOf(text(actor, "kind").toUpperCase(java.util.Locale.ROOT)),
                text(actor, "name"),
                texts(actor.get("roles"))),
        (String) value.get("send_id"),
        (String) value.get("origin"),
        (String) value.get("origin_type"),
        (String) value.get("invoke_id"));
  }

  private static Map<String, @Nullable Object> child(ChildChange.Invocation child) {
    Map<String, @Nullable Object> value = new LinkedHashMap<>();
    value.put("id", child.id());
    value.put("state", child.state());
    value.put("number", (long) child.number());
    value.put("instance", child.instance());
    return value;
  }

  private static ChildChange.Invocation child(Map<?, ?> value) {
    Object number = value.get("number");
    return new ChildChange.Invocation(
        text(value, "id"),
        text(value, "state"),
        number instanceof Long n ? n.intValue() : 0,
        text(value, "instance"));
  }

  private static void putUnless(
      Map<String, @Nullable Object> map, String key, @Nullable Object value, boolean absent) {
    if (!absent) {
      map.put(key, value);
    }
  }

  private static String text(Map<?, ?> value, String key) {
    if (value.get(key) instanceof String text) {
      return text;
    }
    throw new IllegalArgumentException(
        "Expected a text under '%s', but found none.".formatted(key));
  }

  private static Map<?, ?> map(@Nullable Object value) {
    return value == null ? Map.of() : (Map<?, ?>) value;
  }

  private static List<?> list(@Nullable Object value) {
    return value == null ? List.of() : (List<?>) value;
  }

  private static List<String> texts(@Nullable Object value) {
    return each(list(value), v -> (String) v);
  }
}
