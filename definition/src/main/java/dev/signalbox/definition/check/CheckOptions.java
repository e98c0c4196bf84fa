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
 * @param adapts whether fewer are kept apart where there is much; never where the bound was given
 * @param gates whether to look for what it takes to come into the states that invariants protect
 */
public record CheckOptions(
    boolean explore, int states, long steps, int variants, boolean adapts, boolean gates) {

  public static final CheckOptions DEFAULT =
      new CheckOptions(true, 100_000, 3_000_000, 64, true, false);

  /** Only what can be seen in the definition itself. */
  public static final CheckOptions STRUCTURE = new CheckOptions(false, 0, 0, 0, true, false);

  /** The same with another bound on the abstract states. */
  public CheckOptions withStates(int most) {
    return new CheckOptions(explore, most, steps, variants, adapts, gates);
  }

  /** The same with another bound on the kernel's steps. */
  public CheckOptions withSteps(long most) {
    return new CheckOptions(explore, states, most, variants, adapts, gates);
  }

  /** The same with so many contexts kept apart, however much there is. */
  public CheckOptions withVariants(int most) {
    return new CheckOptions(explore, states, steps, most, false, gates);
  }

  /** The same with {@link CheckReport#gates}. */
  public CheckOptions withGates() {
    return new CheckOptions(explore, states, steps, variants, adapts, true);
  }
}
