package dev.signalbox.testkit;

import java.util.Locale;

/** What a simulation does to the runtime. */
public enum Fault {
  /** A node dies between two of its actions: between claim and handler, or with a group waiting. */
  CRASH,
  /** A node dies in a call of the store, before it has done anything. */
  CRASH_BEFORE_CALL,
  /** A node dies in a call of the store that has done its work. */
  CRASH_AFTER_CALL,
  /** A call of the store fails before it has done anything. */
  CALL_FAILS,
  /** A call of the store does its work, and the answer is lost. */
  ANSWER_LOST,
  /** A call of the store ends with an {@link Error}, before or after its work. */
  CALL_ENDS_IN_ERROR,
  /** An {@link Error} in the middle of what the store writes. */
  ERROR_IN_THE_MIDDLE,
  /** An effect's handler throws an exception. */
  HANDLER_FAILS,
  /** An effect's handler throws an {@link Error}. */
  HANDLER_ENDS_IN_ERROR,
  /** An effect's handler hangs while time passes, perhaps beyond its lease. */
  HANDLER_HANGS,
  /** A node dies while a handler runs, before or after it has done its work. */
  CRASH_IN_HANDLER,
  /** A node is closed while every append fails. */
  CLOSE_IN_TROUBLE,
  /** A row of the store is changed past the runtime, and a sweep puts it right. */
  ROW_CHANGED,
  /** An effect is taken out of the store past the runtime, and a sweep gives it up. */
  EFFECT_TAKEN,
  /** A command is sent again with its key. */
  DUPLICATE,
  /** A node's clock, or the store's, jumps ahead, past deadlines and leases. */
  CLOCK_AHEAD,
  /** A node's clock, or the store's, is set back. */
  CLOCK_BACK;

  /** Whether a part of the house fails, rather than that the world is as it is. */
  public boolean isFailure() {
    return this != DUPLICATE && this != CLOCK_AHEAD && this != CLOCK_BACK;
  }

  /** The fault in words. */
  public String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
