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
  record Replied(Pending.Work work, String outcome) implements Occurrence {
    String event() {
      return work.reply() + "." + outcome;
    }
  }

  /** A child ends. */
  record ChildEnded(String child) implements Occurrence {}

  /** A child could not be started or reached. */
  record ChildLost(String child) implements Occurrence {}

  /** A child sends an event. */
  record ChildSent(String child, String event) implements Occurrence {}

  /** A child that was cancelled had ended already, and the news of it arrives late. */
  record StrayEnded(String child) implements Occurrence {}

  /** What the instance told somebody else did not arrive, or was not permitted. */
  record Bounced() implements Occurrence {}

  /** What the instance told somebody arrives at itself, past the door. */
  record Echoed(String event) implements Occurrence {}

  /** Somebody ends the instance from outside. */
  record Cancelled() implements Occurrence {}

  /** An event that the instance sent to itself arrives. */
  record Delivered(Event event) implements Occurrence {}

  /**
   * Whether it happens without anybody from outside. Effects and children end sooner or later;
   * timers fall due.
   */
  default boolean isInside() {
    return switch (this) {
      case Started _, Sent _, ChildSent _, StrayEnded _, Bounced _, Echoed _, Cancelled _ -> false;
      case Due _, Replied _, ChildEnded _, ChildLost _, Delivered _ -> true;
    };
  }

  /** Whether it is over once it was tried, also where the machine refused it. */
  default boolean isUsedUp() {
    return switch (this) {
      case Replied _, StrayEnded _, Bounced _, Delivered _ -> true;
      case Started _,
          Sent _,
          ChildSent _,
          Due _,
          ChildEnded _,
          ChildLost _,
          Echoed _,
          Cancelled _ ->
          false;
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
      case StrayEnded(String child) -> "done.invoke." + child;
      case ChildLost _, Bounced _ -> Alphabet.BOUNCED;
      case Cancelled _ -> "(cancel)";
      case ChildSent(String _, String event) -> event;
      case Echoed(String event) -> event;
      case Delivered(Event event) -> event.name();
    };
  }
}
