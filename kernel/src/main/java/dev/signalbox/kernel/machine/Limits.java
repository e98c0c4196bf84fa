package dev.signalbox.kernel.machine;

/**
 * Bounds on one step, so that no definition can run away.
 *
 * @param microsteps taken for one event
 * @param queue internal events waiting at a time
 * @param iterations of all foreach loops in one step
 * @param timers pending at a time
 * @param contextBytes about what the context may take as JSON, and the data of pending timers again
 *     as much; a context that is larger already may shrink, not grow
 * @param stepBytes about what one step may emit, ask for, send, log and give to children, as JSON
 */
public record Limits(
    int microsteps, int queue, int iterations, int timers, int contextBytes, int stepBytes) {

  /** The most bytes that any machine may allow itself. */
  public static final int MOST_BYTES = 64 << 20;

  /** About how many bytes all values that one step makes may have together, kept or not. */
  public static final long BUILT_BYTES = 1L << 30;

  /** The deepest nesting of lists and maps that a step may make. */
  public static final int LEVELS = 100;

  public static final Limits DEFAULT = new Limits(1_000, 1_000, 10_000, 1_000);

  /** Limits with the usual sizes. */
  public Limits(int microsteps, int queue, int iterations, int timers) {
    this(microsteps, queue, iterations, timers, 4 << 20, 4 << 20);
  }

  /** The deepest nesting of states that any machine may have. */
  public static final int DEPTH = 64;

  /** The most states that any machine may have. */
  public static final int STATES = 10_000;
}
