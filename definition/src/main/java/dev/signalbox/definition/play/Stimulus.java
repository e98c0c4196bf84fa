package dev.signalbox.definition.play;

import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.machine.Durations;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One thing that happens to an instance from outside, as a line of {@code play --events}. */
public sealed interface Stimulus {

  /** Values for context fields at the start; only ever first in a sequence. */
  record Start(Map<String, @Nullable Object> input) implements Stimulus {
    public Start {
      input = Collections.unmodifiableMap(new LinkedHashMap<>(input));
    }
  }

  /**
   * An event is sent.
   *
   * @param data a JSON value, or null for none
   * @param actor who sends it, where the machine asks for that
   */
  record Send(String event, @Nullable Object data, @Nullable Actor actor) implements Stimulus {}

  /** Time passes, and what is due in it happens. */
  record Wait(Duration time) implements Stimulus {}

  /** The line as a JSON object. */
  default Map<String, @Nullable Object> line() {
    Map<String, @Nullable Object> line = new LinkedHashMap<>();
    switch (this) {
      case Start(Map<String, @Nullable Object> input) -> line.put("start", input);
      case Send(String event, Object data, Actor actor) -> {
        line.put("event", event);
        if (data != null) {
          line.put("data", data);
        }
        if (actor != null) {
          line.put("actor", actor(actor));
        }
      }
      case Wait(Duration time) -> line.put("after", Durations.text(time));
    }
    return line;
  }

  private static Map<String, @Nullable Object> actor(Actor actor) {
    Map<String, @Nullable Object> line = new LinkedHashMap<>();
    line.put("kind", actor.kind().name().toLowerCase(Locale.ROOT));
    line.put("name", actor.name());
    line.put("roles", actor.roles());
    return line;
  }

  /** The stimulus for a person: the event's name, or how long to wait. */
  default String text() {
    return switch (this) {
      case Start _ -> "start";
      case Send send -> send.event();
      case Wait(Duration time) -> "after " + Durations.text(time);
    };
  }

  /** The sequence for a person. */
  static String text(List<Stimulus> sequence) {
    return sequence.isEmpty()
        ? "at the start"
        : String.join(", ", sequence.stream().map(Stimulus::text).toList());
  }
}
