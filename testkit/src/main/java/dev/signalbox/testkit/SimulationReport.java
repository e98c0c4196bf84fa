package dev.signalbox.testkit;

import java.util.List;
import java.util.Map;

/**
 * What a simulation came to.
 *
 * @param store what it ran on
 * @param reopened how often what is stored was opened again
 * @param faultsReopened failures after it was opened again for the first time
 * @param faults how many of each kind there were
 * @param methods how often each method of the store failed
 * @param findings what the auditor found wrong; empty is how it should be
 */
public record SimulationReport(
    long seed,
    String store,
    long reopened,
    long faultsReopened,
    long actions,
    long commands,
    long entries,
    long effects,
    long timers,
    long messages,
    Map<Fault, Long> faults,
    Map<String, Long> methods,
    List<String> findings) {

  /** How many failures of the store and of processes there were. */
  public long faultCount() {
    return faults.entrySet().stream()
        .filter(fault -> fault.getKey().isFailure())
        .mapToLong(Map.Entry::getValue)
        .sum();
  }
}
