package dev.signalbox.kernel.machine;

/**
 * Bounds on one step, so that no definition can run away.
 *
 * @param microsteps taken for one event
 * @param queue internal events waiting at a time
 * @param iterations of all foreach loops in one step
 * @param timers pending at a time
 */
public record Limits(int microsteps, int queue, int iterations, int timers) {
  public static final Limits DEFAULT = new Limits(1_000, 1_000, 10_000, 1_000);

  /** The deepest nesting of states that any machine may have. */
  public static final int DEPTH = 64;

  /** The most states that any machine may have. */
  public static final int STATES = 10_000;
}
