package dev.signalbox.definition.check;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Finds times for the steps of a sequence so that each timer fires where the sequence says and none
 * fires elsewhere. All conditions bound the difference of two times, so they can be met exactly
 * when the graph of the bounds has no negative cycle (Bellman and Ford).
 */
final class Schedule {
  private record Bound(int from, int to, long most) {}

  private final int steps;
  private final List<Bound> bounds = new ArrayList<>();

  /**
   * @param steps how many there are; the first is the start, at time 0
   */
  Schedule(int steps) {
    this.steps = steps;
    for (int i = 1; i < steps; i++) {
      atLeast(i - 1, i, 0);
    }
  }

  /** The later step comes exactly this long after the earlier one. */
  void exactly(int earlier, int later, long time) {
    atMost(earlier, later, time);
    atLeast(earlier, later, time);
  }

  void atMost(int earlier, int later, long time) {
    bounds.add(new Bound(earlier, later, time));
  }

  void atLeast(int earlier, int later, long time) {
    bounds.add(new Bound(later, earlier, -time));
  }

  /** The earliest times that meet every condition; empty when none do. */
  Optional<long[]> times() {
    // Distances to the start in the reversed graph, negated, are the earliest times.
    long[] slack = new long[steps];
    Arrays.fill(slack, Long.MAX_VALUE / 4);
    slack[0] = 0;
    for (int round = 0; round <= steps; round++) {
      boolean changed = false;
      for (Bound bound : bounds) {
        // time(to) - time(from) <= most, with time = -slack: slack(from) <= slack(to) + most.
        long candidate = slack[bound.to] + bound.most;
        if (candidate < slack[bound.from]) {
          slack[bound.from] = candidate;
          changed = true;
        }
      }
      if (!changed) {
        return slack[0] < 0 ? Optional.empty() : Optional.of(negated(slack));
      }
    }
    return Optional.empty();
  }

  private static long[] negated(long[] slack) {
    long[] times = new long[slack.length];
    for (int i = 0; i < slack.length; i++) {
      times[i] = -slack[i];
    }
    return times;
  }
}
