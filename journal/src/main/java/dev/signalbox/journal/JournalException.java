package dev.signalbox.journal;

import org.jspecify.annotations.Nullable;

/** The store can't be used as it is now. The message says what was expected, found and to do. */
public final class JournalException extends RuntimeException {
  private final boolean outcomeUnknown;

  public JournalException(String message, @Nullable Throwable cause) {
    this(message, cause, false);
  }

  public JournalException(String message, @Nullable Throwable cause, boolean outcomeUnknown) {
    super(message, cause);
    this.outcomeUnknown = outcomeUnknown;
  }

  /** Whether the commit may have happened all the same; reading tells. */
  public boolean outcomeUnknown() {
    return outcomeUnknown;
  }
}
