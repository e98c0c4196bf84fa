package dev.signalbox.definition.draw;

import dev.signalbox.kernel.Edge;

/**
 * The words of one transition.
 *
 * @param trigger what it waits for; empty when it waits for nothing
 * @param guard in brackets; empty when there is none
 * @param timed whether it waits for time
 * @param tooltip everything that is known about it, in lines
 */
record Label(Edge edge, String trigger, String guard, boolean timed, String tooltip) {
  static final double LINE_HEIGHT = 16;

  /** The room that a clock takes in front of the words. */
  static final double CLOCK = 14;

  /** The room that a count takes behind the words, and as much before them for balance. */
  static final double BADGE = 27;

  private static final int LONGEST_LINE = 34;

  boolean isEmpty() {
    return trigger.isEmpty() && guard.isEmpty();
  }

  /** Whether the guard stands under the trigger instead of behind it. */
  boolean isBroken() {
    return !trigger.isEmpty()
        && !guard.isEmpty()
        && trigger.length() + guard.length() > LONGEST_LINE;
  }

  double width(boolean badges) {
    double words =
        isBroken()
            ? Math.max(wide(trigger), wide(guard))
            : wide(trigger) + wide(guard) + (trigger.isEmpty() || guard.isEmpty() ? 0 : 4);
    return words + (timed ? CLOCK : 0) + (badges ? 2 * BADGE : 0);
  }

  double height() {
    return isEmpty() ? 0 : isBroken() ? 2 * LINE_HEIGHT : LINE_HEIGHT;
  }

  private static double wide(String text) {
    return Letters.width(text, Letters.LABEL);
  }
}
