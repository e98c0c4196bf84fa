package dev.signalbox.definition.check;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.Problem;
import java.util.List;

/**
 * What the checks found about one machine.
 *
 * @param problems those of reading and those of checking, in the order of the text
 * @param invariants a verdict for each invariant, in declared order
 * @param gates what it takes to come into the states that invariants protect, where asked for
 * @param notes what the exploration could not see exactly; empty when it saw everything
 */
public record CheckReport(
    Definition definition,
    List<Problem> problems,
    List<Verdict> invariants,
    List<Gate> gates,
    Statistics statistics,
    List<String> notes) {

  public CheckReport {
    problems = List.copyOf(problems);
    invariants = List.copyOf(invariants);
    gates = List.copyOf(gates);
    notes = List.copyOf(notes);
  }

  /** Whether the machine can be published: no errors, and no invariant refuted that matters. */
  public boolean ok() {
    return definition.machine() != null && problems.stream().noneMatch(Problem::isError);
  }

  /**
   * The size of what was checked.
   *
   * @param states of the definition
   * @param transitions of the definition, initial ones not counted
   * @param configurations different sets of active states that were reached
   * @param explored abstract states that were visited
   * @param steps kernel steps that were tried
   * @param complete whether everything the machine can do was seen
   */
  public record Statistics(
      int states,
      int transitions,
      int configurations,
      int explored,
      long steps,
      boolean complete) {}
}
