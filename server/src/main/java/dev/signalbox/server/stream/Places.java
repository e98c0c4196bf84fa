package dev.signalbox.server.stream;

import java.util.HashMap;
import java.util.Map;

/**
 * The places for streams: so many in all, and so many for one credential, that nobody takes them
 * all. Whoever uses it sees to it that one thread does at a time.
 */
final class Places {
  private final int most;
  private final int mostOfOne;
  private final Map<String, Integer> taken = new HashMap<>();
  private int count;

  Places(int most, int mostOfOne) {
    this.most = most;
    this.mostOfOne = Math.min(most, mostOfOne);
  }

  /** Takes a place; false when all are taken, or all that one may have. */
  boolean enter(String who) {
    if (count >= most || taken.getOrDefault(who, 0) >= mostOfOne) {
      return false;
    }
    taken.merge(who, 1, Integer::sum);
    count++;
    return true;
  }

  void leave(String who) {
    taken.computeIfPresent(who, (_, places) -> places == 1 ? null : places - 1);
    count--;
  }

  int count() {
    return count;
  }
}
