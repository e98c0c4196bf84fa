package dev.signalbox.testkit;

import java.util.List;
import java.util.Map;

/**
 * What a simulation came to.
 *
 * @param faults how many of each kind there were
 * @param findings what the auditor found wrong; empty is how it should be
 */
public record SimulationReport(
    long seed,
    long actions,
    long commands,
    long entries,
    long effects,
    long timers,
    long messages,
    Map<Fault, Long> faults,
    List<String> findings) {

  /** How many faults there were in all. */
  public long faultCount() {
    return faults.values().stream().mapToLong(Long::longValue).sum();
  }
}
