package dev.signalbox.kernel;

/** An expression that has no value in its scope. Cheap to throw: it has no stack trace. */
public final class EvaluationException extends RuntimeException {
  public EvaluationException(String message) {
    super(message, null, false, false);
  }
}
