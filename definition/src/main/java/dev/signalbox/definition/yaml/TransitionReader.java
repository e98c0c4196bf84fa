package dev.signalbox.definition.yaml;

import dev.signalbox.definition.Place;
import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.Durations;
import dev.signalbox.kernel.machine.Guard;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.Transition;
import dev.signalbox.kernel.machine.Trigger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads transitions in their short and long forms. */
final class TransitionReader {
  private static final Set<String> KEYS =
      TypeReader.ordered("to", "when", "guard", "assign", "emit", "do", "internal", "label");
  private static final Set<String> AFTER_KEYS = with(KEYS, "in", "clock");
  private static final Set<String> LISTED_KEYS = with(KEYS, "on", "after", "event", "clock");
  private static final Set<String> INITIAL_KEYS =
      TypeReader.ordered("to", "assign", "emit", "do", "internal", "label");

  private final Reading reading;
  private final Values values;
  private final ActionReader actions;

  TransitionReader(Reading reading) {
    this.reading = reading;
    this.values = new Values(reading);
    this.actions = new ActionReader(reading);
  }

  private static Set<String> with(Set<String> keys, String... more) {
    Set<String> all = new LinkedHashSet<>(keys);
    all.addAll(List.of(more));
    return all;
  }

  /** Makes a new trigger for each transition: elements are never shared. */
  private interface TriggerForm {
    @Nullable Trigger trigger(@Nullable Keys keys, Place place);
  }

  List<Transition> on(Node node) {
    List<Transition> found = new ArrayList<>();
    for (Keys.Named entry : Keys.named(reading, node, "a map of events and transitions")) {
      List<String> descriptors = descriptors(entry.name(), entry.place());
      addAll(entry.value(), entry.place(), KEYS, (_, _) -> new Trigger.On(descriptors), found);
    }
    return found;
  }

  List<Transition> always(Node node) {
    List<Transition> found = new ArrayList<>();
    addAll(node, null, KEYS, (_, _) -> new Trigger.Always(), found);
    return found;
  }

  List<Transition> after(Node node) {
    List<Transition> found = new ArrayList<>();
    for (Keys.Named entry : Keys.named(reading, node, "a map of durations and transitions")) {
      addAll(entry.value(), entry.place(), AFTER_KEYS, (k, p) -> after(entry, k, p), found);
    }
    return found;
  }

  private @Nullable Trigger after(Keys.Named entry, @Nullable Keys keys, Place place) {
    boolean cumulative = keys != null && isCumulative(keys);
    Optional<Duration> duration = Durations.parse(entry.name());
    Node in = keys == null ? null : keys.node("in");
    if (duration.isPresent()) {
      if (in != null && keys != null) {
        Conflicts.report(reading, keys, "in", entry.name());
      }
      Operand delay = reading.placed(Operand.literal(duration.get()), entry.place());
      return new Trigger.After(delay, null, cumulative);
    }
    if (in == null) {
      reading.error(
          "bad-duration",
          entry.place(),
          "Expected a duration, or a name and 'in', but found '"
              + Reading.shortened(entry.name())
              + "'"
              + (place.equals(entry.place()) ? "." : " without 'in'."),
          "Durations look like 250ms, 90s, 5m, 24h, 7d or 1h30m.");
      return null;
    }
    if (!Names.isGood(reading, entry, "the name of a timer's event")) {
      return null;
    }
    Operand delay = values.delay(in);
    return delay == null ? null : new Trigger.After(delay, entry.name(), cumulative);
  }

  private boolean isCumulative(Keys keys) {
    Node clock = keys.node("clock");
    if (clock == null) {
      return false;
    }
    if (!(clock instanceof Node.Scalar scalar) || !scalar.text().equals("cumulative")) {
      reading.wrongType(clock, "'cumulative'", "Without 'clock' every visit starts anew.");
    }
    return true;
  }

  /** Transitions of any kind in one list, where their order matters. */
  List<Transition> listed(Node node) {
    List<Transition> found = new ArrayList<>();
    for (Node item : Keys.items(reading, node, "a list of transitions")) {
      addOne(item, item.place(), LISTED_KEYS, this::listedTrigger, found);
    }
    return found;
  }

  private @Nullable Trigger listedTrigger(@Nullable Keys keys, Place place) {
    if (keys == null) {
      return new Trigger.Always();
    }
    Node on = keys.node("on");
    Node after = keys.node("after");
    if (on != null) {
      for (String other : List.of("after", "event", "clock")) {
        if (keys.has(other)) {
          Conflicts.report(reading, keys, other, "on");
        }
      }
      String text = Keys.name(reading, on, "the name of an event");
      return text == null ? null : new Trigger.On(descriptors(text, on.place()));
    }
    if (after == null) {
      for (String other : List.of("event", "clock")) {
        if (keys.has(other)) {
          reading.error(
              "missing-key",
              keys.placeOf(other),
              "Expected '" + other + "' beside 'after', but there is no 'after'.",
              "");
        }
      }
      return new Trigger.Always();
    }
    Operand delay = values.delay(after);
    return delay == null ? null : new Trigger.After(delay, keys.name("event"), isCumulative(keys));
  }

  private List<String> descriptors(String text, Place place) {
    List<String> found = List.of(text.strip().split("\\s+"));
    if (text.isBlank()) {
      reading.error("bad-name", place, "Expected the name of an event, but it is empty.", "");
    }
    return found;
  }

  /** A state, a list of states, or a transition without trigger and guard. */
  @Nullable Transition initial(@Nullable Node node, String what) {
    if (node == null) {
      return null;
    }
    if (!(node instanceof Node.Mapping)) {
      List<String> targets = targets(node, what);
      return targets.isEmpty() ? null : reading.placed(Transition.to(targets), node.place());
    }
    Keys keys = Keys.of(reading, node, "'" + what + "'", INITIAL_KEYS);
    if (keys == null || keys.required("to", "'" + what + "'") == null) {
      return null;
    }
    return reading.placed(transition(keys, new Trigger.Always()), node.place());
  }

  /** A target, a map, or a list of these. */
  private void addAll(
      Node node,
      @Nullable Place keyPlace,
      Set<String> known,
      TriggerForm trigger,
      List<Transition> into) {
    if (node instanceof Node.Sequence list) {
      for (Node item : list.items()) {
        addOne(item, item.place(), known, trigger, into);
      }
    } else {
      addOne(node, keyPlace == null ? node.place() : keyPlace, known, trigger, into);
    }
  }

  private void addOne(
      Node node, Place place, Set<String> allowed, TriggerForm form, List<Transition> into) {
    Keys keys = null;
    List<String> targets = List.of();
    switch (node) {
      case Node.Mapping _ -> {
        keys = Keys.of(reading, node, "a transition", allowed);
        if (keys == null) {
          return;
        }
      }
      case Node.Sequence _ -> {
        reading.wrongType(node, "a target or a map", "Several targets are { to: [A, B] }.");
        return;
      }
      case Node.Scalar scalar -> {
        if (scalar.kind() == Node.Kind.NOTHING) {
          reading.wrongType(
              node, "a target or a map", "An event that changes nothing is written { }.");
          return;
        }
        targets = targets(node, "a transition");
      }
    }
    Trigger trigger = form.trigger(keys, place);
    // A transition whose trigger is bad is still read, for the problems inside it.
    Trigger known = trigger == null ? new Trigger.Always() : trigger;
    Transition transition =
        keys == null
            ? new Transition(known, null, targets, false, List.of(), null)
            : transition(keys, known);
    if (trigger != null) {
      into.add(reading.placed(transition, place));
    }
  }

  private Transition transition(Keys keys, Trigger trigger) {
    Node to = keys.node("to");
    List<Action> all = new ArrayList<>();
    Node assign = keys.node("assign");
    if (assign != null) {
      all.addAll(actions.assigns(assign));
    }
    Node emit = keys.node("emit");
    if (emit != null) {
      all.addAll(actions.emits(emit));
    }
    all.addAll(actions.actions(keys.node("do")));
    return new Transition(
        trigger,
        guard(keys),
        to == null ? List.of() : targets(to, "'to'"),
        keys.flag("internal"),
        all,
        keys.text("label"));
  }

  private @Nullable Guard guard(Keys keys) {
    Node when = keys.node("when");
    if (when == null) {
      if (keys.has("guard")) {
        reading.error(
            "missing-key",
            keys.placeOf("guard"),
            "Expected 'when' beside 'guard', but there is no condition.",
            "'guard' is only what people call the condition.");
      }
      return null;
    }
    Operand.Expr condition = values.expression(when);
    return reading.placed(new Guard(keys.name("guard"), condition), reading.places().of(condition));
  }

  private List<String> targets(Node node, String what) {
    List<Node> nodes = node instanceof Node.Sequence list ? list.items() : List.of(node);
    List<String> targets = new ArrayList<>();
    for (Node item : nodes) {
      String name = Keys.name(reading, item, "the name of a state");
      if (name != null) {
        targets.add(name);
        reading.refer(name, item.place(), "unknown-target", what);
      }
    }
    return targets;
  }
}
