package dev.signalbox.definition.check;

/**
 * How far the checks go. All bounds are counts, so the same machine gives the same answer on any
 * computer.
 *
 * @param explore whether to run the model checker
 * @param states abstract states visited at most
 * @param steps kernel steps tried at most
 * @param variants different contexts kept apart for the same configuration; beyond them the fields
 *     that differ become unknown
 */
public record CheckOptions(boolean explore, int states, long steps, int variants) {

  public static final CheckOptions DEFAULT = new CheckOptions(true, 100_000, 3_000_000, 64);

  /** Only what can be seen in the definition itself. */
  public static final CheckOptions STRUCTURE = new CheckOptions(false, 0, 0, 0);

  /** The same with another bound on the abstract states. */
  public CheckOptions withStates(int most) {
    return new CheckOptions(explore, most, steps, variants);
  }
}
