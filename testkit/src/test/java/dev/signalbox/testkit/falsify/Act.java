package dev.signalbox.testkit.falsify;

import dev.signalbox.definition.Json;
import dev.signalbox.kernel.Actor;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** One thing that happens to an instance in a run. */
sealed interface Act {

  /** Somebody starts it. */
  record Start(Map<String, @Nullable Object> input) implements Act {}

  /**
   * Somebody sends it an event.
   *
   * @param late whether a timer was due before and has not fired yet
   */
  record Send(String event, @Nullable Object data, Actor actor, boolean late) implements Act {}

  /** Several events come at once, before what the first of them sent has arrived anywhere. */
  record Together(List<Send> sends) implements Act {}

  /**
   * An effect with the reply ends, the oldest first.
   *
   * @param outcome succeeded, failed or unknown
   */
  record Conclude(String reply, String outcome, @Nullable Object data) implements Act {}

  /** Whoever the oldest message is for that was not delivered refuses it, so that it comes back. */
  record Bounce() implements Act {}

  /** Time passes. */
  record Wait(Until until) implements Act {}

  /** So much time passes, and every timer fires when it is due. */
  record Sleep(long millis) implements Act {}

  /** How much time. */
  enum Until {
    /** Half of what is left of the next timer, so that none falls due. */
    BEFORE_THE_NEXT_TIMER,
    /** Until the next timer falls due. */
    THE_NEXT_TIMER,
    /** Until all timers are due, before any could fire. */
    THE_LAST_TIMER
  }

  /** Whether it happens without anybody from outside. */
  default boolean isInside() {
    return switch (this) {
      case Start _, Send _, Together _ -> false;
      case Conclude _, Bounce _, Wait _, Sleep _ -> true;
    };
  }

  /** Whether time passes with it. */
  default boolean takesTime() {
    return this instanceof Wait || this instanceof Sleep;
  }

  default String text() {
    return switch (this) {
      case Start(var input) -> "start " + Json.text(input);
      case Send(String event, Object data, Actor actor, boolean late) ->
          "%ssend %s%s by %s %s%s"
              .formatted(
                  late ? "after the next timer is due, before it fires, " : "",
                  event,
                  data == null ? "" : " " + Json.text(data),
                  actor.kind().name().toLowerCase(java.util.Locale.ROOT),
                  actor.name(),
                  actor.roles().isEmpty() ? "" : " " + actor.roles());
      case Together(List<Send> sends) ->
          "at once: " + sends.stream().map(Act::text).collect(Collectors.joining(", "));
      case Conclude(String reply, String outcome, Object data) ->
          "effect %s.%s%s".formatted(reply, outcome, data == null ? "" : " " + Json.text(data));
      case Bounce _ -> "whom it told refuses it";
      case Wait(Until until) ->
          switch (until) {
            case BEFORE_THE_NEXT_TIMER -> "wait, not as long as the next timer";
            case THE_NEXT_TIMER -> "wait for the next timer";
            case THE_LAST_TIMER -> "wait until all timers are due";
          };
      case Sleep(long millis) -> "wait %d ms".formatted(millis);
    };
  }
}
