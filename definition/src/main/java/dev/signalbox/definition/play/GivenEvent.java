package dev.signalbox.definition.play;

import dev.signalbox.definition.Json;
import dev.signalbox.definition.Place;
import dev.signalbox.definition.Problems;
import dev.signalbox.definition.Source;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.machine.Durations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An event that play sends to the root instance.
 *
 * @param after how long to wait before it, firing what falls due; null means not at all
 */
public record GivenEvent(
    String event, @Nullable Object data, @Nullable Duration after, @Nullable Actor actor) {

  private static final Set<String> KEYS = Set.of("event", "data", "after", "actor");

  /**
   * Events from JSON lines such as {@code {"event":"pay","data":{"cents":5},"after":"5m"}}. An
   * actor is a name, or an object with {@code kind}, {@code name} and {@code roles}.
   */
  public static List<GivenEvent> read(Source source, Problems problems) {
    List<GivenEvent> events = new ArrayList<>();
    int number = 0;
    for (String line : source.text().lines().toList()) {
      number++;
      if (!line.isBlank()) {
        GivenEvent event = read(line, new Place(number, 1), problems);
        if (event != null) {
          events.add(event);
        }
      }
    }
    return events;
  }

  private static @Nullable GivenEvent read(String line, Place place, Problems problems) {
    Object value;
    try {
      value = Json.parse(line);
    } catch (Json.SyntaxException e) {
      problems.error(
          "not-json",
          new Place(place.line(), e.place().column()),
          "Expected an event as JSON on one line, but found something else.",
          "");
      return null;
    }
    if (!(value instanceof Map<?, ?> map) || !(map.get("event") instanceof String name)) {
      problems.error(
          "not-an-event", place, "Expected an object with the key 'event', but found none.", "");
      return null;
    }
    for (Object key : map.keySet()) {
      if (!KEYS.contains(String.valueOf(key))) {
        problems.error(
            "unknown-key",
            place,
            "Expected event, data, after or actor, but found '" + key + "'.",
            "");
      }
    }
    return new GivenEvent(
        name, map.get("data"), after(map, place, problems), actor(map, place, problems));
  }

  private static @Nullable Duration after(Map<?, ?> map, Place place, Problems problems) {
    Object after = map.get("after");
    if (after == null) {
      return null;
    }
    Optional<Duration> duration = Durations.parse(String.valueOf(after));
    if (duration.isEmpty()) {
      problems.error(
          "not-a-duration",
          place,
          "Expected a duration such as 5m, but found '" + after + "'.",
          "");
    }
    return duration.orElse(null);
  }

  private static @Nullable Actor actor(Map<?, ?> map, Place place, Problems problems) {
    Object actor = map.get("actor");
    if (actor == null) {
      return null;
    }
    if (actor instanceof String name) {
      return new Actor(Actor.Kind.USER, name, List.of());
    }
    if (actor instanceof Map<?, ?> parts && parts.get("name") instanceof String name) {
      Object kind = parts.get("kind");
      List<String> roles = new ArrayList<>();
      if (parts.get("roles") instanceof List<?> list) {
        list.forEach(role -> roles.add(String.valueOf(role)));
      }
      for (Actor.Kind known : Actor.Kind.values()) {
        if (kind == null || known.name().toLowerCase(Locale.ROOT).equals(kind)) {
          return new Actor(known, name, roles);
        }
      }
    }
    problems.error(
        "not-an-actor",
        place,
        "Expected an actor's name, or its kind (user, agent, system, timer), name and roles, but"
            + " found something else.",
        "");
    return null;
  }
}
