package dev.signalbox.kernel;

/** A compiled action. */
@FunctionalInterface
interface Instruction {
  /**
   * Does the action's work on the run.
   *
   * @throws EvaluationException when an expression has no value; the rest of the block is skipped
   */
  void execute(Run run);
}
