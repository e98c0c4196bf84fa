package dev.signalbox.testkit;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** The clock of one node: it goes a little faster or slower than the store's, and jumps. */
final class NodeClock implements InstantSource {
  private final InstantSource store;

  /** So many millionths faster. */
  private final long drift;

  private final long begun;
  private long offset;

  NodeClock(InstantSource store, long drift) {
    this.store = store;
    this.drift = drift;
    this.begun = store.millis();
  }

  void jump(Duration by) {
    offset += by.toMillis();
  }

  @Override
  public Instant instant() {
    long now = store.millis();
    return Instant.ofEpochMilli(now + offset + (now - begun) * drift / 1_000_000);
  }
}
