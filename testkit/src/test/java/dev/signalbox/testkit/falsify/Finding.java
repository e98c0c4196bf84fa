package dev.signalbox.testkit.falsify;

import java.util.List;
import java.util.stream.Collectors;

/**
 * A verdict that is not so.
 *
 * @param claim what the checker says
 * @param invariant about which invariant, or which state
 * @param why what the runtime shows instead
 * @param acts the run that shows it
 */
record Finding(Claim claim, String invariant, String why, List<Act> acts) {

  Finding {
    acts = List.copyOf(acts);
  }

  /** What the checker can say and be wrong about. */
  enum Claim {
    /** Proved, and a run breaks it. */
    PROVED,
    /** Proved that a response follows, and nothing is under way any more. */
    PROVED_BUT_STUCK,
    /** Proved that a response follows, and a run goes round for ever. */
    PROVED_BUT_ENDLESS,
    /** Refuted, and no run shows it. */
    REFUTED,
    /** Nothing that matters is wrong, and no start is accepted. */
    STARTS,
    /** A state is said never to be reached, and is. */
    NEVER_REACHED,
    /** The runtime took a step that breaks an invariant, and neither refused nor told it. */
    UNNOTICED,
    /** The checker, or the runtime, broke. */
    BROKE
  }

  String text() {
    return "%s '%s': %s%n%s"
        .formatted(
            claim,
            invariant,
            why,
            acts.stream().map(act -> "  " + act.text()).collect(Collectors.joining("\n")));
  }
}
