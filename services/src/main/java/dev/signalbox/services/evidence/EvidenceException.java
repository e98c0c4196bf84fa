package dev.signalbox.services.evidence;

/** Evidence that can't be stored, or is not what its hash says. */
public final class EvidenceException extends RuntimeException {
  /** What is wrong. */
  public enum Reason {
    /** It is not there. */
    MISSING,
    /** Its bytes have another hash. */
    ALTERED,
    /** It is larger than a limit allows. */
    TOO_LARGE,
    /** The disk refused. */
    UNREADABLE
  }

  private final Reason reason;

  EvidenceException(Reason reason, String message) {
    super(message);
    this.reason = reason;
  }

  EvidenceException(Reason reason, String message, Throwable cause) {
    super(message, cause);
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }
}
