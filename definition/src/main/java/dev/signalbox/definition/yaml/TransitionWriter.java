package dev.signalbox.definition.yaml;

import dev.signalbox.kernel.machine.Durations;
import dev.signalbox.kernel.machine.Guard;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.Transition;
import dev.signalbox.kernel.machine.Trigger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes transitions; the counterpart of {@link TransitionReader}. They go under {@code on}, {@code
 * always} and {@code after} when reading those gives the same order again, and otherwise into one
 * list under {@code transitions}.
 */
final class TransitionWriter {
  private final ValueWriter values;
  private final ActionWriter actions;
  private final Consumer<String> cannotSay;

  TransitionWriter(ValueWriter values, ActionWriter actions, Consumer<String> cannotSay) {
    this.values = values;
    this.actions = actions;
    this.cannotSay = cannotSay;
  }

  void putTransitions(Part.Builder state, List<Transition> transitions) {
    Map<String, Map<String, List<Transition>>> grouped = grouped(transitions);
    if (grouped == null) {
      state.put(
          "transitions", new Part.Items(transitions.stream().map(this::listed).toList(), true));
      return;
    }
    grouped.forEach((section, byKey) -> {
      if (section.equals("always")) {
        state.put(section, group(byKey.getOrDefault("", List.of())));
        return;
      }
      Part.Builder map = new Part.Builder();
      byKey.forEach((key, group) -> map.put(key, group(group)));
      boolean small = map.entries().size() == 1 && map.entries().getFirst().value().isScalar();
      state.put(section, new Part.Entries(map.entries(), !small));
    });
  }

  /** Section, then key, then transitions; null when that would lose their order. */
  private @Nullable Map<String, Map<String, List<Transition>>> grouped(
      List<Transition> transitions) {
    Map<String, Map<String, List<Transition>>> grouped = new LinkedHashMap<>();
    String lastSection = "";
    String lastKey = "";
    for (Transition transition : transitions) {
      String section = section(transition.trigger());
      String key = key(transition.trigger());
      if (key == null || (!section.equals(lastSection) && grouped.containsKey(section))) {
        return null;
      }
      Map<String, List<Transition>> byKey =
          grouped.computeIfAbsent(section, _ -> new LinkedHashMap<>());
      boolean continues = section.equals(lastSection) && key.equals(lastKey);
      if (byKey.containsKey(key) && !continues) {
        return null;
      }
      byKey.computeIfAbsent(key, _ -> new ArrayList<>()).add(transition);
      lastSection = section;
      lastKey = key;
    }
    return grouped;
  }

  private static String section(Trigger trigger) {
    return switch (trigger) {
      case Trigger.On _ -> "on";
      case Trigger.Always _ -> "always";
      case Trigger.After _ -> "after";
    };
  }

  /** What the transition stands under; null when only a list can hold it. */
  private @Nullable String key(Trigger trigger) {
    return switch (trigger) {
      case Trigger.On(List<String> descriptors) -> descriptors(descriptors);
      case Trigger.Always _ -> "";
      case Trigger.After(Operand delay, String event, boolean _) -> {
        if (event != null) {
          yield Names.isName(event) && Durations.parse(event).isEmpty() ? event : null;
        }
        yield delay instanceof Operand.Literal(Duration duration)
            ? values.duration(duration)
            : null;
      }
    };
  }

  private String descriptors(List<String> descriptors) {
    boolean words = descriptors.stream().allMatch(d -> !d.isEmpty() && d.strip().equals(d));
    if (descriptors.isEmpty() || !words || descriptors.stream().anyMatch(d -> d.contains(" "))) {
      cannotSay.accept("a transition waits for the events " + descriptors);
    }
    return String.join(" ", descriptors);
  }

  private Part group(List<Transition> transitions) {
    List<Part> parts = new ArrayList<>();
    for (Transition transition : transitions) {
      Part.Builder map = new Part.Builder();
      if (transition.trigger() instanceof Trigger.After(var delay, var event, var cumulative)) {
        map.put("in", event == null ? null : values.delay(delay));
        map.put("clock", cumulative ? "cumulative" : null);
      }
      parts.add(transition(transition, map));
    }
    return parts.size() == 1 ? parts.getFirst() : new Part.Items(parts, true);
  }

  private Part listed(Transition transition) {
    Part.Builder map = new Part.Builder();
    switch (transition.trigger()) {
      case Trigger.Always _ -> {}
      case Trigger.On(List<String> descriptors) -> map.put("on", descriptors(descriptors));
      case Trigger.After(Operand delay, String event, boolean cumulative) ->
          map.put("after", values.delay(delay))
              .put("event", event)
              .put("clock", cumulative ? "cumulative" : null);
    }
    return transition(transition, map);
  }

  /** The default entry of a state: as short as it can be. */
  @Nullable Part initial(@Nullable Transition transition) {
    if (transition == null) {
      return null;
    }
    if (!(transition.trigger() instanceof Trigger.Always) || transition.guard() != null) {
      cannotSay.accept("an initial transition has a trigger or a guard");
    }
    boolean plain = transition.equals(Transition.to(transition.targets()));
    return plain && !transition.targets().isEmpty()
        ? Part.oneOrList(transition.targets())
        : transition(transition.when(null), new Part.Builder());
  }

  private Part transition(Transition transition, Part.Builder map) {
    List<String> targets = transition.targets();
    map.put("to", targets.isEmpty() ? null : Part.oneOrList(targets));
    Guard guard = transition.guard();
    if (guard != null) {
      map.put("when", values.condition(guard.condition())).put("guard", guard.name());
    }
    map.flag("internal", transition.internal());
    actions.putActions(map, transition.actions());
    map.put("label", transition.label());
    boolean onlyTarget = map.entries().size() == 1 && targets.size() == 1;
    return onlyTarget ? Part.text(targets.getFirst()) : map.flow();
  }
}
