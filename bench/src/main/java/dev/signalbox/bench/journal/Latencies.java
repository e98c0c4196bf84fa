package dev.signalbox.bench.journal;

import java.util.concurrent.atomic.AtomicLongArray;

/** Latencies in buckets that are at most 3 % wide. */
final class Latencies {
  private static final int STEPS = 32;
  private final AtomicLongArray counts = new AtomicLongArray(64 * STEPS);

  void add(long nanos) {
    counts.incrementAndGet(bucket(Math.max(1, nanos)));
  }

  private static int bucket(long nanos) {
    int magnitude = 63 - Long.numberOfLeadingZeros(nanos);
    if (magnitude < 5) {
      return (int) nanos;
    }
    return magnitude * STEPS + (int) ((nanos >>> (magnitude - 5)) & (STEPS - 1));
  }

  private static double nanos(int bucket) {
    int magnitude = bucket / STEPS;
    return magnitude < 5 ? bucket : Math.scalb(1 + (bucket % STEPS + 0.5) / STEPS, magnitude);
  }

  /** The latency in milliseconds that the share of all is not slower than. */
  double millis(double share) {
    long all = 0;
    for (int i = 0; i < counts.length(); i++) {
      all += counts.get(i);
    }
    long wanted = (long) Math.ceil(all * share);
    long seen = 0;
    for (int i = 0; i < counts.length(); i++) {
      seen += counts.get(i);
      if (seen >= wanted && seen > 0) {
        return nanos(i) / 1e6;
      }
    }
    return 0;
  }
}
