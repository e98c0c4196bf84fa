package dev.signalbox.kernel;

import dev.signalbox.kernel.machine.Guard;

/**
 * A guard that was asked, and its answer.
 *
 * @param why for a no, the values it saw; for a failure, what failed; empty for a yes
 */
public record GuardResult(Edge edge, Guard guard, Verdict verdict, String why) {

  /** A guard's answer. */
  public enum Verdict {
    YES,
    NO,
    FAILED
  }
}
