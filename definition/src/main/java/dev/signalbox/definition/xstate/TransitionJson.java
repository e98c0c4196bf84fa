package dev.signalbox.definition.xstate;

import dev.signalbox.kernel.machine.Guard;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.Transition;
import dev.signalbox.kernel.machine.Trigger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Transitions as XState groups them: by event, by delay, at once, and when all inside is done. */
final class TransitionJson {
  private final XStateWriter.Loss loss;

  TransitionJson(XStateWriter.Loss loss) {
    this.loss = loss;
  }

  void put(State state, Map<String, @Nullable Object> json) {
    Map<String, List<Object>> on = new LinkedHashMap<>();
    Map<String, List<Object>> after = new LinkedHashMap<>();
    List<Object> always = new ArrayList<>();
    List<Object> onDone = new ArrayList<>();
    for (Transition transition : forked(state)) {
      Object one = transition(state, transition);
      switch (transition.trigger()) {
        case Trigger.Always _ -> always.add(one);
        case Trigger.On(List<String> descriptors) -> {
          for (String descriptor : descriptors) {
            boolean done = descriptor.equals("done.state." + state.id());
            List<Object> list =
                done ? onDone : on.computeIfAbsent(event(descriptor), _ -> new ArrayList<>());
            list.add(one);
          }
        }
        case Trigger.After timer ->
            after.computeIfAbsent(delay(state, timer), _ -> new ArrayList<>()).add(one);
      }
    }
    putIfAny(json, "on", on);
    putIfAny(json, "after", after);
    if (!always.isEmpty()) {
      json.put("always", always);
    }
    if (!onDone.isEmpty()) {
      json.put("onDone", onDone);
    }
  }

  /** The ways out of a fork are taken together. */
  private static List<Transition> forked(State state) {
    if (state.kind() != State.Kind.FORK || state.transitions().size() < 2) {
      return state.transitions();
    }
    return List.of(
        Transition.to(state.transitions().stream().flatMap(t -> t.targets().stream()).toList()));
  }

  private static void putIfAny(
      Map<String, @Nullable Object> json, String key, Map<String, List<Object>> map) {
    if (!map.isEmpty()) {
      json.put(key, map);
    }
  }

  private static Map<String, @Nullable Object> transition(State source, Transition transition) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    if (!transition.targets().isEmpty()) {
      json.put("target", target(transition.targets()));
      boolean inside = transition.targets().stream().anyMatch(t -> holds(source, t));
      if (inside && !transition.internal()) {
        json.put("reenter", true);
      }
    }
    Guard guard = transition.guard();
    if (guard != null) {
      Map<String, Object> named = new LinkedHashMap<>();
      named.put("type", guard.name() == null ? "cel" : guard.name());
      named.put("params", Map.of("cel", guard.condition().text()));
      json.put("guard", named);
    }
    if (!transition.actions().isEmpty()) {
      json.put("actions", ActionJson.of(transition.actions()));
    }
    if (transition.label() != null) {
      json.put("description", transition.label());
    }
    return json;
  }

  /** Targets by id; XState takes an id apart at its dots unless they are marked. */
  static Object target(List<String> targets) {
    List<String> ids =
        targets.stream().map(t -> "#" + t.replace("\\", "\\\\").replace(".", "\\.")).toList();
    return ids.size() == 1 ? ids.getFirst() : ids;
  }

  private static boolean holds(State state, String id) {
    return state.id().equals(id) || state.children().stream().anyMatch(c -> holds(c, id));
  }

  private static String event(String descriptor) {
    String name =
        descriptor.endsWith(".") ? descriptor.substring(0, descriptor.length() - 1) : descriptor;
    if (name.startsWith("done.state.")) {
      return "xstate." + name;
    }
    return name.startsWith("done.invoke.")
        ? "xstate.done.actor." + name.substring("done.invoke.".length())
        : name;
  }

  private String delay(State state, Trigger.After timer) {
    String element = "a timer of '%s'".formatted(state.id());
    if (timer.cumulative()) {
      loss.of(element, "a cumulative clock");
    }
    if (timer.event() != null) {
      loss.of(element, "the event's name '%s'".formatted(timer.event()));
    }
    return switch (timer.delay()) {
      case Operand.Literal(Duration d) -> String.valueOf(d.toMillis());
      case Operand.Literal(var other) -> String.valueOf(other);
      case Operand.Expr(String text) -> {
        loss.of(element, "a computed delay; it names the delay '%s'".formatted(text));
        yield text;
      }
    };
  }
}
