package dev.signalbox.definition.check;

import dev.signalbox.definition.play.Stimulus;
import dev.signalbox.kernel.machine.Invariant;
import java.util.List;

/** What the model checker can say about one invariant. */
public sealed interface Verdict {

  Invariant invariant();

  /** The verdict in one word, as JSON and the command line write it. */
  default String word() {
    return switch (this) {
      case Proved _ -> "proved";
      case Refuted _ -> "refuted";
      case Undecided _ -> "undecided";
    };
  }

  /**
   * It holds in everything the machine can do.
   *
   * @param assumptions what the proof relies on beside docs/checks.md; empty when nothing
   * @param vacuous whether what it speaks about never happens, so that it says nothing
   */
  record Proved(Invariant invariant, List<String> assumptions, boolean vacuous) implements Verdict {
    public Proved {
      assumptions = List.copyOf(assumptions);
    }
  }

  /**
   * It can be broken, and the kernel has done so.
   *
   * @param sequence a shortest sequence that breaks it; the last stimulus is the one that does
   * @param why what was seen at the end
   */
  record Refuted(Invariant invariant, List<Stimulus> sequence, String why) implements Verdict {
    public Refuted {
      sequence = List.copyOf(sequence);
    }
  }

  /**
   * Neither was found.
   *
   * @param why what stood in the way
   * @param remedy what may help
   */
  record Undecided(Invariant invariant, String why, String remedy) implements Verdict {}
}
