package dev.signalbox.definition.check;

import dev.signalbox.definition.expression.CelExpressions;
import dev.signalbox.kernel.Chart;
import dev.signalbox.kernel.machine.Invariant;
import dev.signalbox.kernel.machine.Machine;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Explores a machine and says about each invariant what that shows. */
final class ModelChecker {
  /** Ways to break an invariant that are tried on the concrete machine. */
  private static final int MOST_TRIALS = 8;

  private final Machine machine;
  private final Outline outline;
  private final Explorer explorer;
  private final Exploration found;
  private final Realiser realiser;
  private final Guesses guesses;
  private final Chart concrete;
  private @Nullable Search search;

  /**
   * @throws IllegalArgumentException when the machine is not sound
   */
  ModelChecker(
      Machine machine, Outline outline, Content content, Syntax syntax, CheckOptions options) {
    this.machine = machine;
    this.outline = outline;
    CelExpressions exact = CelExpressions.of(machine);
    this.concrete = Chart.compile(AbstractMachine.reporting(machine), exact);
    this.explorer = new Explorer(machine, exact.abstractly(), syntax, options);
    this.found = explorer.explore();
    this.guesses = new Guesses(machine, content, syntax);
    this.realiser = new Realiser(concrete, machine, guesses, explorer.inputs());
  }

  Exploration exploration() {
    return found;
  }

  Realiser realiser() {
    return realiser;
  }

  /** A search with concrete data, for what the exploration's own paths do not show. */
  Search search() {
    Search known = search;
    if (known == null) {
      known =
          new Search(
              concrete,
              machine,
              guesses,
              explorer.alphabet(),
              explorer.edges(),
              explorer.relevance());
      known.run(explorer.inputs().isEmpty() ? List.of() : guesses.inputs(explorer.inputs()));
      search = known;
    }
    return known;
  }

  /** The fields that a start may give a value. */
  Set<String> inputs() {
    return explorer.inputs();
  }

  Edges edges() {
    return explorer.edges();
  }

  List<Verdict> verdicts() {
    return machine.invariants().stream().map(this::verdict).toList();
  }

  private Verdict verdict(Invariant invariant) {
    List<Exploration.Finding> ways = found.violations.getOrDefault(invariant.name(), List.of());
    Optional<Verdict> refuted = refuted(invariant, ways);
    if (refuted.isPresent()) {
      return refuted.get();
    }
    if (!ways.isEmpty()) {
      return new Verdict.Undecided(
          invariant,
          "there may be a way to break it that was not confirmed: " + text(ways.getFirst()));
    }
    if (invariant instanceof Invariant.LeadsTo leadsTo) {
      return response(leadsTo);
    }
    return proved(invariant, "");
  }

  private Verdict proved(Invariant invariant, String assumption) {
    return found.isComplete()
        ? new Verdict.Proved(invariant, assumption)
        : new Verdict.Undecided(
            invariant, "not everything was explored: " + String.join("; ", found.cuts));
  }

  private Optional<Verdict> refuted(Invariant invariant, List<Exploration.Finding> ways) {
    for (Exploration.Finding way : ways.stream().limit(MOST_TRIALS).toList()) {
      Optional<Realiser.Realised> realised =
          realiser.reach(way, scene -> scene.violation(invariant.name()) != null);
      if (realised.isPresent()) {
        return Optional.of(refuted(invariant, realised.get()));
      }
    }
    return ways.isEmpty()
        ? Optional.empty()
        : search().violation(invariant.name()).map(r -> refuted(invariant, r));
  }

  private static Verdict refuted(Invariant invariant, Realiser.Realised realised) {
    String why = realised.end().violation(invariant.name());
    return new Verdict.Refuted(
        invariant, realised.sequence(), why == null ? "" : reason(invariant, why));
  }

  /** The kernel's message without the invariant's name before it. */
  private static String reason(Invariant invariant, String message) {
    String prefix = invariant.name() + ": ";
    return message.startsWith(prefix) ? message.substring(prefix.length()) : message;
  }

  private Verdict response(Invariant.LeadsTo leadsTo) {
    Responses responses = new Responses(found, outline, leadsTo);
    String trigger = leadsTo.trigger().text();
    List<Vertex> waiting = responses.stuck();
    for (Vertex vertex : waiting.stream().limit(MOST_TRIALS).toList()) {
      Optional<Realiser.Realised> realised =
          realiser.reach(
              vertex,
              scene -> isOwed(scene, leadsTo) && scene.snapshot().memory().timers().isEmpty());
      if (realised.isPresent()) {
        return new Verdict.Refuted(
            leadsTo,
            realised.get().sequence(),
            "after %s it can wait in %s for ever with nothing under way"
                .formatted(trigger, leaves(vertex)));
      }
    }
    List<Vertex> lost = found.isComplete() ? responses.lost() : List.of();
    for (Vertex vertex : lost.stream().limit(MOST_TRIALS).toList()) {
      Optional<Realiser.Realised> realised =
          realiser.reach(vertex, scene -> isOwed(scene, leadsTo));
      if (realised.isPresent()) {
        return new Verdict.Refuted(
            leadsTo,
            realised.get().sequence(),
            "after %s no way leads from %s to a response".formatted(trigger, leaves(vertex)));
      }
    }
    if (!waiting.isEmpty() || !lost.isEmpty()) {
      Vertex vertex = waiting.isEmpty() ? lost.getFirst() : waiting.getFirst();
      return new Verdict.Undecided(
          leadsTo, "it may wait in %s for ever, which was not confirmed".formatted(leaves(vertex)));
    }
    List<Vertex> cycle = responses.cycle();
    if (cycle != null) {
      return new Verdict.Undecided(
          leadsTo,
          "it can go round without a response: "
              + cycle.stream().map(ModelChecker::leaves).collect(Collectors.joining(" -> ")));
    }
    return proved(leadsTo, responses.reliesOn().orElse(""));
  }

  private static boolean isOwed(Scene scene, Invariant invariant) {
    return scene.snapshot().memory().monitors().containsKey(invariant.name());
  }

  static String leaves(Vertex vertex) {
    return String.join(", ", vertex.snapshot().configuration().leaves());
  }

  /** The path of a finding for a person. */
  static String text(Exploration.Finding finding) {
    List<String> names = new ArrayList<>();
    for (Vertex v = finding.from(); v != null && v.parent != null; v = v.parent) {
      names.addFirst(v.occurrence.text());
    }
    names.add(finding.occurrence().text());
    return String.join(", ", names);
  }
}
