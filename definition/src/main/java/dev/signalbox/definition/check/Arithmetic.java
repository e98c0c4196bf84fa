package dev.signalbox.definition.check;

import java.util.List;
import java.util.Map;

/**
 * Decides about sums of whole numbers. This is the seam for a solver that decides more than {@link
 * Elimination} does: whoever implements it may say less than is true of the numbers, never more.
 */
interface Arithmetic {

  /**
   * What is known of a sum.
   *
   * @param parts each number with what it is multiplied by
   * @param least {@link Long#MIN_VALUE} when nothing bounds it from below
   * @param most {@link Long#MAX_VALUE} when nothing bounds it from above
   */
  record Bounded(Map<Term, Long> parts, long least, long most) {}

  /** The closest bounds of the sum that follow from the facts, as far as can be told. */
  Bounded bounds(Map<Term, Long> sum, List<Bounded> facts);
}
