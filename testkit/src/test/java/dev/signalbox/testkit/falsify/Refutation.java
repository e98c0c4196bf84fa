package dev.signalbox.testkit.falsify;

import dev.signalbox.definition.check.Verdict;
import dev.signalbox.definition.play.Stimulus;
import dev.signalbox.journal.EffectRow;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Environment;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.kernel.machine.Invariant;
import dev.signalbox.runtime.Instance;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The sequence of a refutation, played on the real runtime. Who sends an event is anybody with a
 * role that people can have, where the sequence does not say.
 *
 * @param holds whether the run shows what the checker says
 * @param why what it showed instead
 * @param told whom it sent something
 */
record Refutation(boolean holds, String why, List<Act> acts, Set<String> told) {
  private static final int MOST_EFFECTS = 20;

  /**
   * What the sequence leaves open.
   *
   * @param together whether events come at once, before what the first of them sent has arrived
   * @param held those who are there and stand still until the sequence says that they are gone; the
   *     others were never there
   * @param outcome of the effects that are under way at the end and of which the sequence says
   *     nothing
   */
  private record Manner(boolean together, Set<String> held, String outcome) {}

  /** Plays the sequence in every manner until one shows what the checker says. */
  static Refutation play(Verdict.Refuted refuted, Enumeration runs) {
    Refutation plainly = null;
    Set<String> told = new TreeSet<>();
    boolean more = true;
    while (more) {
      Set<String> held = Set.copyOf(told);
      for (boolean together : List.of(false, true)) {
        for (String outcome : outcomes(refuted)) {
          Refutation one = play(refuted, runs, new Manner(together, held, outcome));
          if (one.holds()) {
            return one;
          }
          plainly = plainly == null ? one : plainly;
          told.addAll(one.told());
        }
      }
      more = told.size() > held.size();
    }
    return plainly;
  }

  private static List<String> outcomes(Verdict.Refuted refuted) {
    return refuted.invariant() instanceof Invariant.LeadsTo ? Environment.OUTCOMES : List.of("");
  }

  private static Refutation play(Verdict.Refuted refuted, Enumeration runs, Manner manner) {
    Map<String, @Nullable Object> input = Map.of();
    List<Stimulus> sequence = new ArrayList<>(refuted.sequence());
    if (!sequence.isEmpty()
        && sequence.getFirst() instanceof Stimulus.Start(Map<String, @Nullable Object> given)) {
      input = given;
      sequence.removeFirst();
    }
    Run run = runs.play(List.of(new Act.Start(input)), manner.held());
    List<String> refusals = new ArrayList<>();
    List<Act.Send> hurried = new ArrayList<>();
    for (Stimulus stimulus : sequence) {
      Act act = act(stimulus, run, runs);
      if (manner.together() && act instanceof Act.Send send) {
        hurried.add(send);
        continue;
      }
      flush(hurried, run);
      Rejection refused = run.perform(act);
      if (refused != null) {
        refusals.add(refused.message());
      }
    }
    flush(hurried, run);
    boolean shown = run.broken().containsKey(refuted.invariant().name()) || run.refusedAtLast();
    if (!shown && refuted.invariant() instanceof Invariant.LeadsTo leads) {
      shown = isEndless(run, runs, leads.name(), refuted.why(), manner);
    }
    Instance instance = run.instance();
    String end =
        instance == null
            ? "it did not start"
            : "it is %s in %s".formatted(instance.status(), instance.leaves());
    Refutation refutation =
        new Refutation(
            shown, "played: %s %s".formatted(end, refusals), run.acts(), new TreeSet<>(run.told()));
    run.leave();
    return refutation;
  }

  private static void flush(List<Act.Send> hurried, Run run) {
    if (!hurried.isEmpty()) {
      var _ = run.perform(new Act.Together(List.copyOf(hurried)));
      hurried.clear();
    }
  }

  private static Act act(Stimulus stimulus, Run run, Enumeration runs) {
    return switch (stimulus) {
      case Stimulus.Start _ -> new Act.Sleep(0);
      case Stimulus.Wait(Duration time) -> new Act.Sleep(time.toMillis());
      case Stimulus.Send(String event, Object data, Actor actor) -> {
        for (EffectRow effect : run.effects()) {
          for (String outcome : Environment.OUTCOMES) {
            if (event.equals(effect.reply() + "." + outcome)) {
              yield new Act.Conclude(effect.reply(), outcome, data);
            }
          }
        }
        yield comesByItself(event)
            ? new Act.Bounce()
            : new Act.Send(
                event, data, actor == null ? runs.repertoire().powerful() : actor, false);
      }
    };
  }

  /** What the engine tells an instance: where whom it told was never there, it has come already. */
  private static boolean comesByItself(String event) {
    return event.startsWith("error.") || event.startsWith("done.");
  }

  /** Whether the response is owed, and nothing that happens by itself leads to it. */
  private static boolean isEndless(
      Run run, Enumeration runs, String invariant, String why, Manner manner) {
    if (!run.judge().owes(invariant)) {
      return false;
    }
    if (why.contains("no way leads")) {
      return !runs.isSettledFrom(run.place(), invariant);
    }
    // What is under way and ends like this leads nowhere either.
    for (int i = 0; i < MOST_EFFECTS && !run.effects().isEmpty(); i++) {
      var _ =
          run.perform(new Act.Conclude(run.effects().getFirst().reply(), manner.outcome(), null));
    }
    Instance instance = run.instance();
    return run.judge().owes(invariant)
        && run.effects().isEmpty()
        && instance != null
        && instance.deadlines().isEmpty();
  }
}
