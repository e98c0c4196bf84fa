package dev.signalbox.services.tool;

/** A call that we do not make; the message is ours and holds nothing that came from outside. */
final class RefusedException extends IllegalArgumentException {
  RefusedException(String message) {
    super(message);
  }
}
