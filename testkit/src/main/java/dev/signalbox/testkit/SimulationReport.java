package dev.signalbox.testkit;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a simulation came to.
 *
 * @param store what it ran on
 * @param reopened how often what is stored was opened again
 * @param faultsReopened failures after it was opened again for the first time
 * @param faults how many of each kind there were
 * @param strikes how often each method of the store failed, and how
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
    Map<String, Map<Fault, Long>> strikes,
    List<String> findings) {

  /** How often each method of the store failed. */
  public Map<String, Long> methods() {
    Map<String, Long> methods = new TreeMap<>();
    strikes.forEach(
        (method, kinds) -> methods.put(method, kinds.values().stream().mapToLong(n -> n).sum()));
    return methods;
  }

  /** How many failures of the store and of processes there were. */
  public long faultCount() {
    return faults.entrySet().stream()
        .filter(fault -> fault.getKey().isFailure())
        .mapToLong(Map.Entry::getValue)
        .sum();
  }
}
