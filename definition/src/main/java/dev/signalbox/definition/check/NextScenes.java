package dev.signalbox.definition.check;

import dev.signalbox.definition.play.Stimulus;
import dev.signalbox.kernel.ChildChange;
import dev.signalbox.kernel.Context;
import dev.signalbox.kernel.Step;
import dev.signalbox.kernel.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What can happen to a {@link Scene} next, with guessed data, and what is under way after it. */
final class NextScenes {
  private static final int MOST_SENDS = 16;

  private final Guesses guesses;
  private final Alphabet alphabet;
  private final Relevance relevance;
  private final List<Duration> waits;

  NextScenes(Guesses guesses, Alphabet alphabet, Relevance relevance) {
    this.guesses = guesses;
    this.alphabet = alphabet;
    this.relevance = relevance;
    this.waits =
        guesses.isTimed() ? List.of(Duration.ofMinutes(10), Duration.ofDays(1)) : List.of();
  }

  /** What tells two scenes apart, as far as it matters for what can follow. */
  record Key(
      List<String> states,
      List<@Nullable Object> data,
      Map<String, Object> monitors,
      Set<String> timers,
      Pending pending,
      long time) {}

  List<Stimulus> stimuli(Scene scene, Pending pending) {
    List<Stimulus> all = new ArrayList<>();
    Set<String> events = new LinkedHashSet<>(alphabet.sent(scene.snapshot().configuration()));
    for (Pending.Work work : pending.effects().keySet()) {
      Alphabet.OUTCOMES.forEach(o -> events.add(work.reply() + "." + o));
    }
    for (ChildChange.Invocation child : scene.snapshot().memory().children()) {
      events.add("done.invoke." + child.id());
      events.add(Alphabet.BOUNCED);
    }
    if (pending.messages() > 0) {
      events.add(Alphabet.BOUNCED);
    }
    for (String event : events) {
      guesses.sends(event, scene, Knowledge.Cause.NONE).stream()
          .limit(MOST_SENDS)
          .forEach(all::add);
    }
    Timer next = scene.earliest();
    if (next != null) {
      long time = Math.max(0, next.due() - scene.now());
      all.add(new Stimulus.Wait(Duration.ofMillis(time)));
    }
    waits.forEach(w -> all.add(new Stimulus.Wait(w)));
    return all;
  }

  /** What is under way in the scene that a stimulus led to. */
  static Pending after(Pending before, Stimulus stimulus, Scene scene) {
    Pending pending = before;
    if (stimulus instanceof Stimulus.Send send) {
      int dot = send.event().lastIndexOf('.');
      String reply = dot < 0 ? send.event() : send.event().substring(0, dot);
      for (Pending.Work work : pending.effects().keySet()) {
        if (work.reply().equals(reply)) {
          pending = pending.answered(work);
          break;
        }
      }
      if (send.event().equals(Alphabet.BOUNCED) && pending.messages() > 0) {
        pending = pending.bounced();
      }
    }
    return performed(pending, scene);
  }

  /** What is under way once the scene's last steps are done. */
  static Pending performed(Pending before, Scene scene) {
    Pending pending = before;
    for (Step step : scene.steps()) {
      pending = Explorer.underWay(pending, step);
    }
    return pending;
  }

  Key key(Scene scene, Pending pending) {
    Context context = scene.snapshot().context();
    List<@Nullable Object> data = new ArrayList<>();
    for (int i = 0; i < context.layout().size(); i++) {
      if (relevance.isRelevant(context.layout().name(i))) {
        data.add(context.slot(i));
      }
    }
    Set<String> timers = new HashSet<>();
    scene.snapshot().memory().timers().forEach(t -> timers.add(t.id()));
    return new Key(
        scene.snapshot().configuration().states(),
        data,
        scene.snapshot().memory().monitors(),
        timers,
        pending,
        waits.isEmpty() ? 0 : Math.min(3, scene.now() / waits.getFirst().toMillis()));
  }
}
