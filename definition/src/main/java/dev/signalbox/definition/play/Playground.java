package dev.signalbox.definition.play;

import dev.signalbox.definition.expression.CelExpressions;
import dev.signalbox.definition.play.MachineLibrary.Found;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Answer;
import dev.signalbox.kernel.Chart;
import dev.signalbox.kernel.ChildChange;
import dev.signalbox.kernel.Environment;
import dev.signalbox.kernel.Event;
import dev.signalbox.kernel.EventRule;
import dev.signalbox.kernel.Kernel;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.kernel.Snapshot;
import dev.signalbox.kernel.Step;
import dev.signalbox.kernel.Timer;
import dev.signalbox.kernel.TimerChange;
import dev.signalbox.kernel.machine.Limits;
import dev.signalbox.kernel.machine.Machine;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One play of a machine. Not for use by several threads, and used up by {@link #play} or {@link
 * #pause}.
 */
public final class Playground {
  /** The most steps of a play, unless the caller says otherwise. */
  public static final int STEPS = 10_000;

  private final Machine machine;
  private final MachineLibrary library;
  private final int mostSteps;
  private final IdentityHashMap<Machine, Chart> charts = new IdentityHashMap<>();

  private final Map<String, Player> players = new LinkedHashMap<>();
  private final Deque<Birth> births = new ArrayDeque<>();
  private final Deque<Step.Message> mail = new ArrayDeque<>();
  private final List<Entry> entries = new ArrayList<>();
  private long now;
  private long scheduled;
  private boolean exhausted;

  /**
   * @throws IllegalArgumentException when the machine is not sound; check it first
   */
  public Playground(Machine machine, MachineLibrary library) {
    this(machine, library, STEPS);
  }

  public Playground(Machine machine, MachineLibrary library, int mostSteps) {
    this.machine = machine;
    this.library = library;
    this.mostSteps = mostSteps;
    chart(machine);
  }

  /** An instance that lives. */
  private static final class Player {
    final Chart chart;
    final @Nullable Player parent;
    final String invokeId;
    Snapshot snapshot;
    long sequence = 1;

    /** Whether one of its timers was refused: the instance stands still for ever. */
    boolean halted;

    /** Each pending timer's turn among those of the same moment, over all instances. */
    final Map<String, Long> turns = new LinkedHashMap<>();

    Player(Chart chart, @Nullable Player parent, String invokeId, Snapshot snapshot) {
      this.chart = chart;
      this.parent = parent;
      this.invokeId = invokeId;
      this.snapshot = snapshot;
    }
  }

  /** A child to be started. */
  private record Birth(Player parent, ChildChange.Started child) {}

  private record Due(Player player, Timer timer, long turn) {
    boolean isBefore(Due other) {
      return timer.due() != other.timer.due() ? timer.due() < other.timer.due() : turn < other.turn;
    }
  }

  /**
   * Starts the machine, sends it the events one by one, each when everything is at rest, and lets
   * time pass until nothing is left to do.
   */
  public Transcript play(List<Stimulus> stimuli) {
    Player player = perform(stimuli);
    passTime(Long.MAX_VALUE);
    Snapshot last = player == null ? null : player.snapshot;
    return new Transcript(
        entries,
        last == null ? List.of() : last.configuration().leaves(),
        last != null && last.done(),
        stopped());
  }

  /** As {@link #play}, but time stands still after the last event. */
  public Stage pause(List<Stimulus> stimuli) {
    Player player = perform(stimuli);
    Due due = earliest();
    if (player == null) {
      return new Stage(
          entries, List.of(), List.of(), Map.of(), List.of(), now, null, false, stopped());
    }
    Snapshot last = player.snapshot;
    return new Stage(
        entries,
        last.configuration().states(),
        leaves(last),
        last.context().asMap(),
        last.done() || player.halted ? List.of() : player.chart.awaited(last.configuration()),
        now,
        due == null ? null : due.timer().due(),
        last.done(),
        stopped());
  }

  private @Nullable Player perform(List<Stimulus> stimuli) {
    Map<String, @Nullable Object> input =
        !stimuli.isEmpty()
                && stimuli.getFirst() instanceof Stimulus.Start(Map<String, @Nullable Object> given)
            ? given
            : Map.of();
    Player player = begin(chart(machine), machine.name(), null, "", input);
    rest();
    for (Stimulus stimulus : stimuli) {
      if (player == null || exhausted) {
        break;
      }
      switch (stimulus) {
        case Stimulus.Start _ -> {}
        case Stimulus.Wait(Duration time) -> passTime(now + time.toMillis());
        case Stimulus.Send(String event, Object data, Actor actor) -> {
          Event sent = Event.external(event, data, actor);
          Rejection refusal = refusal(player, sent);
          if (refusal == null) {
            deliver(player, sent);
          } else {
            take(player, sent, refusal);
          }
          rest();
        }
      }
    }
    return player;
  }

  /**
   * Why the event can't come from outside, or null. A play has no effects, so what they report is
   * sent to it like any event; where a line names nobody, whoever may is meant.
   */
  private static @Nullable Rejection refusal(Player player, Event event) {
    Environment environment = player.chart.environment();
    EventRule rule = environment.rule(event.name());
    Actor actor = event.actor();
    if (player.snapshot.done() || environment.isEngineGiven(event.name())) {
      return null;
    }
    return rule.standing() == EventRule.Standing.UNKNOWN
        ? Kernel.notAwaited(player.chart, player.snapshot, event.name())
        : rule.refusal(
            event.data(),
            actor != null
                ? new Environment.Sender.Caller(actor)
                : new Environment.Sender.Instance(player.chart.machine().name(), true));
  }

  private @Nullable String stopped() {
    if (exhausted) {
      return "after %,d steps, with more to do".formatted(mostSteps);
    }
    List<String> halted =
        players.values().stream()
            .filter(player -> player.halted)
            .map(player -> "'" + player.snapshot.instance() + "'")
            .toList();
    return halted.isEmpty()
        ? null
        : "a timer was refused, which halts " + String.join(", ", halted);
  }

  /** Starts children and delivers events until none is left. */
  private void rest() {
    while (!exhausted && (!births.isEmpty() || !mail.isEmpty())) {
      if (!births.isEmpty()) {
        start(births.removeFirst());
        continue;
      }
      Step.Message message = mail.removeFirst();
      Player player = players.get(message.to());
      if (player != null && !player.halted) {
        deliver(player, message.event());
      }
    }
  }

  /** Fires what falls due up to the moment, in order. The clock stops with the last timer. */
  private void passTime(long until) {
    for (Due due = earliest(); due != null && !exhausted; due = earliest()) {
      if (due.timer().due() > until) {
        break;
      }
      now = Math.max(now, due.timer().due());
      fire(due);
      rest();
    }
    if (until != Long.MAX_VALUE) {
      now = Math.max(now, until);
    }
  }

  private @Nullable Due earliest() {
    Due earliest = null;
    for (Player player : players.values()) {
      if (player.halted) {
        continue;
      }
      for (Timer timer : player.snapshot.memory().timers()) {
        Due due = new Due(player, timer, player.turns.getOrDefault(timer.id(), 0L));
        if (earliest == null || due.isBefore(earliest)) {
          earliest = due;
        }
      }
    }
    return earliest;
  }

  private @Nullable Player begin(
      Chart chart,
      String instance,
      @Nullable Player parent,
      String invokeId,
      Map<String, @Nullable Object> input) {
    String parentId = parent == null ? null : parent.snapshot.instance();
    Answer answer = Kernel.start(chart, instance, parentId, input, now);
    switch (answer) {
      case Step step -> {
        Player player = new Player(chart, parent, invokeId, step.after());
        players.put(instance, player);
        write(new Entry(instance, 1, now, step.event(), List.of(), leaves(step.after()), step));
        carryOut(player, step);
        return player;
      }
      case Rejection rejection -> {
        Event start = Event.platform(Kernel.START, input.isEmpty() ? null : input);
        write(new Entry(instance, 0, now, start, List.of(), List.of(), rejection));
        return null;
      }
    }
  }

  private void deliver(Player player, Event event) {
    take(player, event, Kernel.step(player.chart, player.snapshot, event, now));
  }

  private void fire(Due due) {
    Player player = due.player();
    Answer answer = Kernel.fire(player.chart, player.snapshot, due.timer().id(), now);
    take(player, due.timer().message().event(), answer);
    player.halted = answer instanceof Rejection;
  }

  private void take(Player player, Event event, Answer answer) {
    List<String> before = leaves(player.snapshot);
    String instance = player.snapshot.instance();
    switch (answer) {
      case Step step -> {
        player.snapshot = step.after();
        player.sequence++;
        write(new Entry(instance, player.sequence, now, event, before, leaves(step.after()), step));
        carryOut(player, step);
      }
      case Rejection rejection ->
          write(new Entry(instance, player.sequence, now, event, before, before, rejection));
    }
  }

  private void write(Entry entry) {
    entries.add(entry);
    exhausted = exhausted || entries.size() >= mostSteps;
  }

  private void carryOut(Player player, Step step) {
    for (TimerChange change : step.timers()) {
      if (change instanceof TimerChange.Scheduled(Timer timer)) {
        player.turns.put(timer.id(), ++scheduled);
      }
    }
    for (ChildChange change : step.children()) {
      switch (change) {
        case ChildChange.Started started -> births.addLast(new Birth(player, started));
        case ChildChange.Cancelled(ChildChange.Invocation child) -> drop(child.instance());
      }
    }
    String self = "#_scxml_" + player.snapshot.instance();
    for (Step.Message message : step.messages()) {
      boolean known =
          players.containsKey(message.to())
              || births.stream()
                  .anyMatch(b -> b.child().invocation().instance().equals(message.to()));
      if (known) {
        mail.addLast(message);
      } else if (self.equals(message.event().origin())) {
        report(player, Environment.BOUNCE, null, message.event().sendId(), message.to());
      }
    }
    if (step.after().done()) {
      end(player);
    }
  }

  /** Takes an instance out of the play, with everything below it and everything meant for it. */
  private void drop(String instance) {
    String below = instance + "/";
    players.keySet().removeIf(id -> id.equals(instance) || id.startsWith(below));
    births.removeIf(birth -> {
      String id = birth.child().invocation().instance();
      return id.equals(instance) || id.startsWith(below);
    });
    mail.removeIf(message -> message.to().equals(instance) || message.to().startsWith(below));
  }

  private void end(Player player) {
    Player parent = player.parent;
    if (parent == null) {
      return;
    }
    String instance = player.snapshot.instance();
    drop(instance);
    Event done =
        new Event(
            Environment.CHILD_END + player.invokeId,
            Event.Kind.EXTERNAL,
            player.snapshot.memory().output(),
            null,
            null,
            "#_scxml_" + instance,
            null,
            player.invokeId);
    mail.addLast(new Step.Message(parent.snapshot.instance(), done));
  }

  private void start(Birth birth) {
    ChildChange.Started child = birth.child();
    String invokeId = child.invocation().id();
    Found found = found(birth);
    switch (found) {
      case Found.Known(Machine known) -> {
        Chart chart;
        try {
          chart = chart(known);
        } catch (IllegalArgumentException e) {
          String why = String.valueOf(e.getMessage());
          report(birth.parent(), Environment.BOUNCE, invokeId, null, why);
          return;
        }
        Player player =
            begin(chart, child.invocation().instance(), birth.parent(), invokeId, child.input());
        if (player == null) {
          report(birth.parent(), Environment.BOUNCE, invokeId, null, "its start was refused");
        }
      }
      case Found.Missing(String why) ->
          report(birth.parent(), Environment.BOUNCE, invokeId, null, why);
    }
  }

  private Found found(Birth birth) {
    ChildChange.Started child = birth.child();
    int depth = 0;
    for (Player player = birth.parent(); player != null; player = player.parent) {
      depth++;
    }
    if (depth >= Limits.DEPTH) {
      return new Found.Missing("children are nested " + Limits.DEPTH + " deep already");
    }
    Machine inline = child.inline();
    if (inline != null) {
      return new Found.Known(inline);
    }
    String source = child.source();
    if (source != null) {
      return library.find(source);
    }
    return child.content() instanceof String text
        ? library.parse(text)
        : new Found.Missing("nothing says which machine it is");
  }

  private void report(
      Player player, String error, @Nullable String invokeId, @Nullable String sendId, String why) {
    Event event = new Event(error, Event.Kind.PLATFORM, why, null, sendId, null, null, invokeId);
    mail.addLast(new Step.Message(player.snapshot.instance(), event));
  }

  private Chart chart(Machine known) {
    Chart chart = charts.get(known);
    if (chart == null) {
      chart = Chart.compile(known, CelExpressions.of(known));
      charts.put(known, chart);
    }
    return chart;
  }

  private static List<String> leaves(Snapshot snapshot) {
    return snapshot.configuration().leaves();
  }
}
