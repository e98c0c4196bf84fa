package dev.signalbox.journal.sqlite;

import java.util.Arrays;

/**
 * Where the newest steps of instances are that were written lately, so that the next one is put
 * behind them without asking the file. It forgets when two instances want the same place, and
 * everything when a transaction fails. It grows with the instances there are, up to a limit.
 */
final class NewestSteps {
  private static final int FEWEST = 1 << 12;
  private static final int MOST = 1 << 20;

  private long[] instances = new long[FEWEST];
  private long[] positions = new long[FEWEST];

  /** The position of the instance's newest step; negative when it is not known. */
  long of(long instance) {
    int place = place(instance);
    return instances[place] == instance ? positions[place] : -1;
  }

  void put(long instance, long position) {
    if (instance >= instances.length && instances.length < MOST) {
      grow(instance);
    }
    int place = place(instance);
    instances[place] = instance;
    positions[place] = position;
  }

  void clear() {
    Arrays.fill(instances, 0);
  }

  /** Numbers begin with 1, and those of instances that live at a time are near each other. */
  private int place(long instance) {
    return (int) instance & (instances.length - 1);
  }

  private void grow(long instance) {
    long[] known = instances;
    long[] where = positions;
    int places = (int) Math.min(MOST, 2 * Long.highestOneBit(instance));
    instances = new long[places];
    positions = new long[places];
    for (int i = 0; i < known.length; i++) {
      int place = place(known[i]);
      instances[place] = known[i];
      positions[place] = where[i];
    }
  }
}
