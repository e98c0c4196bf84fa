package dev.signalbox.definition.play;

import dev.signalbox.definition.Json;
import dev.signalbox.definition.Place;
import dev.signalbox.definition.Problems;
import dev.signalbox.definition.Source;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.machine.Durations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads what happens to an instance from JSON lines: {@code {"event":"pay","data":{"cents":5}}}
 * sends an event, {@code {"after":"5m"}} lets time pass (with an event on the same line: before
 * it), {@code {"start":{"limit":3}}} on the first line gives context fields their values. An actor
 * is a name, or an object with {@code kind}, {@code name} and {@code roles}.
 */
public final class StimulusReader {
  private static final Set<String> KEYS = Set.of("event", "data", "after", "actor", "start");

  private final Problems problems;
  private final List<Stimulus> stimuli = new ArrayList<>();

  private StimulusReader(Problems problems) {
    this.problems = problems;
  }

  /** The stimuli in order; a line that is none is a problem. */
  public static List<Stimulus> read(Source source, Problems problems) {
    StimulusReader reader = new StimulusReader(problems);
    int number = 0;
    for (String line : source.text().lines().toList()) {
      number++;
      if (!line.isBlank()) {
        reader.read(line, new Place(number, 1));
      }
    }
    return List.copyOf(reader.stimuli);
  }

  private void read(String line, Place place) {
    Object value;
    try {
      value = Json.parse(line);
    } catch (Json.SyntaxException e) {
      problems.error(
          "not-json",
          new Place(place.line(), e.place().column()),
          "Expected an event as JSON on one line, but found something else.",
          "");
      return;
    }
    if (!(value instanceof Map<?, ?> map)
        || !(map.containsKey("event") || map.containsKey("after") || map.containsKey("start"))) {
      problems.error(
          "not-an-event",
          place,
          "Expected an object with the key 'event', 'after' or 'start', but found none.",
          "");
      return;
    }
    for (Object key : map.keySet()) {
      if (!KEYS.contains(String.valueOf(key))) {
        problems.error(
            "unknown-key",
            place,
            "Expected event, data, after, actor or start, but found '" + key + "'.",
            "");
      }
    }
    start(map, place);
    Duration after = after(map, place);
    if (after != null) {
      stimuli.add(new Stimulus.Wait(after));
    }
    send(map, place);
  }

  private void start(Map<?, ?> map, Place place) {
    if (!map.containsKey("start")) {
      return;
    }
    if (!stimuli.isEmpty() || !(map.get("start") instanceof Map<?, ?> given)) {
      problems.error(
          "not-a-start",
          place,
          "Expected 'start' with an object on the first line, but found it elsewhere or otherwise.",
          "");
      return;
    }
    Map<String, @Nullable Object> input = new LinkedHashMap<>();
    given.forEach((key, value) -> input.put(String.valueOf(key), value));
    stimuli.add(new Stimulus.Start(input));
  }

  private void send(Map<?, ?> map, Place place) {
    if (!map.containsKey("event")) {
      return;
    }
    if (map.get("event") instanceof String name) {
      stimuli.add(new Stimulus.Send(name, map.get("data"), actor(map, place)));
    } else {
      problems.error(
          "not-an-event", place, "Expected the name of an event, but found something else.", "");
    }
  }

  private @Nullable Duration after(Map<?, ?> map, Place place) {
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

  private @Nullable Actor actor(Map<?, ?> map, Place place) {
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
