package dev.signalbox.testkit.falsify;

import dev.signalbox.definition.Json;
import dev.signalbox.journal.Chain;
import dev.signalbox.journal.EffectRow;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Outcome;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** One instance that is played act by act on the real runtime, and what was seen of it. */
final class Run {
  static final Actor ANYONE = new Actor(Actor.Kind.USER, "kim", List.of());

  /** Stands for the id of the run's own instance in what is given to it. */
  static final String ITSELF = "(itself)";

  /** No act waits longer than this. */
  private static final int MOST_TIMERS = 200;

  private static final Pattern REFUSED = Pattern.compile("Expected invariant (\\S+): ");

  private final LiveMachine live;
  private final String id;
  private final Judge judge;
  private final List<Act> acts = new ArrayList<>();
  private final Map<String, String> broken = new LinkedHashMap<>();
  private final Set<String> unnoticed = new TreeSet<>();
  private final Set<String> told = new TreeSet<>();
  private long steps;
  private long refusals;
  private @Nullable Rejection startRefused;
  private boolean refusedAtLast;

  Run(LiveMachine live, String id, Machine machine, Map<String, @Nullable Condition> conditions) {
    this.live = live;
    this.id = id;
    this.judge = new Judge(machine, conditions);
  }

  Judge judge() {
    return judge;
  }

  List<Act> acts() {
    return List.copyOf(acts);
  }

  /** Why it could not start, or null. */
  @Nullable Rejection startRefused() {
    return startRefused;
  }

  /** What was broken, by the judge or by the runtime's own word, and how. */
  Map<String, String> broken() {
    return broken;
  }

  /** Whether the last act was refused for the sake of an invariant, which may hide another. */
  boolean refusedAtLast() {
    return refusedAtLast;
  }

  /** What the judge saw broken in a step that the runtime took without a word. */
  Set<String> unnoticed() {
    return unnoticed;
  }

  /** The ids of the others that it has sent something to. */
  Set<String> told() {
    return told;
  }

  @Nullable Instance instance() {
    return live.find(id);
  }

  List<EffectRow> effects() {
    return live.effects(id);
  }

  /** The last act changed nothing, so the run is the same without it. */
  void forgetLastAct() {
    acts.removeLast();
  }

  /** Nothing more is done with it. */
  void leave() {
    live.leave(id);
  }

  /** Does one thing; why it was refused, where somebody got an answer, or null. */
  @Nullable Rejection perform(Act act) {
    acts.add(act);
    refusedAtLast = false;
    Rejection refused = null;
    switch (act) {
      case Act.Start(var input) -> {
        refused = live.start(id, named(input), ANYONE);
        startRefused = refused;
        // What is given at the start and breaks an invariant is refused, and nothing is broken.
        if (refused != null && input.isEmpty()) {
          refusedBy(refused.message(), refused.code().word());
        }
      }
      case Act.Send(String event, Object data, Actor actor, boolean late) -> {
        if (late) {
          live.advance(untilDue(true));
        }
        refused = live.send(id, event, data, actor);
      }
      case Act.Together(List<Act.Send> sends) -> live.sendTogether(id, sends);
      case Act.Conclude(String reply, String outcome, Object data) -> {
        for (EffectRow effect : live.effects(id)) {
          if (effect.reply().equals(reply)) {
            live.conclude(effect, outcome(outcome, data));
            break;
          }
        }
      }
      case Act.Bounce _ -> live.bounce(id);
      case Act.Wait(Act.Until until) -> {
        live.advance(
            switch (until) {
              case BEFORE_THE_NEXT_TIMER -> untilDue(true) / 2;
              case THE_NEXT_TIMER -> untilDue(true);
              case THE_LAST_TIMER -> untilDue(false);
            });
        live.settle();
      }
      case Act.Sleep(long millis) -> sleep(millis);
    }
    look();
    return refused;
  }

  private Map<String, @Nullable Object> named(Map<String, @Nullable Object> input) {
    Map<String, @Nullable Object> named = new LinkedHashMap<>(input);
    named.replaceAll((_, value) -> ITSELF.equals(value) ? id : value);
    return named;
  }

  private void sleep(long millis) {
    long end = live.now() + millis;
    for (int i = 0; i < MOST_TIMERS && live.now() < end; i++) {
      long next = untilDue(true);
      boolean due = next > 0 && live.now() + next < end;
      live.advance(due ? next : end - live.now());
      live.settle();
    }
    live.settle();
  }

  private static Outcome outcome(String word, @Nullable Object data) {
    return switch (word) {
      case "succeeded" -> Outcome.succeeded(data);
      case "failed" -> Outcome.failed(data);
      default -> new Outcome.Unknown("nobody knows");
    };
  }

  /** How long it is until the first, or the last, of its timers is due. */
  private long untilDue(boolean first) {
    Instance instance = live.find(id);
    long due = -1;
    if (instance != null) {
      for (Instance.Deadline deadline : instance.deadlines()) {
        due =
            due < 0
                ? deadline.due()
                : first ? Math.min(due, deadline.due()) : Math.max(due, deadline.due());
      }
    }
    return Math.max(0, due - live.now());
  }

  private void look() {
    for (Map<?, ?> entry : live.entries(id, Chain.STEPS, steps + 1)) {
      steps++;
      judge.saw(entry);
      if (entry.get("messages") instanceof List<?> messages) {
        messages.forEach(message -> told.add(String.valueOf(((Map<?, ?>) message).get("to"))));
      }
      if (entry.get("violations") instanceof List<?> violations) {
        for (Object violation : violations) {
          Map<?, ?> one = (Map<?, ?>) violation;
          broken.putIfAbsent((String) one.get("invariant"), String.valueOf(one.get("message")));
        }
      }
    }
    for (Map<?, ?> entry : live.entries(id, Chain.REFUSALS, refusals + 1)) {
      refusals++;
      refusedBy(String.valueOf(entry.get("message")), String.valueOf(entry.get("code")));
    }
    judge.broken().keySet().stream().filter(n -> !broken.containsKey(n)).forEach(unnoticed::add);
    judge.rests(live.now());
    judge.broken().forEach(broken::putIfAbsent);
  }

  private void refusedBy(String message, String code) {
    Matcher matcher = REFUSED.matcher(message);
    if (code.equals(Rejection.Code.INVARIANT_BROKEN.word()) && matcher.find()) {
      refusedAtLast = true;
      broken.putIfAbsent(matcher.group(1), message);
    }
  }

  /** Where the run is: runs with the same place go on alike. */
  String place() {
    Instance instance = live.find(id);
    if (instance == null) {
      return "(not started)";
    }
    long now = live.now();
    StringBuilder text = new StringBuilder();
    text.append(instance.status()).append(instance.leaves());
    Map<String, @Nullable Object> context = new TreeMap<>(instance.context());
    context.replaceAll((_, value) -> id.equals(value) ? ITSELF : value);
    try {
      text.append(Json.text(context));
    } catch (RuntimeException e) {
      text.append(context);
    }
    instance.deadlines().stream()
        .map(d -> d.event() + "@" + d.state() + "+" + (d.due() - now))
        .sorted()
        .forEach(text::append);
    effects().stream()
        .map(e -> "!" + e.name() + "/" + e.reply() + "/" + Objects.toString(e.during(), ""))
        .sorted()
        .forEach(text::append);
    return text.append(judge.memory(now)).toString();
  }
}
