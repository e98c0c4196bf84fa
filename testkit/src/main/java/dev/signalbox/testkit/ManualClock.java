package dev.signalbox.testkit;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** A clock that stands still until it is moved. */
public final class ManualClock implements InstantSource {
  private volatile Instant now = Instant.parse("2026-01-01T00:00:00Z");

  @Override
  public Instant instant() {
    return now;
  }

  /** Moves the clock, forwards or backwards. */
  public void advance(Duration time) {
    now = now.plus(time);
  }
}
