package dev.signalbox.testkit;

import java.util.EnumMap;
import java.util.Map;
import java.util.Random;

/** Whether something goes wrong now, and how often it did. */
final class Mishaps {
  private final Random random;
  private final Map<Fault, Long> counts = new EnumMap<>(Fault.class);
  private boolean over;

  Mishaps(Random random) {
    this.random = random;
  }

  /** The node dies here. */
  static final class Death extends Error {
    Death() {
      super(null, null, false, false);
    }
  }

  boolean chance(int inThousand) {
    return !over && random.nextInt(1_000) < inThousand;
  }

  void count(Fault fault) {
    counts.merge(fault, 1L, Long::sum);
  }

  /** From now on nothing goes wrong. */
  void end() {
    over = true;
  }

  boolean areOver() {
    return over;
  }

  long total() {
    return counts.values().stream().mapToLong(Long::longValue).sum();
  }

  Map<Fault, Long> counts() {
    return new EnumMap<>(counts);
  }
}
