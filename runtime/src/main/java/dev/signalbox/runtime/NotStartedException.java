package dev.signalbox.runtime;

/**
 * A handler says that it has begun nothing outside: no request left, no file was touched. So the
 * effect is tried again also where it must not be repeated, and has failed when its attempts are
 * used up. Any other exception means that nobody knows.
 */
public final class NotStartedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public NotStartedException(String message) {
    super(message);
  }

  public NotStartedException(String message, Throwable cause) {
    super(message, cause);
  }
}
