package dev.signalbox.definition.check;

import java.util.Arrays;

/**
 * The choices of one run of a step, so that the step can be run again for every other way they can
 * go. A run asks {@link #choose} at each choice point; {@link #next} moves to the next combination,
 * depth first, until all have been run.
 */
final class Decisions {
  private int[] chosen = new int[16];
  private int[] options = new int[16];
  private int planned;
  private int asked;

  /** Begins with the first option everywhere. */
  void first() {
    planned = 0;
    asked = 0;
  }

  /** The option to take at this choice point: 0 to {@code count - 1}. */
  int choose(int count) {
    if (count <= 1) {
      return 0;
    }
    if (asked == chosen.length) {
      chosen = Arrays.copyOf(chosen, asked * 2);
      options = Arrays.copyOf(options, asked * 2);
    }
    if (asked >= planned) {
      chosen[asked] = 0;
    }
    options[asked] = count;
    return chosen[asked++];
  }

  /** Prepares the next combination; false when all have been run. */
  boolean next() {
    int last = asked - 1;
    while (last >= 0 && chosen[last] + 1 >= options[last]) {
      last--;
    }
    if (last < 0) {
      return false;
    }
    chosen[last]++;
    planned = last + 1;
    asked = 0;
    return true;
  }
}
