package dev.signalbox.services.person;

/** Somebody can't be enrolled; the message is for the person who asked. */
public final class EnrolmentException extends RuntimeException {
  EnrolmentException(String message) {
    super(message);
  }
}
