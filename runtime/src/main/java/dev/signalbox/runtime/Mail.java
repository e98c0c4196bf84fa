package dev.signalbox.runtime;

import dev.signalbox.definition.Json;
import dev.signalbox.journal.MessageRow;
import dev.signalbox.kernel.CanonicalJson;
import dev.signalbox.kernel.Event;
import dev.signalbox.kernel.Snapshots;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What instances ask of one another, and how a message says it. */
sealed interface Mail {

  /** An event. */
  record Post(Event event) implements Mail {}

  /**
   * The result of an effect that ends with a state, which came while the instance stood still.
   *
   * @param during the state; the instance was in it
   * @param after how many steps the instance had then
   */
  record Result(Event event, String during, long after) implements Mail {}

  /**
   * Come into being as a child of the sender.
   *
   * @param machine a reference, as {@link Machines#find} takes it; null when none could be made
   * @param why there is none
   */
  record Birth(@Nullable String machine, Map<String, @Nullable Object> input, @Nullable String why)
      implements Mail {}

  /** End, with everything below. */
  record End() implements Mail {}

  /** What an effect reports to an instance that stands still, after so many steps of it. */
  static Mail result(Event event, @Nullable String during, long after) {
    return during == null ? new Post(event) : new Result(event, during, after);
  }

  /** The mail as a message's body. */
  static byte[] body(Mail mail) {
    Map<String, @Nullable Object> value = new LinkedHashMap<>();
    switch (mail) {
      case Post(Event event) -> value.put("event", Snapshots.event(event));
      case Result result -> {
        value.put("after", result.after());
        value.put("during", result.during());
        value.put("event", Snapshots.event(result.event()));
      }
      case Birth birth -> {
        Map<String, @Nullable Object> start = new LinkedHashMap<>();
        start.put("input", birth.input());
        start.put("machine", birth.machine());
        start.put("why", birth.why());
        value.put("start", start);
      }
      case End() -> value.put("cancel", true);
    }
    return CanonicalJson.bytes(value);
  }

  /** The mail that the message brings. */
  static Mail of(MessageRow message) {
    try {
      Map<?, ?> value = (Map<?, ?>) Json.parse(new String(message.body(), StandardCharsets.UTF_8));
      if (value != null && value.get("event") instanceof Map<?, ?> event) {
        return value.get("during") instanceof String during && value.get("after") instanceof Long n
            ? new Result(Snapshots.event(event), during, n)
            : new Post(Snapshots.event(event));
      }
      if (value != null && value.get("start") instanceof Map<?, ?> start) {
        @SuppressWarnings("unchecked")
        Map<String, @Nullable Object> input = (Map<String, @Nullable Object>) start.get("input");
        return new Birth(
            (String) start.get("machine"),
            input == null ? Map.of() : input,
            (String) start.get("why"));
      }
      return new End();
    } catch (Json.SyntaxException e) {
      throw new IllegalStateException(
          "Expected message %d to be JSON, but it is not.".formatted(message.number()), e);
    }
  }
}
