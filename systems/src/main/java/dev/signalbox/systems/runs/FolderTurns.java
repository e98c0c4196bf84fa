package dev.signalbox.systems.runs;

import dev.signalbox.runtime.Outcome;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Lets the work on a run's folder happen one at a time: what was interrupted has ended before
 * something else begins. It knows the runs that somebody works on or waits for, and no others.
 */
final class FolderTurns {
  private final Map<String, Turn> turns = new ConcurrentHashMap<>();

  /** Work on one folder. */
  interface Work {
    Outcome now() throws Exception;
  }

  /** A run's turn, and how many have it or wait for it; the number changes inside the map only. */
  private static final class Turn {
    private final ReentrantLock lock = new ReentrantLock(true);
    private int wanted;
  }

  Outcome alone(String run, Work work) throws Exception {
    Turn turn =
        turns.compute(
            run,
            (_, known) -> {
              Turn wanted = known == null ? new Turn() : known;
              wanted.wanted++;
              return wanted;
            });
    try {
      turn.lock.lockInterruptibly();
      try {
        return work.now();
      } finally {
        turn.lock.unlock();
      }
    } finally {
      turns.computeIfPresent(run, (_, known) -> --known.wanted == 0 ? null : known);
    }
  }

  /** How many runs somebody works on or waits for. */
  int size() {
    return turns.size();
  }
}
