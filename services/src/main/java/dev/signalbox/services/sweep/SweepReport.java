package dev.signalbox.services.sweep;

import java.util.List;
import java.util.Map;

/**
 * What a sweep saw and did.
 *
 * @param scanned how many instances were looked at
 * @param replayed how many of them were lived through again
 * @param outcomes the findings with what became of them
 * @param more how many findings are not listed
 * @param counts how many findings there were of each kind
 */
public record SweepReport(
    long scanned,
    long replayed,
    boolean dryRun,
    List<Outcome> outcomes,
    long more,
    Map<String, Long> counts) {

  public SweepReport {
    outcomes = List.copyOf(outcomes);
    counts = Map.copyOf(counts);
  }

  /**
   * A finding and what became of it.
   *
   * @param corrected whether the correction is in the journal
   * @param note why it is not; empty when it is
   */
  public record Outcome(Finding finding, boolean corrected, String note) {}

  public boolean isClean() {
    return counts.isEmpty();
  }

  public long corrected() {
    return outcomes.stream().filter(Outcome::corrected).count();
  }
}
