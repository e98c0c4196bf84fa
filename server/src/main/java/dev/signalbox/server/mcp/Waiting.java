package dev.signalbox.server.mcp;

import dev.signalbox.runtime.Instance;
import dev.signalbox.server.api.Desk;
import dev.signalbox.services.system.Caller;
import dev.signalbox.services.system.Fields;
import dev.signalbox.services.system.ProblemException;
import dev.signalbox.services.system.Schema;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/** The tool that waits until an instance has come somewhere, and not for ever. */
final class Waiting {
  static final String DESCRIPTION =
      "Wait until the instance is in a state, an event has happened, or anything has changed. It"
          + " answers with where the instance stands, also when the time is over ('reached' is"
          + " false then) or the instance has ended.";

  /** Less than a client that keeps silent is waited for, and than most clients wait themselves. */
  private static final long MOST_SECONDS = 25;

  private static final long SECONDS = 15;

  /** How long at most until it looks without a hint, for commits of other nodes. */
  private static final long LOOK_MS = 1_000;

  private static final int MOST_WAITING = 1_000;

  private final Desk desk;
  private final Pulse pulse;
  private final InstantSource clock;
  private final Semaphore places = new Semaphore(MOST_WAITING);

  Waiting(Desk desk, Pulse pulse, InstantSource clock) {
    this.desk = desk;
    this.pulse = pulse;
    this.clock = clock;
  }

  /** The schema with what may be waited for. */
  static Schema fields(Schema schema) {
    return schema
        .maybe("state", Schema.TEXT.described("Until it is in this state."))
        .maybe("event", Schema.TEXT.described("Until this event has happened."))
        .maybe(
            "after_sequence",
            Schema.WHOLE.described(
                "What you saw last: later events and changes count. Now, if not said."))
        .maybe(
            "seconds",
            Schema.WHOLE.described(
                "How long, 0 to %d; %d if not said.".formatted(MOST_SECONDS, SECONDS)));
  }

  Map<String, @Nullable Object> await(String id, Fields fields, Caller caller)
      throws InterruptedException {
    Long given = fields.numberOrNull("seconds");
    long seconds = given == null ? SECONDS : given;
    if (seconds < 0 || seconds > MOST_SECONDS) {
      throw ProblemException.badRequest(
          "Expected to wait 0 to %d seconds, but was asked for %d. Wait again if it takes longer."
              .formatted(MOST_SECONDS, seconds));
    }
    String state = fields.textOrNull("state");
    String event = fields.textOrNull("event");
    Long after = fields.numberOrNull("after_sequence");
    if (!places.tryAcquire()) {
      throw ProblemException.of(
          429, "busy", "Expected to wait, but too many do.", "Read the instance instead.");
    }
    try {
      return await(id, state, event, after, seconds, caller);
    } finally {
      places.release();
    }
  }

  private Map<String, @Nullable Object> await(
      String id,
      @Nullable String state,
      @Nullable String event,
      @Nullable Long after,
      long seconds,
      Caller caller)
      throws InterruptedException {
    long until = clock.millis() + seconds * 1_000;
    long seen = pulse.beats();
    Instance now = desk.visible(id, caller);
    long from = after == null ? now.sequence() : after;
    long looked = from;
    while (true) {
      boolean reached;
      if (state == null && event == null) {
        reached = now.sequence() > from;
      } else {
        boolean there = state != null && now.states().contains(state);
        reached = there || happened(now, event, looked + 1);
      }
      looked = Math.max(looked, now.sequence());
      long left = until - clock.millis();
      if (reached
          || left <= 0
          || now.status().equals("ended")
          || !pulse.awaitAfter(seen, Math.min(left, LOOK_MS))) {
        Map<String, @Nullable Object> view = desk.view(now, caller);
        view.put("reached", reached);
        return view;
      }
      seen = pulse.beats();
      now = desk.visible(id, caller);
    }
  }

  private boolean happened(Instance now, @Nullable String event, long first) {
    return event != null && desk.happened(now, event, first, now.sequence());
  }
}
