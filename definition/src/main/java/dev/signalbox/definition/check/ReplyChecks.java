package dev.signalbox.definition.check;

import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.Durations;
import dev.signalbox.kernel.machine.Retry;
import dev.signalbox.kernel.machine.Retry.Failure;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.Transition;
import dev.signalbox.kernel.machine.Trigger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/** Whether the outcomes of effects are handled where they arrive. */
final class ReplyChecks {
  private final Inspection in;
  private final Outline outline;

  ReplyChecks(Inspection in) {
    this.in = in;
    this.outline = in.outline();
  }

  void run() {
    for (Content.Act act : in.content().acts()) {
      if (act.action() instanceof Action.Perform perform) {
        Set<State> listening = listening(act);
        during(perform, listening);
        retry(perform);
        for (String outcome : List.of("succeeded", "failed")) {
          if (!isHandled(perform.reply() + "." + outcome, listening)) {
            unhandled(perform, outcome);
          }
        }
        if (!isAlwaysRepeated(perform) && !isHandled(perform.reply() + ".unknown", listening)) {
          unhandledUnknown(perform);
        }
      }
    }
  }

  /**
   * The states that can be active when the reply comes: where the action leads, around and below
   * that, and the other regions of a parallel state around it.
   */
  private Set<State> listening(Content.Act act) {
    List<State> at = new ArrayList<>();
    Transition transition = act.transition();
    if (act.moment() == Content.Moment.EXIT) {
      at.add(outline.root());
    } else if (transition != null && !transition.targets().isEmpty()) {
      at.addAll(outline.targets(transition));
    } else {
      at.add(act.state());
    }
    Set<State> found = Collections.newSetFromMap(new IdentityHashMap<>());
    for (State state : at) {
      found.add(state);
      found.addAll(outline.descendants(state));
      for (State around : outline.ancestors(state)) {
        found.add(around);
        if (around.kind() == State.Kind.PARALLEL) {
          found.addAll(outline.descendants(around));
        }
      }
    }
    return found;
  }

  private void during(Action.Perform perform, Set<State> listening) {
    String id = perform.during();
    if (id == null) {
      return;
    }
    State state = outline.find(id);
    if (state == null || state.kind().isHistory() || state.kind().isPoint()) {
      in.error(
          "unknown-state",
          perform,
          "Expected the effect '%s' to end with a state that can be active, but there is no '%s'."
              .formatted(perform.effect(), id),
          Inspection.suggest(id, outline.ids(), "Define the state, or correct the name."));
    } else if (!listening.contains(state)) {
      in.warning(
          "during-elsewhere",
          perform,
          "Expected the effect '%s' to be performed where '%s' is active, but it is not there."
              .formatted(perform.effect(), id),
          "It would never begin: name the state that is active after this step.");
    }
  }

  /** Whether it is tried again also when nobody knows what was done. */
  private static boolean isAlwaysRepeated(Action.Perform perform) {
    Retry retry = perform.retry();
    return perform.idempotent()
        && (retry == null || retry.on().containsAll(List.of(Failure.THROWN, Failure.CUT_OFF)));
  }

  private void retry(Action.Perform perform) {
    Retry retry = perform.retry();
    if (retry == null) {
      return;
    }
    if (retry.attempts() < 1 || retry.attempts() > Retry.MOST_ATTEMPTS) {
      badRetry(perform, "from 1 to " + Retry.MOST_ATTEMPTS + " attempts", retry.attempts());
    }
    if (retry.factor() < 1 || retry.factor() > Retry.MOST_FACTOR) {
      badRetry(perform, "a factor from 1 to " + Retry.MOST_FACTOR, retry.factor());
    }
    if (retry.backoff().isNegative() || retry.most().compareTo(retry.backoff()) < 0) {
      badRetry(
          perform,
          "a backoff from 0 to its longest wait of " + Durations.text(retry.most()),
          Durations.text(retry.backoff()));
    }
    if (!perform.idempotent()) {
      for (Failure failure : retry.on()) {
        if (failure != Failure.NOT_STARTED) {
          in.error(
              "unsafe-retry",
              perform,
              "Expected the effect '%s', which is not idempotent, to be tried again after"
                      .formatted(perform.effect())
                  + " 'not_started' alone, but it says '%s'.".formatted(failure.word()),
              "Nobody knows then what was done: leave it out, or declare the effect"
                  + " 'idempotent: true'.");
        }
      }
    }
  }

  private void badRetry(Action.Perform perform, String expected, Object found) {
    in.error(
        "bad-retry",
        perform,
        "Expected the effect '%s' to have %s, but found %s."
            .formatted(perform.effect(), expected, found),
        "");
  }

  private static boolean isHandled(String event, Set<State> listening) {
    return listening.stream()
        .flatMap(s -> s.transitions().stream())
        .anyMatch(t ->
            t.trigger() instanceof Trigger.On on
                && Descriptors.anyMatches(on.descriptors(), event));
  }

  private void unhandled(Action.Perform perform, String outcome) {
    in.warning(
        "unhandled-reply",
        perform,
        "Expected '%s.%s' to be handled where the effect '%s' is performed, but it is not."
            .formatted(perform.reply(), outcome, perform.effect()),
        "Add a transition for it to the state, or to one around it.");
  }

  private void unhandledUnknown(Action.Perform perform) {
    in.error(
        "unhandled-unknown",
        perform,
        "Expected '%s.unknown' to be handled where the effect '%s' is performed, but it is not."
            .formatted(perform.reply(), perform.effect()),
        perform.idempotent()
            ? "Its 'retry' does not repeat it after every failure: say what happens then."
            : "The effect is not idempotent, so it is not repeated when it was cut off: say what"
                + " happens then, or declare it 'idempotent: true'.");
  }
}
