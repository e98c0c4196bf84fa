package dev.signalbox.kernel;

/**
 * A value is larger than the step may make it. It refuses the step whole, in both modes of meaning:
 * nothing in an expression or a block can take it for a failure to go on from.
 */
public final class LimitException extends RuntimeException {
  /**
   * @param what was reached, such as "5 bytes in one value"
   */
  public LimitException(String what) {
    super(what, null, false, false);
  }
}
