package dev.signalbox.testkit.falsify;

import java.util.List;

/** What a random machine is mostly about: each is a place where a proof was wrong once. */
enum Profile {
  /** Names that begin like those the machine waits for. */
  SUFFIX,
  /** An event that is called error, or done. */
  ERROR_EVENT,
  /** What was sent to nobody comes back. */
  BOUNCE,
  /** Whom a start names may be the instance itself, which then hears what it told. */
  TELLS_ITSELF,
  /** A reply is awaited in another region, or where a deadline leads. */
  SIBLING_REPLY,
  /** A reply that a guard refuses is used up. */
  REFUSED_REPLY,
  /** An effect that ends with its state. */
  DURING,
  /** A timer that somebody outside resets again and again. */
  RESET_TIMER,
  /** Numbers that are none. */
  NOT_A_NUMBER,
  /** Whole numbers that no double holds. */
  LARGE_NUMBER,
  /** What is empty and no list. */
  EMPTY_LIST,
  /** No start is accepted. */
  NO_START,
  /** No start is accepted, because an expression in it has no value. */
  FAILING_START,
  /** What only the system, or another machine, may send. */
  SYSTEM_ONLY,
  /** An effect that may be repeated, and of which nobody knows how it ended. */
  UNKNOWN_OUTCOME,
  /** Records that are told apart by a key, an empty one too. */
  KEYED,
  /** Counters and loops with bounds. */
  COUNTER,
  /** Deadlines, delayed sends, clocks that stand still. */
  TIMED,
  /** Anything. */
  ANYTHING;

  /** All of them, each of which may stand beside others in one machine. */
  static final List<Profile> ALL = List.of(values());
}
