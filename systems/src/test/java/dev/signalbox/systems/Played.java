package dev.signalbox.systems;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.expression.CelExpressions;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Answer;
import dev.signalbox.kernel.Chart;
import dev.signalbox.kernel.ChildChange;
import dev.signalbox.kernel.Event;
import dev.signalbox.kernel.Kernel;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.kernel.Snapshot;
import dev.signalbox.kernel.Step;
import dev.signalbox.kernel.Timer;
import dev.signalbox.kernel.machine.Durations;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One instance of a machine, played by the kernel on a clock that moves when it is told to. */
final class Played {
  private final Chart chart;
  private final List<Step.Emitted> records = new ArrayList<>();
  private final List<Step.Message> messages = new ArrayList<>();
  private final List<ChildChange> children = new ArrayList<>();
  private Snapshot snapshot;
  private long now = 1_000_000;
  private Actor actor = Actor.SYSTEM;

  private Played(
      String machine, @Nullable String parent, Map<String, ? extends @Nullable Object> context) {
    var definition = SystemMachines.machine(machine);
    chart = Chart.compile(definition, CelExpressions.of(definition));
    String id = parent == null ? "i" : parent + "/i";
    snapshot = accept(Kernel.start(chart, id, parent, context, now)).after();
  }

  /** Starts an instance with context fields given as name, value, name, value. */
  static Played start(String machine, Object... context) {
    return new Played(machine, null, map(context));
  }

  /** Starts a child as its parent asked for it. */
  static Played start(ChildChange.Started child) {
    return new Played(Objects.requireNonNull(child.source()), "parent", child.input());
  }

  /** From here on, the events come from this person. */
  Played as(String name, String... roles) {
    actor = new Actor(Actor.Kind.USER, name, List.of(roles));
    return this;
  }

  /** Sends an event that the machine must take, with data given as name, value, name, value. */
  Played send(String event, Object... data) {
    Answer answer = Kernel.step(chart, snapshot, Event.external(event, map(data), actor), now);
    snapshot = accept(answer).after();
    return this;
  }

  /** What the effect that judges a run's plan says, with this said otherwise. */
  Played planned(Object... data) {
    Map<String, @Nullable Object> all = new LinkedHashMap<>(judged(map(data)));
    Event event = Event.external("planned.succeeded", all, actor);
    snapshot = accept(Kernel.step(chart, snapshot, event, now)).after();
    return this;
  }

  /** The plan stands by policy, with tools as said. */
  Played ready(Object... data) {
    return planned(data);
  }

  /** All that is said of a judged plan. */
  static Map<String, @Nullable Object> judged(Map<String, ? extends @Nullable Object> said) {
    Map<String, @Nullable Object> all = new LinkedHashMap<>();
    all.put("verdict", "ready");
    all.put("tree", "t");
    all.put("reason", "");
    all.put("approval_id", "");
    all.put("tools", List.of("a"));
    for (String list : List.of("checks", "risky", "once", "writing", "asking")) {
      all.put(list, List.of());
    }
    all.putAll(said);
    return all;
  }

  /** Hands over what another instance sent. */
  Played deliver(Step.Message message) {
    snapshot = accept(Kernel.step(chart, snapshot, message.event(), now)).after();
    return this;
  }

  /** Sends an event that the machine must refuse, and gives back why. */
  Rejection.Code refuses(String event, Object... data) {
    Answer answer = Kernel.step(chart, snapshot, Event.external(event, map(data), actor), now);
    assertThat(answer).as("%s in %s", event, states()).isInstanceOf(Rejection.class);
    return ((Rejection) answer).code();
  }

  /** Lets time pass; timers fire when they are due, in order. */
  Played pass(String duration) {
    long end = now + Durations.parse(duration).orElseThrow().toMillis();
    while (true) {
      Optional<Timer> next =
          snapshot.memory().timers().stream()
              .filter(t -> t.due() <= end)
              .min(Comparator.comparingLong(Timer::due));
      if (next.isEmpty()) {
        now = end;
        return this;
      }
      now = Math.max(now, next.get().due());
      snapshot = accept(Kernel.fire(chart, snapshot, next.get().id(), now)).after();
    }
  }

  /** The active states that have no active child. */
  List<String> states() {
    return snapshot.configuration().leaves();
  }

  boolean in(String state) {
    return snapshot.configuration().contains(state);
  }

  boolean isDone() {
    return snapshot.done();
  }

  @Nullable Object value(String field) {
    return snapshot.context().value(field);
  }

  /** The kinds of the records emitted so far. */
  List<String> records() {
    return records.stream().map(Step.Emitted::kind).toList();
  }

  /** The field of the last record of the kind. */
  @Nullable Object lastRecord(String kind, String field) {
    Object data =
        records.stream()
            .filter(r -> r.kind().equals(kind))
            .reduce((a, b) -> b)
            .orElseThrow()
            .data();
    return data instanceof Map<?, ?> map ? map.get(field) : null;
  }

  List<Step.Message> messages() {
    return messages;
  }

  List<ChildChange> children() {
    return children;
  }

  private Step accept(Answer answer) {
    assertThat(answer).isInstanceOf(Step.class);
    Step step = (Step) answer;
    records.addAll(step.records());
    messages.addAll(step.messages());
    children.addAll(step.children());
    assertThat(step.violations()).isEmpty();
    return step;
  }

  static Map<String, Object> map(Object... namesAndValues) {
    Map<String, Object> map = new LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      Object value = namesAndValues[i + 1];
      map.put((String) namesAndValues[i], value instanceof Integer n ? Long.valueOf(n) : value);
    }
    return map;
  }
}
