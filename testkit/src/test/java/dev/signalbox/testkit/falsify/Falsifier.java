package dev.signalbox.testkit.falsify;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.Json;
import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Problem;
import dev.signalbox.definition.Source;
import dev.signalbox.definition.check.Check;
import dev.signalbox.definition.check.CheckOptions;
import dev.signalbox.definition.check.CheckReport;
import dev.signalbox.definition.check.Verdict;
import dev.signalbox.kernel.machine.Invariant;
import dev.signalbox.kernel.machine.Machine;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Compares what the checker says of one machine with what its runs show. */
final class Falsifier {
  private static final CheckOptions OPTIONS = CheckOptions.DEFAULT.withStates(1_500);
  private static final Pattern NEVER_REACHED = Pattern.compile("Expected '(.+)' to be entered");

  /** How often each verdict was given, and how much the runtime had to do for it. */
  static final class Tally {
    final Map<String, Long> counts = new TreeMap<>();

    void count(String what, long more) {
      counts.merge(what, more, Long::sum);
    }
  }

  private final Tally tally;

  Falsifier(Tally tally) {
    this.tally = tally;
  }

  /** What is wrong in what is said of the machine; nothing where it is no machine. */
  List<Finding> findings(Map<String, Object> tree, long seed) {
    return findings(tree, seed, "");
  }

  /**
   * What is wrong, as soon as one thing is known of it.
   *
   * @param sought the invariant that is looked at; empty for all
   */
  List<Finding> findings(Map<String, Object> tree, long seed, String sought) {
    String text = Json.text(tree);
    List<Definition> definitions = MachineReader.readAll(new Source("m.yaml", text), null);
    Machine machine = definitions.size() == 1 ? definitions.getFirst().machine() : null;
    if (machine == null || definitions.getFirst().hasErrors()) {
      tally.count("unreadable", 1);
      return List.of();
    }
    CheckReport report;
    try {
      report = Check.run(definitions.getFirst(), OPTIONS);
    } catch (RuntimeException | StackOverflowError e) {
      return List.of(new Finding(Finding.Claim.BROKE, "check", e.toString(), List.of()));
    }
    report.invariants().forEach(verdict -> tally.count(verdict.word(), 1));
    boolean lost =
        !sought.isEmpty()
            && report.invariants().stream()
                .noneMatch(
                    v -> v.invariant().name().equals(sought) && !(v instanceof Verdict.Undecided));
    if (lost) {
      return List.of();
    }
    boolean matters =
        report.invariants().stream().anyMatch(v -> !(v instanceof Verdict.Undecided))
            || report.problems().stream().anyMatch(p -> p.code().equals("never-reached"));
    if (!matters) {
      return List.of();
    }
    return compared(report, machine, text, seed, sought);
  }

  /** What the runs of the machine show against the report. */
  List<Finding> compared(
      CheckReport report, Machine machine, String text, long seed, String sought) {
    Enumeration runs;
    try {
      runs =
          new Enumeration(machine, text, Enumeration.Bounds.USUAL, new Random(seed))
              .seeking(sought);
    } catch (IllegalArgumentException e) {
      // It has errors that keep it from being published.
      tally.count("unpublished", 1);
      return List.of();
    }
    try {
      runs.explore();
      List<Finding> findings = findings(report, runs, machine, text);
      tally.count("acts", runs.acts());
      tally.count("runs that were cut", runs.cut() ? 1 : 0);
      return findings;
    } catch (LiveMachine.RestlessException e) {
      tally.count("restless", 1);
      return List.of();
    } catch (RuntimeException | StackOverflowError e) {
      return List.of(new Finding(Finding.Claim.BROKE, "runtime", trace(e), List.of()));
    }
  }

  private static String trace(Throwable e) {
    StringBuilder text = new StringBuilder(e.toString());
    for (int i = 0; i < Math.min(6, e.getStackTrace().length); i++) {
      text.append("\n    at ").append(e.getStackTrace()[i]);
    }
    return text.toString();
  }

  private List<Finding> findings(
      CheckReport report, Enumeration runs, Machine machine, String text) {
    List<Finding> findings = new ArrayList<>();
    for (Verdict verdict : report.invariants()) {
      Finding finding =
          switch (verdict) {
            case Verdict.Proved proved -> proved(proved, runs, machine, text);
            case Verdict.Refuted refuted -> refuted(refuted, runs);
            case Verdict.Undecided _ -> null;
          };
      if (finding != null) {
        findings.add(finding);
      }
    }
    runs.unnoticed()
        .forEach((name, seen) ->
            findings.add(new Finding(Finding.Claim.UNNOTICED, name, seen.why(), seen.acts())));
    boolean everyStartIsRefused = !runs.started() && !runs.cut();
    if (everyStartIsRefused && Claims.saysThatItRuns(report)) {
      findings.add(new Finding(Finding.Claim.STARTS, "start", "every start is refused", List.of()));
    }
    for (Problem problem : report.problems()) {
      Matcher state = NEVER_REACHED.matcher(problem.message());
      if (problem.code().equals("never-reached")
          && state.find()
          && runs.entered().contains(state.group(1))) {
        findings.add(
            new Finding(Finding.Claim.NEVER_REACHED, state.group(1), "it was entered", List.of()));
      }
    }
    return findings;
  }

  private static @Nullable Finding proved(
      Verdict.Proved proved, Enumeration runs, Machine machine, String text) {
    String name = proved.invariant().name();
    Enumeration.Evidence broken = runs.broken().get(name);
    boolean late = broken != null && broken.why().equals(Judge.LATE);
    if (late && Claims.assumesValues(proved)) {
      return null;
    }
    if (broken != null && isConfirmed(name, broken, machine, text)) {
      return new Finding(Finding.Claim.PROVED, name, broken.why(), broken.acts());
    }
    if (!(proved.invariant() instanceof Invariant.LeadsTo leads)
        || leads.within() != null
        || Claims.assumesValues(proved)) {
      return null;
    }
    Enumeration.Evidence stuck = runs.stuck().get(name);
    if (stuck != null) {
      return new Finding(Finding.Claim.PROVED_BUT_STUCK, name, stuck.why(), stuck.acts());
    }
    Enumeration.Evidence cycle = runs.cycle(name, Claims.assumesFairness(proved));
    return cycle == null
        ? null
        : new Finding(Finding.Claim.PROVED_BUT_ENDLESS, name, cycle.why(), cycle.acts());
  }

  /**
   * Whether the run breaks the invariant where nothing is refused for its sake. A step that another
   * reason refuses anyway breaks nothing, though the monitor may have spoken first.
   */
  private static boolean isConfirmed(
      String name, Enumeration.Evidence evidence, Machine machine, String text) {
    Enumeration lenient =
        new Enumeration(lenient(machine), text, Enumeration.Bounds.USUAL, new Random(1));
    Run run = lenient.play(evidence.acts());
    boolean confirmed = run.broken().containsKey(name);
    run.leave();
    return confirmed;
  }

  /** The machine with invariants that are told of and refuse nothing. */
  private static Machine lenient(Machine machine) {
    return new Machine(
        machine.name(),
        machine.version(),
        machine.mode(),
        machine.description(),
        machine.context(),
        machine.events(),
        machine.root(),
        machine.invariants().stream().map(Falsifier::lenient).toList(),
        machine.limits());
  }

  private static Invariant lenient(Invariant invariant) {
    Invariant.Severity warn = Invariant.Severity.WARN;
    return switch (invariant) {
      case Invariant.Never i -> new Invariant.Never(i.name(), warn, i.fact());
      case Invariant.Apart i -> new Invariant.Apart(i.name(), warn, i.states());
      case Invariant.Always i -> new Invariant.Always(i.name(), warn, i.condition(), i.in());
      case Invariant.Before i -> new Invariant.Before(i.name(), warn, i.reaching(), i.first());
      case Invariant.LeadsTo i ->
          new Invariant.LeadsTo(i.name(), warn, i.trigger(), i.responses(), i.within(), i.target());
      case Invariant.Times i -> new Invariant.Times(i.name(), warn, i.fact(), i.min(), i.max());
      case Invariant.OneAtATime i ->
          new Invariant.OneAtATime(i.name(), warn, i.opens(), i.closes());
      case Invariant.Frozen i -> new Invariant.Frozen(i.name(), warn, i.field(), i.after());
    };
  }

  private static @Nullable Finding refuted(Verdict.Refuted refuted, Enumeration runs) {
    String name = refuted.invariant().name();
    if (runs.broken().containsKey(name) || runs.stuck().containsKey(name)) {
      return null;
    }
    Refutation shown = Refutation.play(refuted, runs);
    return shown.holds()
        ? null
        : new Finding(
            Finding.Claim.REFUTED,
            name,
            "(%s) %s".formatted(refuted.why(), shown.why()),
            shown.acts());
  }
}
