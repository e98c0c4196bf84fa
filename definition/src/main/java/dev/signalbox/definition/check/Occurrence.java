package dev.signalbox.definition.check;

import dev.signalbox.kernel.Event;

/** What makes an instance take a step, as the exploration sees it: without data and clock. */
sealed interface Occurrence {

  /**
   * The instance starts.
   *
   * @param input whether its fields without a declared value get one
   */
  record Started(boolean input) implements Occurrence {}

  /** Somebody sends an event. */
  record Sent(String event) implements Occurrence {}

  /** A timer falls due. */
  record Due(String timer, String event) implements Occurrence {}

  /** An effect ends. */
  record Replied(String reply, String outcome) implements Occurrence {
    String event() {
      return reply + "." + outcome;
    }
  }

  /** A child ends. */
  record ChildEnded(String child) implements Occurrence {}

  /** A child could not be started or reached. */
  record ChildLost(String child) implements Occurrence {}

  /** A child sends an event. */
  record ChildSent(String child, String event) implements Occurrence {}

  /** An event that the instance sent to itself arrives. */
  record Delivered(Event event) implements Occurrence {}

  /**
   * Whether it happens without anybody from outside. Effects and children end sooner or later;
   * timers fall due.
   */
  default boolean isInside() {
    return switch (this) {
      case Started _, Sent _, ChildSent _ -> false;
      case Due _, Replied _, ChildEnded _, ChildLost _, Delivered _ -> true;
    };
  }

  /** The occurrence for a person. */
  default String text() {
    return switch (this) {
      case Started _ -> "start";
      case Sent(String event) -> event;
      case Due(String _, String event) -> event;
      case Replied replied -> replied.event();
      case ChildEnded(String child) -> "done.invoke." + child;
      case ChildLost(String _) -> "error.communication";
      case ChildSent(String _, String event) -> event;
      case Delivered(Event event) -> event.name();
    };
  }
}
