package dev.signalbox.systems.runs;

import dev.signalbox.definition.Json;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.runtime.Host;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An entry of a run, as its history tells it.
 *
 * @param at in milliseconds since 1970
 * @param event what caused it
 * @param data of the event; empty when it has none
 * @param states the innermost active states afterwards
 * @param body everything it says
 */
record RunEntry(
    long sequence,
    long at,
    String event,
    Map<String, @Nullable Object> data,
    List<String> states,
    Map<String, @Nullable Object> body) {
  private static final int PAGE = 500;

  /** The whole history of a run. */
  static List<RunEntry> of(Host host, String run) {
    List<RunEntry> entries = new ArrayList<>();
    long from = 1;
    while (true) {
      List<EntryRow> page = host.history(run, from, PAGE);
      page.forEach(row -> entries.add(of(row)));
      if (page.size() < PAGE) {
        return entries;
      }
      from = page.getLast().sequence() + 1;
    }
  }

  static RunEntry of(EntryRow row) {
    try {
      Map<String, @Nullable Object> body =
          map(Json.parse(new String(row.body(), StandardCharsets.UTF_8)));
      Map<String, @Nullable Object> event = map(body.get("event"));
      return new RunEntry(
          row.sequence(),
          body.get("at") instanceof Long at ? at : 0,
          event.get("name") instanceof String name ? name : "",
          map(event.get("data")),
          list(body.get("states")).stream().map(String::valueOf).toList(),
          body);
    } catch (Json.SyntaxException e) {
      throw new IllegalStateException("Expected an entry to be JSON.", e);
    }
  }

  /** A field of the event that caused it, such as its actor. */
  @Nullable Object event(String field) {
    return map(body.get("event")).get(field);
  }

  /** What happened inside: the names of the events, the first of which is the entry's own. */
  List<String> events() {
    List<String> names = new ArrayList<>();
    names.add(event);
    for (Object each : list(body.get("microsteps"))) {
      if (map(map(each).get("event")).get("name") instanceof String name) {
        names.add(name);
      }
    }
    return names;
  }

  /** The states that were entered, in order. */
  List<String> entered() {
    List<String> states = new ArrayList<>();
    for (Object each : list(body.get("microsteps"))) {
      list(map(each).get("entered")).forEach(state -> states.add(String.valueOf(state)));
    }
    return states;
  }

  /** The data of the records of that kind. */
  List<Map<String, @Nullable Object>> records(String kind) {
    List<Map<String, @Nullable Object>> found = new ArrayList<>();
    for (Object each : list(body.get("records"))) {
      if (kind.equals(map(each).get("kind"))) {
        found.add(map(map(each).get("data")));
      }
    }
    return found;
  }

  /** The effects of that name that it asked for, with their inputs. */
  List<Map<String, @Nullable Object>> effects(String... names) {
    List<Map<String, @Nullable Object>> found = new ArrayList<>();
    for (Object each : list(body.get("effects"))) {
      if (List.of(names).contains(String.valueOf(map(each).get("name")))) {
        found.add(map(map(each).get("input")));
      }
    }
    return found;
  }

  /** A context field with its new value; null when it has none. */
  @Nullable Object change(String field) {
    return map(body.get("changes")).get(field);
  }

  static Map<String, @Nullable Object> map(@Nullable Object value) {
    Map<String, @Nullable Object> made = new LinkedHashMap<>();
    if (value instanceof Map<?, ?> map) {
      map.forEach((key, each) -> made.put(String.valueOf(key), each));
    }
    return made;
  }

  static List<?> list(@Nullable Object value) {
    return value instanceof List<?> list ? list : List.of();
  }
}
