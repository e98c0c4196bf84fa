package dev.signalbox.runtime;

import dev.signalbox.kernel.Rejection;

/** A rejection where the caller asked for something that is only there when it is not refused. */
public final class RejectedException extends RuntimeException {
  private final transient Rejection rejection;

  public RejectedException(Rejection rejection) {
    super(rejection.message());
    this.rejection = rejection;
  }

  public Rejection rejection() {
    return rejection;
  }
}
