package dev.signalbox.services.sweep;

import java.time.Duration;

/**
 * Limits of a sweep.
 *
 * @param grace what was written less than this ago is left alone where time may help
 * @param overdue how late a timer may be before that is trouble
 * @param mostReplays how many instances are lived through again in one sweep; the others are only
 *     read
 * @param longestReplay an instance with more entries is only read
 * @param mostEnded how many instances that have ended by their rows are compared with their newest
 *     entry in one sweep; the next of the same sweeper goes on where it stopped
 * @param mostCorrections how many corrections one sweep makes; the rest is for the next
 * @param mostFindings how many findings a report lists; the rest is counted
 */
public record SweepSettings(
    Duration grace,
    Duration overdue,
    long mostReplays,
    long longestReplay,
    long mostEnded,
    int mostCorrections,
    int mostFindings) {

  public static final SweepSettings DEFAULT =
      new SweepSettings(
          Duration.ofMinutes(1), Duration.ofMinutes(5), 1_000_000, 10_000, 1_000_000, 1_000, 1_000);
}
