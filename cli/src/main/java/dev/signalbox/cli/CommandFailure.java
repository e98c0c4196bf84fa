package dev.signalbox.cli;

/** A command that cannot do what was asked; the message is for the person who asked. */
final class CommandFailure extends RuntimeException {
  CommandFailure(String message) {
    super(message);
  }

  @Override
  public String getMessage() {
    return java.util.Objects.requireNonNull(super.getMessage());
  }
}
