package dev.signalbox.definition.check;

import dev.signalbox.definition.expression.CelExpressions;
import dev.signalbox.definition.expression.Unknown;
import dev.signalbox.definition.play.Stimulus;
import dev.signalbox.kernel.Chart;
import dev.signalbox.kernel.Context;
import dev.signalbox.kernel.machine.Fact;
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

  private static final String NOT_CANCELLED = "nobody ends the instance from outside";

  private final Machine machine;
  private final Outline outline;
  private final Explorer explorer;
  private final Exploration found;
  private final Realiser realiser;
  private final Guesses guesses;
  private final Chart concrete;
  private @Nullable Search search;
  private @Nullable Boolean starts;

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
    this.realiser =
        new Realiser(concrete, machine, guesses, explorer.alphabet(), explorer.inputs());
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
      known = new Search(concrete, outline, machine, rehearsal(), explorer.edges());
      known.run(explorer.inputs().isEmpty() ? List.of() : guesses.inputs(explorer.inputs()));
      search = known;
    }
    return known;
  }

  private NextScenes rehearsal() {
    return new NextScenes(guesses, explorer.alphabet(), explorer.relevance());
  }

  /** What it takes to come into the states that invariants protect. */
  List<Gate> gates() {
    return new Gates(
            concrete,
            machine,
            guesses,
            rehearsal(),
            explorer.inputs(),
            found,
            state -> search().entering(state).filter(way -> guesses.isAdmitted(way.sequence())))
        .find();
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
      return undecided(
          invariant,
          "there may be a way to break it that was not confirmed: " + text(ways.getFirst()),
          found.blurred.isEmpty()
              ? "Declare the types of the fields and of the event data that it depends on, or"
                  + " write the condition as sums of whole numbers compared with constants."
              : "Too many values were found for %s: give a larger '--variants', or bound them by a condition."
                  .formatted(String.join(", ", found.blurred)));
    }
    if (invariant instanceof Invariant.LeadsTo leadsTo) {
      return response(leadsTo);
    }
    List<String> assumptions = new ArrayList<>();
    if (invariant instanceof Invariant.Times times && times.min() > 0) {
      assumptions.add(NOT_CANCELLED);
    }
    return proved(invariant, assumptions);
  }

  private static Verdict undecided(Invariant invariant, String why, String remedy) {
    return new Verdict.Undecided(invariant, why, remedy);
  }

  /** Whether a start is known that the machine accepts; otherwise it may be that there is none. */
  boolean starts() {
    Boolean known = starts;
    if (known == null) {
      known = realiser.starts();
      starts = known;
    }
    return known;
  }

  private Verdict proved(Invariant invariant, List<String> assumptions) {
    if (!found.vertices.isEmpty() && !starts()) {
      return undecided(
          invariant,
          "no start was found that is accepted",
          "Give the context first values with which it starts.");
    }
    return found.isComplete()
        ? new Verdict.Proved(invariant, assumptions, isVacuous(invariant))
        : undecided(
            invariant,
            "not everything was explored: " + String.join("; ", found.cuts),
            "Give a larger bound ('--bound', '--steps'), or make the machine smaller.");
  }

  /** Whether nothing that was explored ever came to what the invariant speaks about. */
  private boolean isVacuous(Invariant invariant) {
    return found.vertices.isEmpty()
        || switch (invariant) {
          case Invariant.Always always ->
              always.in() != null && !found.entered.contains(always.in());
          case Invariant.Apart apart -> !found.entered.containsAll(apart.states());
          case Invariant.Before before -> !happens(before.reaching());
          case Invariant.LeadsTo leads -> !happens(leads.trigger());
          case Invariant.Times times -> times.min() == 0 && !happens(times.fact());
          case Invariant.OneAtATime one -> !happens(one.opens());
          case Invariant.Frozen frozen -> !found.entered.contains(frozen.after());
          case Invariant.Never never ->
              never.fact() instanceof Fact.Moves(String from, String to)
                  && !(found.entered.contains(from) && found.entered.contains(to));
        };
  }

  private boolean happens(Fact fact) {
    return switch (fact) {
      case Fact.Enters(String state) -> found.entered.contains(state);
      case Fact.Moves(String from, String to) ->
          found.entered.contains(from) && found.entered.contains(to);
      case Fact.Receives(String descriptor) ->
          found.received.stream().anyMatch(event -> Descriptors.matches(descriptor, event));
      case Fact.Emits(String kind, String _) -> found.emitted.contains(kind);
    };
  }

  /** A way that somebody outside can go, or else one on which a part of the program must help. */
  private Optional<Verdict> refuted(Invariant invariant, List<Exploration.Finding> ways) {
    Realiser.Realised byTheProgram = null;
    for (Exploration.Finding way : ways.stream().limit(MOST_TRIALS).toList()) {
      Optional<Realiser.Realised> realised =
          realiser.reach(way, scene -> realiser.breaks(scene, invariant.name()));
      if (realised.isPresent() && guesses.isAdmitted(realised.get().sequence())) {
        if (guesses.sentByTheProgram(realised.get().sequence()).isEmpty()) {
          return Optional.of(refuted(invariant, realised.get()));
        }
        byTheProgram = byTheProgram == null ? realised.get() : byTheProgram;
      }
    }
    if (byTheProgram != null) {
      return Optional.of(refuted(invariant, byTheProgram));
    }
    return ways.isEmpty()
        ? Optional.empty()
        : search()
            .violation(invariant.name())
            .filter(r -> guesses.isAdmitted(r.sequence()))
            .map(r -> refuted(invariant, r));
  }

  private Verdict refuted(Invariant invariant, Realiser.Realised realised) {
    String why = realised.end().violation(invariant.name());
    return refuted(invariant, realised.sequence(), why == null ? "" : reason(invariant, why));
  }

  private Verdict refuted(Invariant invariant, List<Stimulus> sequence, String why) {
    Set<String> events = guesses.sentByTheProgram(sequence);
    String who =
        events.isEmpty()
            ? why
            : "%s; only if the system sends %s".formatted(why, String.join(", ", events));
    return new Verdict.Refuted(invariant, sequence, who);
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
              scene ->
                  isOwed(scene, leadsTo)
                      && scene.snapshot().memory().timers().isEmpty()
                      && isAt(scene, vertex));
      if (realised.isPresent() && guesses.isAdmitted(realised.get().sequence())) {
        return refuted(
            leadsTo,
            realised.get().sequence(),
            "after %s it can wait in %s for ever with nothing under way"
                .formatted(trigger, leaves(vertex)));
      }
    }
    Optional<Realiser.Realised> stuck =
        waiting.isEmpty() ? Optional.empty() : search().stuck(leadsTo.name());
    if (stuck.isPresent() && guesses.isAdmitted(stuck.get().sequence())) {
      return refuted(
          leadsTo,
          stuck.get().sequence(),
          "after %s it can wait in %s for ever with nothing under way"
              .formatted(
                  trigger,
                  String.join(", ", stuck.get().end().snapshot().configuration().leaves())));
    }
    List<Vertex> lost = found.isComplete() ? responses.lost() : List.of();
    for (Vertex vertex : lost.stream().limit(MOST_TRIALS).toList()) {
      Optional<Realiser.Realised> realised =
          realiser.reach(vertex, scene -> isOwed(scene, leadsTo) && isAt(scene, vertex));
      if (realised.isPresent() && guesses.isAdmitted(realised.get().sequence())) {
        return refuted(
            leadsTo,
            realised.get().sequence(),
            "after %s no way leads from %s to a response".formatted(trigger, leaves(vertex)));
      }
    }
    if (!waiting.isEmpty() || !lost.isEmpty()) {
      Vertex vertex = waiting.isEmpty() ? lost.getFirst() : waiting.getFirst();
      return undecided(
          leadsTo,
          "it may wait in %s for ever, which was not confirmed".formatted(leaves(vertex)),
          "Give '%s' a deadline, or say under 'waits' why it may wait.".formatted(leaves(vertex)));
    }
    Vertex stalled = responses.stalled();
    if (stalled != null) {
      return undecided(
          leadsTo,
          "'%s' may be refused in %s, which halts the instance or is not repeated"
              .formatted(responses.stall(stalled), leaves(stalled)),
          "Let the step of a deadline do nothing that can be refused.");
    }
    List<Vertex> cycle = responses.cycle();
    if (cycle != null) {
      return undecided(
          leadsTo,
          "it can go round without a response: "
              + cycle.stream().map(ModelChecker::leaves).collect(Collectors.joining(" -> ")),
          "Count the rounds and leave after so many, or give the response a deadline with"
              + " 'within'.");
    }
    return proved(leadsTo, assumptions(leadsTo, responses));
  }

  private List<String> assumptions(Invariant.LeadsTo leadsTo, Responses responses) {
    List<String> all = new ArrayList<>();
    responses.reliesOn().ifPresent(all::add);
    if (leadsTo.within() == null) {
      Set<String> reliances = responses.reliances();
      if (!reliances.isEmpty()) {
        all.add("in time these end: " + String.join(", ", reliances));
      }
    }
    Set<String> distractions = responses.distractions();
    if (!distractions.isEmpty()) {
      all.add(
          "fairness: these do not come again and again for ever before it: "
              + String.join(", ", distractions));
    }
    if (!found.risks.isEmpty()) {
      all.add("what these read is there: " + String.join(", ", found.risks));
    }
    all.add(NOT_CANCELLED);
    return all;
  }

  /** Whether what the scene holds is something that the vertex stands for. */
  private static boolean isAt(Scene scene, Vertex vertex) {
    Context less = scene.snapshot().context();
    Context more = vertex.snapshot().context();
    for (int i = 0; i < more.layout().size(); i++) {
      int slot = less.layout().index(more.layout().name(i));
      if (more.slot(i) != Unknown.VALUE
          && (slot < 0 || !Canon.sameSlot(more.slot(i), less.slot(slot)))) {
        return false;
      }
    }
    return vertex.place.facts.follow(Facts.NONE, less);
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
