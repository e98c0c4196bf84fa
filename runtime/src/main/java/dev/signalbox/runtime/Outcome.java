package dev.signalbox.runtime;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What became of an effect. */
public sealed interface Outcome {

  /** It is done; the data comes back with the event {@code reply.succeeded}. */
  record Succeeded(@Nullable Object data) implements Outcome {}

  /** It can't be done; the data comes back with the event {@code reply.failed}. */
  record Failed(@Nullable Object data) implements Outcome {}

  /** It was not done and may be tried again. */
  record RetryAfter(Duration delay, String why) implements Outcome {}

  /**
   * Nobody knows whether it was done, and it must not be done twice; comes back as {@code
   * reply.unknown}.
   */
  record Unknown(String why) implements Outcome {}

  static Outcome succeeded() {
    return new Succeeded(null);
  }

  static Outcome succeeded(@Nullable Object data) {
    return new Succeeded(data);
  }

  static Outcome failed(@Nullable Object data) {
    return new Failed(data);
  }
}
