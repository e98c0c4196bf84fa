package dev.signalbox.testkit;

import java.util.Locale;

/** What a simulation does to the runtime. */
public enum Fault {
  /** A call of the store fails before it has done anything. */
  CALL_FAILS(Kind.STORE),
  /** A call of the store ends with an exception that no store should throw. */
  CALL_BREAKS(Kind.STORE),
  /** A call of the store does its work, and the answer is lost. */
  ANSWER_LOST(Kind.STORE),
  /** A call of the store ends with an {@link Error} before it has done anything. */
  ERROR_BEFORE_CALL(Kind.STORE),
  /** A call of the store ends with an {@link Error} after its work. */
  ERROR_AFTER_CALL(Kind.STORE),
  /** An {@link Error} in the middle of what the store writes. */
  ERROR_IN_THE_MIDDLE(Kind.STORE),
  /** A node dies between two of its actions: between claim and handler, or with a group waiting. */
  CRASH(Kind.PROCESS),
  /** A node dies in a call of the store, before it has done anything. */
  CRASH_BEFORE_CALL(Kind.PROCESS),
  /** A node dies in the middle of what the store writes; a file has only a part of it. */
  CRASH_IN_CALL(Kind.PROCESS),
  /** A node dies in a call of the store that has done its work. */
  CRASH_AFTER_CALL(Kind.PROCESS),
  /** A node dies while a handler runs, before or after it has done its work. */
  CRASH_IN_HANDLER(Kind.PROCESS),
  /** A node is closed while every append fails. */
  CLOSE_IN_TROUBLE(Kind.PROCESS),
  /** An effect's handler throws an exception. */
  HANDLER_FAILS(Kind.HANDLER),
  /** An effect's handler throws an {@link Error}. */
  HANDLER_ENDS_IN_ERROR(Kind.HANDLER),
  /** An effect's handler hangs while time passes, perhaps beyond its lease. */
  HANDLER_HANGS(Kind.HANDLER),
  /** A row of the store is changed past the runtime, and a sweep puts it right. */
  ROW_CHANGED(Kind.TAMPERING),
  /** An effect is taken out of the store past the runtime, and a sweep gives it up. */
  EFFECT_TAKEN(Kind.TAMPERING),
  /** A command is sent again with its key. */
  DUPLICATE(Kind.CIRCUMSTANCE),
  /** A node's clock, or the store's, jumps ahead, past deadlines and leases. */
  CLOCK_AHEAD(Kind.CIRCUMSTANCE),
  /** A node's clock, or the store's, is set back. */
  CLOCK_BACK(Kind.CIRCUMSTANCE);

  private final Kind kind;

  Fault(Kind kind) {
    this.kind = kind;
  }

  /** What it is that goes wrong. */
  public enum Kind {
    /** A call of the store. */
    STORE,
    /** A node's process. */
    PROCESS,
    /** What does an effect. */
    HANDLER,
    /** Nothing, but somebody changes the store. */
    TAMPERING,
    /** Nothing: the world is as it is. */
    CIRCUMSTANCE
  }

  public Kind kind() {
    return kind;
  }

  /** Whether the store or a process fails. */
  public boolean isFailure() {
    return kind == Kind.STORE || kind == Kind.PROCESS;
  }

  /** The fault in words. */
  public String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
