package dev.signalbox.testkit.falsify;

import dev.signalbox.definition.check.CheckReport;
import dev.signalbox.definition.check.Verdict;

/** What a report promises, in so far as it is said in words. */
final class Claims {
  private static final String FAIRNESS = "fairness: ";
  private static final String READABLE = "what these read is there: ";

  private Claims() {}

  /** Whether the proof holds only if those outside do not keep the instance busy for ever. */
  static boolean assumesFairness(Verdict.Proved proved) {
    return proved.toString().contains(FAIRNESS);
  }

  /** Whether the proof holds only if what happens by itself is not refused for want of a value. */
  static boolean assumesValues(Verdict.Proved proved) {
    return proved.toString().contains(READABLE);
  }

  /** Whether the report lets a reader believe that instances of the machine can be started. */
  static boolean saysThatItRuns(CheckReport report) {
    return report.ok()
        && !report.invariants().isEmpty()
        && report.invariants().stream().allMatch(v -> v instanceof Verdict.Proved);
  }
}
