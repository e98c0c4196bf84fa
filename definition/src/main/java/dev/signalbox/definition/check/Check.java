package dev.signalbox.definition.check;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.Problem;
import dev.signalbox.definition.expression.CelExpressions;
import dev.signalbox.definition.play.Stimulus;
import dev.signalbox.kernel.machine.Invariant;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.State;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

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
          List.of(),
          new CheckReport.Statistics(0, 0, 0, 0, 0, false),
          List.of());
    }
    Inspection in = new Inspection(definition, machine);
    Syntax syntax = new Syntax();
    inspect(in, syntax);
    boolean sound = !definition.hasErrors() && !in.problems().hasErrors();
    List<Verdict> verdicts = new ArrayList<>();
    List<Gate> gates = new ArrayList<>();
    Set<String> notes = new LinkedHashSet<>();
    Exploration explored = null;
    if (options.explore() && isRunnable(definition, in)) {
      try {
        ModelChecker model = new ModelChecker(machine, in.outline(), in.content(), syntax, options);
        new BehaviourChecks(in, model).run();
        explored = model.exploration();
        notes.addAll(explored.cuts);
        verdicts.addAll(model.verdicts());
        refutations(in, verdicts);
        if (options.gates()) {
          gates.addAll(model.gates());
        }
      } catch (IllegalArgumentException e) {
        unsound(in, sound, e);
      }
    }
    if (verdicts.isEmpty()) {
      String why = options.explore() ? "the machine cannot run as it is" : "it was not explored";
      String remedy =
          options.explore() ? "Mend the errors first." : "Explore it: leave '--structure' out.";
      machine.invariants().forEach(i -> verdicts.add(new Verdict.Undecided(i, why, remedy)));
    }
    return new CheckReport(
        definition,
        problems(definition, in),
        verdicts,
        gates,
        statistics(in, explored),
        List.copyOf(notes));
  }

  /** Whether the faults found so far leave something that can be explored. */
  private static boolean isRunnable(Definition definition, Inspection in) {
    return Stream.concat(definition.problems().stream(), in.problems().list().stream())
        .filter(Problem::isError)
        .allMatch(p -> EXPLORABLE.contains(p.code()));
  }

  /** Errors of machines that run all the same. */
  private static final Set<String> EXPLORABLE =
      Set.of(
          "dead-end",
          "forbidden-edge",
          "guard-never-true",
          "never-taken",
          "unhandled-unknown",
          "unknown-event",
          "unknown-record",
          "unknown-record-field",
          "endless-loop",
          "duplicate-name");

  private static void unsound(Inspection in, boolean sound, IllegalArgumentException e) {
    if (sound) {
      in.error("unsound", in.machine(), String.valueOf(e.getMessage()), "");
    }
  }

  private static void refutations(Inspection in, List<Verdict> verdicts) {
    for (Verdict verdict : verdicts) {
      if (verdict instanceof Verdict.Refuted refuted) {
        Invariant invariant = refuted.invariant();
        String message =
            "Expected '%s' to hold, but it can be broken (%s): %s."
                .formatted(invariant.name(), refuted.why(), Stimulus.text(refuted.sequence()));
        String hint = "Play the sequence to see it; then change the machine or the invariant.";
        if (invariant.severity() == Invariant.Severity.WARN) {
          in.warning("refuted", invariant, message, hint);
        } else {
          in.error("refuted", invariant, message, hint);
        }
      }
    }
  }

  private static CheckReport.Statistics statistics(Inspection in, @Nullable Exploration explored) {
    return new CheckReport.Statistics(
        in.outline().states().size(),
        transitions(in.outline()),
        explored == null ? 0 : explored.configurations.size(),
        explored == null ? 0 : explored.vertices.size(),
        explored == null ? 0 : explored.steps,
        explored != null && explored.isComplete());
  }

  private static void inspect(Inspection in, Syntax syntax) {
    new TreeChecks(in).run();
    new TargetChecks(in).run();
    new FlowChecks(in).run();
    new ChoiceChecks(in).run();
    new ReplyChecks(in).run();
    new InvariantChecks(in).run();
    CelExpressions expressions = CelExpressions.of(in.machine());
    new ExpressionChecks(in, expressions).run();
    new AssignmentChecks(in, syntax, expressions).run();
    new GuardChecks(in, syntax).run();
    new NameChecks(in, syntax).run();
    new DecidedByData(in, syntax).run();
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
