package dev.signalbox.server.access;

import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How often someone may do something: a bucket for each name that fills at a rate and holds a
 * burst. Names are forgotten oldest first, so strangers can't make it grow.
 */
public final class RateLimit {
  private static final int MOST = 10_000;

  private final double perMilli;
  private final double burst;
  private final InstantSource clock;
  private final Map<String, Bucket> buckets =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Bucket> eldest) {
          return size() > MOST;
        }
      };

  private static final class Bucket {
    double left;
    long at;

    Bucket(double left, long at) {
      this.left = left;
      this.at = at;
    }
  }

  public RateLimit(double perSecond, double burst, InstantSource clock) {
    this.perMilli = perSecond / 1_000;
    this.burst = burst;
    this.clock = clock;
  }

  /** Takes one; false when there is none left. */
  public boolean take(String name) {
    return draw(name, 1);
  }

  /** Whether one could be taken. */
  public boolean hasLeft(String name) {
    return draw(name, 0);
  }

  private boolean draw(String name, int count) {
    long now = clock.millis();
    synchronized (buckets) {
      Bucket bucket = buckets.computeIfAbsent(name, _ -> new Bucket(burst, now));
      bucket.left = Math.min(burst, bucket.left + Math.max(0, now - bucket.at) * perMilli);
      bucket.at = now;
      if (bucket.left < 1) {
        return false;
      }
      bucket.left -= count;
      return true;
    }
  }
}
