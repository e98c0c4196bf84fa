package dev.signalbox.journal;

import java.time.Instant;
import java.time.InstantSource;

/**
 * The clock of a machine as what waits can rely on it: set back, it goes on from where it was, so
 * that who waits for two seconds waits for two. Set forward, it is believed. It stays ahead until
 * it is made anew.
 */
public final class SteadyClock implements InstantSource {
  /** Two threads that look at the same time may see each other's moments in either order. */
  private static final long TOGETHER = 1_000;

  private final InstantSource source;
  private volatile long last;
  private volatile long ahead;

  private SteadyClock(InstantSource source) {
    this.source = source;
    this.last = source.millis();
  }

  /** The source as a steady clock; itself when it is one. */
  public static SteadyClock of(InstantSource source) {
    return source instanceof SteadyClock steady ? steady : new SteadyClock(source);
  }

  @Override
  public long millis() {
    long now = source.millis();
    long before = last;
    if (now >= before) {
      last = now;
      return now + ahead;
    }
    return before - now < TOGETHER ? before + ahead : setBack();
  }

  private synchronized long setBack() {
    long now = source.millis();
    if (last - now >= TOGETHER) {
      ahead += last - now;
      last = now;
    }
    return Math.max(now, last) + ahead;
  }

  @Override
  public Instant instant() {
    return Instant.ofEpochMilli(millis());
  }
}
