package dev.signalbox.definition.check;

import dev.signalbox.definition.play.Stimulus;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Answer;
import dev.signalbox.kernel.Chart;
import dev.signalbox.kernel.Event;
import dev.signalbox.kernel.Kernel;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.kernel.Snapshot;
import dev.signalbox.kernel.Step;
import dev.signalbox.kernel.Timer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An instance that is rehearsed with concrete values on a manual clock, as {@code play} would: what
 * it sends to itself arrives at once, timers fire in the order in which they fall due. Effects and
 * children do nothing on their own; their ends are events of the sequence. Immutable.
 *
 * @param steps everything that the last stimulus caused, in order
 */
record Scene(Chart chart, Snapshot snapshot, long now, List<Step> steps) {
  private static final String INSTANCE = "i";

  /** More steps than this from one stimulus mean that it never comes to rest. */
  private static final int MOST_STEPS = 500;

  /** The instance after its start, or null when the start is refused. */
  static @Nullable Scene start(Chart chart, Map<String, @Nullable Object> input) {
    return switch (Kernel.start(chart, INSTANCE, null, input, 0)) {
      case Step step -> settled(chart, 0, new ArrayList<>(List.of(step)));
      case Rejection _ -> null;
    };
  }

  static boolean startIsEndless(Chart chart) {
    return Kernel.start(chart, INSTANCE, null, Map.of(), 0) instanceof Rejection rejection
        && rejection.code() == Rejection.Code.LIMIT_REACHED;
  }

  /** The instance after the stimulus, or null when it is refused. */
  @Nullable Scene after(Stimulus stimulus) {
    return switch (stimulus) {
      case Stimulus.Start _ -> null;
      case Stimulus.Send(String event, Object data, Actor actor) ->
          taken(Kernel.step(chart, snapshot, event(event, data, actor), now), now);
      case Stimulus.Wait(Duration time) -> waited(now + time.toMillis());
    };
  }

  /** The event as the engine gives it: ends of children and bounces are its own. */
  private static Event event(String name, @Nullable Object data, @Nullable Actor actor) {
    String end = "done.invoke.";
    boolean ended = name.startsWith(end);
    return ended || name.equals(Alphabet.BOUNCED)
        ? new Event(
            name,
            Event.Kind.PLATFORM,
            data,
            null,
            null,
            null,
            null,
            ended ? name.substring(end.length()) : null)
        : Event.external(name, data, actor);
  }

  /** The same instance after something that it refused. */
  Scene unmoved() {
    return new Scene(chart, snapshot, now, List.of());
  }

  private @Nullable Scene taken(Answer answer, long at) {
    return answer instanceof Step step ? settled(chart, at, new ArrayList<>(List.of(step))) : null;
  }

  /** The instance at a later moment, or null when a timer falls due before that. */
  @Nullable Scene later(long time) {
    Timer next = earliest();
    return next != null && next.due() <= now + time
        ? null
        : new Scene(chart, snapshot, now + time, List.of());
  }

  /** Fires the timer now, whatever the others say; null when that is refused. */
  @Nullable Scene fired(Timer timer) {
    long at = Math.max(now, timer.due());
    return taken(Kernel.fire(chart, snapshot, timer.id(), at), at);
  }

  private @Nullable Scene waited(long until) {
    List<Step> all = new ArrayList<>();
    Scene scene = this;
    for (Timer next = scene.earliest(); next != null; next = scene.earliest()) {
      if (next.due() > until || all.size() > MOST_STEPS) {
        break;
      }
      Scene after = scene.fired(next);
      if (after == null) {
        return null;
      }
      all.addAll(after.steps);
      scene = after;
    }
    return new Scene(chart, scene.snapshot, Math.max(until, scene.now), all);
  }

  /** The timer that falls due first; of several, the one that was scheduled first. */
  @Nullable Timer earliest() {
    Timer earliest = null;
    for (Timer timer : snapshot.memory().timers()) {
      if (earliest == null || timer.due() < earliest.due()) {
        earliest = timer;
      }
    }
    return earliest;
  }

  /** Delivers what the instance has sent to itself until nothing is left. */
  private static Scene settled(Chart chart, long now, List<Step> steps) {
    Deque<Event> mail = new ArrayDeque<>();
    Snapshot at = steps.getLast().after();
    collect(steps.getLast(), mail);
    while (!mail.isEmpty() && steps.size() < MOST_STEPS && !at.done()) {
      if (Kernel.step(chart, at, mail.poll(), now) instanceof Step step) {
        steps.add(step);
        at = step.after();
        collect(step, mail);
      }
    }
    return new Scene(chart, at, now, List.copyOf(steps));
  }

  private static void collect(Step step, Deque<Event> mail) {
    for (Step.Message message : step.messages()) {
      if (message.to().equals(INSTANCE)) {
        mail.add(message.event());
      }
    }
  }

  /** Whether the stimulus runs into a limit of the machine. */
  boolean isEndless(Stimulus stimulus) {
    Answer answer =
        switch (stimulus) {
          case Stimulus.Send(String event, Object data, Actor actor) ->
              Kernel.step(chart, snapshot, event(event, data, actor), now);
          case Stimulus.Wait _, Stimulus.Start _ -> {
            Timer timer = earliest();
            yield timer == null
                ? null
                : Kernel.fire(chart, snapshot, timer.id(), Math.max(now, timer.due()));
          }
        };
    return answer instanceof Rejection rejection
        && rejection.code() == Rejection.Code.LIMIT_REACHED;
  }

  /** What a step of the last stimulus says about the invariant it broke, or null. */
  @Nullable String violation(String invariant) {
    for (Step step : steps) {
      for (Step.Violation violation : step.violations()) {
        if (violation.invariant().equals(invariant)) {
          return violation.message();
        }
      }
    }
    return null;
  }
}
