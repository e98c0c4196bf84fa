package dev.signalbox.testkit.falsify;

import dev.signalbox.definition.check.Verdict;
import dev.signalbox.definition.play.Stimulus;
import dev.signalbox.journal.EffectRow;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.kernel.machine.Invariant;
import dev.signalbox.runtime.Instance;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The sequence of a refutation, played on the real runtime. Who sends an event is anybody with a
 * role that people can have, where the sequence does not say.
 *
 * @param holds whether the run shows what the checker says
 * @param why what it showed instead
 */
record Refutation(boolean holds, String why, List<Act> acts) {

  /** Plays the sequence one by one and, where that shows nothing, with events that come at once. */
  static Refutation play(Verdict.Refuted refuted, Enumeration runs) {
    Refutation slowly = play(refuted, runs, false);
    return slowly.holds() || !play(refuted, runs, true).holds()
        ? slowly
        : new Refutation(true, "", List.of());
  }

  private static Refutation play(Verdict.Refuted refuted, Enumeration runs, boolean together) {
    Map<String, @Nullable Object> input = Map.of();
    List<Stimulus> sequence = new ArrayList<>(refuted.sequence());
    if (!sequence.isEmpty()
        && sequence.getFirst() instanceof Stimulus.Start(Map<String, @Nullable Object> given)) {
      input = given;
      sequence.removeFirst();
    }
    Run run = runs.play(List.of(new Act.Start(input)));
    List<String> refusals = new ArrayList<>();
    List<Act.Send> hurried = new ArrayList<>();
    boolean byAnotherMachine = false;
    for (Stimulus stimulus : sequence) {
      if (stimulus instanceof Stimulus.Send send && comesByItself(send.event())) {
        continue;
      }
      Act act = act(stimulus, run, runs);
      if (together && act instanceof Act.Send send) {
        hurried.add(send);
        continue;
      }
      flush(hurried, run);
      Rejection refused = run.perform(act);
      if (refused != null) {
        refusals.add(refused.message());
        // Instances of that machine may send it, and who they are is not for this machine to say.
        byAnotherMachine |= refused.message().contains("with the role machine:");
      }
    }
    flush(hurried, run);
    boolean shown =
        run.broken().containsKey(refuted.invariant().name())
            || run.refusedAtLast()
            || byAnotherMachine;
    if (!shown && refuted.invariant() instanceof Invariant.LeadsTo leads) {
      // Here nobody is there whom it could reach; elsewhere somebody may be, and nothing comes
      // back.
      shown = waitsForEver(run, leads.name(), refuted.why()) || runs.repertoire().tellsOthers();
    }
    Instance instance = run.instance();
    String end =
        instance == null
            ? "it did not start"
            : "it is %s in %s".formatted(instance.status(), instance.leaves());
    Refutation refutation =
        new Refutation(shown, "played: %s %s".formatted(end, refusals), run.acts());
    run.leave();
    return refutation;
  }

  private static void flush(List<Act.Send> hurried, Run run) {
    if (!hurried.isEmpty()) {
      var _ = run.perform(new Act.Together(List.copyOf(hurried)));
      hurried.clear();
    }
  }

  /** What the engine tells an instance, which has come already when the sequence names it. */
  private static boolean comesByItself(String event) {
    return event.startsWith("error.") || event.startsWith("done.");
  }

  private static Act act(Stimulus stimulus, Run run, Enumeration runs) {
    return switch (stimulus) {
      case Stimulus.Start _ -> new Act.Sleep(0);
      case Stimulus.Wait(Duration time) -> new Act.Sleep(time.toMillis());
      case Stimulus.Send(String event, Object data, Actor actor) -> {
        for (EffectRow effect : run.effects()) {
          if (event.startsWith(effect.reply() + ".")) {
            String outcome = event.substring(effect.reply().length() + 1);
            if (List.of("succeeded", "failed", "unknown").contains(outcome)) {
              yield new Act.Conclude(effect.reply(), outcome, data);
            }
          }
        }
        yield new Act.Send(
            event, data, actor == null ? runs.repertoire().powerful() : actor, false);
      }
    };
  }

  /** Whether the response is owed, and nothing that happens by itself leads to it. */
  private static boolean waitsForEver(Run run, String invariant, String why) {
    boolean quiet = run.effects().isEmpty() && isQuiet(run);
    return run.judge().owes(invariant) && (quiet || why.contains("no way leads"));
  }

  private static boolean isQuiet(Run run) {
    Instance instance = run.instance();
    return instance != null && instance.deadlines().isEmpty();
  }
}
