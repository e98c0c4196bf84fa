package dev.signalbox.services.worker;

import dev.signalbox.services.task.Cause;

/** A task failed, and its handler knows why. */
public final class TaskException extends Exception {
  private static final long serialVersionUID = 1;

  private final Cause cause;

  public TaskException(Cause cause, String message) {
    super(message);
    this.cause = cause;
  }

  /** Why it failed, which decides whether it is tried again. */
  public Cause why() {
    return cause;
  }
}
