package dev.signalbox.services.task;

import java.util.Locale;

/** Why a task failed, which decides whether it is tried again. */
public enum Cause {
  /** It ran longer than it may; only the queue says so. */
  TIMEOUT(true),
  /** Its worker crashed, fell silent or did not start it. */
  WORKER_FAILURE(true),
  /** Something that may be gone the next time. */
  TEMPORARY_ERROR(true),
  /** Its input can't be worked on. */
  INVALID_INPUT(false),
  /** It must not be done. */
  SAFETY_VIOLATION(false),
  /** Anything else that stays as it is. */
  PERMANENT_ERROR(false);

  private final boolean retried;

  Cause(boolean retried) {
    this.retried = retried;
  }

  /** Whether another try may help. */
  public boolean isRetried() {
    return retried;
  }

  /** The cause as machines and JSON write it. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  public static Cause of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }
}
