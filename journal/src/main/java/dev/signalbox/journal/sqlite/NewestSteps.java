package dev.signalbox.journal.sqlite;

import java.util.Arrays;

/**
 * Where the newest steps of instances are that were written lately, so that the next one is put
 * behind them without asking the file. It forgets when two instances want the same place, and
 * everything when a transaction fails.
 */
final class NewestSteps {
  private static final int PLACES = 1 << 16;

  private final long[] instances = new long[PLACES];
  private final long[] positions = new long[PLACES];

  /** The position of the instance's newest step; negative when it is not known. */
  long of(long instance) {
    int place = place(instance);
    return instances[place] == instance ? positions[place] : -1;
  }

  void put(long instance, long position) {
    int place = place(instance);
    instances[place] = instance;
    positions[place] = position;
  }

  void clear() {
    Arrays.fill(instances, 0);
  }

  /** Numbers begin with 1, and those of instances that live at a time are near each other. */
  private static int place(long instance) {
    return (int) instance & (PLACES - 1);
  }
}
