package dev.signalbox.testkit;

import java.util.Locale;

/** What a simulation does to the runtime. */
public enum Fault {
  /** A node dies between two of its actions. */
  CRASH,
  /** A node dies with a group on its way that is not written. */
  CRASH_BEFORE_COMMIT,
  /** A node dies with a group written and nobody told. */
  CRASH_AFTER_COMMIT,
  /** The store refuses a group. */
  STORE_FAILS,
  /** The store writes a group and says that it does not know. */
  OUTCOME_UNKNOWN,
  /** The store can't be read for a moment. */
  READ_FAILS,
  /** A command is sent again with its key. */
  DUPLICATE,
  /** The clock jumps ahead, past deadlines and leases. */
  CLOCK_AHEAD,
  /** The clock jumps back. */
  CLOCK_BACK,
  /** An effect's handler throws. */
  HANDLER_FAILS,
  /** A node dies while a handler runs. */
  CRASH_IN_HANDLER,
  /** A node dies with an erasure written and the key still there, or just destroyed. */
  CRASH_AT_ERASURE,
  /** A row of the store is changed past the runtime, and a sweep puts it right. */
  ROW_CHANGED,
  /** An effect is taken out of the store past the runtime, and a sweep gives it up. */
  EFFECT_TAKEN;

  /** The fault in words. */
  public String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
