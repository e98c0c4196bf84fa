package dev.signalbox.definition.check;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.Problem;
import dev.signalbox.kernel.machine.Invariant;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.State;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Checks a machine: everything that can be said about it before it runs. */
public final class Check {
  private Check() {}

  /** Checks with the usual bounds. */
  public static CheckReport run(Definition definition) {
    return run(definition, CheckOptions.DEFAULT);
  }

  /** Checks the machine; a definition without one gives back the problems of reading it. */
  public static CheckReport run(Definition definition, CheckOptions options) {
    Machine machine = definition.machine();
    if (machine == null) {
      return new CheckReport(
          definition,
          definition.problems(),
          List.of(),
          new CheckReport.Statistics(0, 0, 0, 0, 0, false),
          List.of());
    }
    Inspection in = new Inspection(definition, machine);
    inspect(in);
    List<Verdict> verdicts = new ArrayList<>();
    for (Invariant invariant : machine.invariants()) {
      verdicts.add(new Verdict.Undecided(invariant, "the machine was not explored"));
    }
    return new CheckReport(
        definition,
        problems(definition, in),
        verdicts,
        new CheckReport.Statistics(
            in.outline().states().size(), transitions(in.outline()), 0, 0, 0, false),
        List.of());
  }

  private static void inspect(Inspection in) {
    new TreeChecks(in).run();
    new TargetChecks(in).run();
    new FlowChecks(in).run();
    new ChoiceChecks(in).run();
    new ReplyChecks(in).run();
    new InvariantChecks(in).run();
    Syntax syntax = new Syntax();
    new GuardChecks(in, syntax).run();
    new NameChecks(in, syntax).run();
  }

  private static int transitions(Outline outline) {
    int count = outline.root().transitions().size();
    for (State state : outline.states()) {
      count += state.transitions().size();
    }
    return count;
  }

  private static List<Problem> problems(Definition definition, Inspection in) {
    List<Problem> all = new ArrayList<>(definition.problems());
    // Where the reader named the faults of a kind, it named all of them, and closer.
    Set<String> told = new HashSet<>();
    definition.problems().forEach(p -> told.add(p.code()));
    in.problems().list().stream().filter(p -> !told.contains(p.code())).forEach(all::add);
    Comparator<Problem> byLine = Comparator.comparingInt(p -> p.place().line());
    List<Problem> ordered = new ArrayList<>(new LinkedHashSet<>(all));
    ordered.sort(byLine.thenComparingInt(p -> p.place().column()));
    return ordered;
  }
}
