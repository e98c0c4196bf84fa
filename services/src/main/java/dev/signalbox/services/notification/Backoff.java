package dev.signalbox.services.notification;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * How long to wait before the next attempt: twice as long each time, up to a longest, and a random
 * part of half of it, so that receivers that come back are not met by everybody at once.
 */
public record Backoff(Duration first, Duration longest) {

  Duration before(int attempt, RandomGenerator random) {
    long doubled = first.toMillis() << Math.min(Math.max(attempt - 1, 0), 30);
    long whole = doubled < 0 ? longest.toMillis() : Math.min(doubled, longest.toMillis());
    return Duration.ofMillis(whole / 2 + random.nextLong(whole / 2 + 1));
  }
}
