package dev.signalbox.definition.xstate;

import dev.signalbox.definition.Json;
import dev.signalbox.definition.Place;
import dev.signalbox.definition.Problems;
import dev.signalbox.kernel.machine.Field;
import dev.signalbox.kernel.machine.Invoke;
import dev.signalbox.kernel.machine.Limits;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.Transition;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes a machine as the JSON configuration of an XState 5 machine. */
public final class XStateWriter {
  private final Problems problems;
  private final TransitionJson transitions;

  private XStateWriter(Problems problems) {
    this.problems = problems;
    this.transitions = new TransitionJson(this::lost);
  }

  /** The configuration; each thing that it cannot say is a warning. */
  public static String write(Machine machine, Problems problems) {
    return Json.pretty(new XStateWriter(problems).machine(machine)) + "\n";
  }

  private Map<String, @Nullable Object> machine(Machine machine) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("id", machine.name());
    json.put("version", String.valueOf(machine.version()));
    if (machine.description() != null) {
      json.put("description", machine.description());
    }
    Map<String, @Nullable Object> context = new LinkedHashMap<>();
    fields(machine.context(), context);
    collectData(machine.root(), context);
    if (!context.isEmpty()) {
      json.put("context", context);
    }
    String element = "the machine '%s'".formatted(machine.name());
    lost(machine.mode() != Machine.Mode.STRICT, element, "the mode scxml");
    lost(!machine.context().isEmpty(), element, "the types of the context");
    lost(!machine.events().isEmpty(), element, "what it declares of events");
    lost(!machine.invariants().isEmpty(), element, "the invariants");
    lost(!machine.limits().equals(Limits.DEFAULT), element, "the limits");
    body(machine.root(), json);
    return json;
  }

  private void collectData(State state, Map<String, @Nullable Object> context) {
    fields(state.data(), context);
    state.children().forEach(child -> collectData(child, context));
  }

  private void fields(List<Field> fields, Map<String, @Nullable Object> context) {
    for (Field field : fields) {
      Operand initial = field.initial();
      boolean computed = initial instanceof Operand.Expr;
      lost(computed, "the field '%s'".formatted(field.name()), "a value computed at the start");
      context.put(field.name(), initial == null || computed ? null : ActionJson.value(initial));
    }
  }

  private Map<String, @Nullable Object> state(State state) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("id", state.id());
    switch (state.kind()) {
      case PARALLEL -> json.put("type", "parallel");
      case FINAL -> json.put("type", "final");
      case SHALLOW_HISTORY, DEEP_HISTORY -> history(state, json);
      case FORK, JOIN, CHOICE ->
          lost(true, "the state '%s'".formatted(state.id()), "that it is a point of a drawing");
      case STATE -> {}
    }
    if (state.note() != null) {
      json.put("description", state.note());
    }
    meta(state, json);
    body(state, json);
    return json;
  }

  private static void history(State state, Map<String, @Nullable Object> json) {
    json.put("type", "history");
    json.put("history", state.kind() == State.Kind.DEEP_HISTORY ? "deep" : "shallow");
    Transition initial = state.initial();
    if (initial != null) {
      json.put("target", TransitionJson.target(initial.targets()));
    }
  }

  private static void meta(State state, Map<String, @Nullable Object> json) {
    Map<String, Object> meta = new LinkedHashMap<>();
    List<String> tools = state.tools();
    if (tools != null) {
      meta.put("tools", tools);
    }
    String waits = state.waits();
    if (waits != null) {
      meta.put("waits", waits);
    }
    if (!meta.isEmpty()) {
      json.put("meta", meta);
    }
  }

  private void body(State state, Map<String, @Nullable Object> json) {
    String element = "the state '%s'".formatted(state.id());
    initial(state, json, element);
    if (!state.invokes().isEmpty()) {
      json.put("invoke", state.invokes().stream().map(i -> invoke(i, element)).toList());
    }
    lost(state.entry().size() > 1 || state.exit().size() > 1, element, "separate action blocks");
    if (!state.entry().isEmpty()) {
      json.put("entry", ActionJson.of(state.entry().stream().flatMap(List::stream).toList()));
    }
    if (!state.exit().isEmpty()) {
      json.put("exit", ActionJson.of(state.exit().stream().flatMap(List::stream).toList()));
    }
    if (state.done() != null) {
      json.put("output", ActionJson.payload(state.done()));
    }
    transitions.put(state, json);
    if (!state.children().isEmpty()) {
      Map<String, Object> states = new LinkedHashMap<>();
      state.children().forEach(child -> states.put(child.id(), state(child)));
      json.put("states", states);
    }
  }

  private void initial(State state, Map<String, @Nullable Object> json, String element) {
    if (state.children().isEmpty() || state.kind() != State.Kind.STATE) {
      return;
    }
    Transition initial = state.initial();
    List<String> targets =
        initial == null ? List.of(state.children().getFirst().id()) : initial.targets();
    boolean child =
        targets.size() == 1
            && state.children().stream().anyMatch(c -> c.id().equals(targets.getFirst()));
    lost(!child, element, "an initial state that is not its child");
    lost(initial != null && !initial.actions().isEmpty(), element, "actions at its start");
    lost(initial != null && initial.label() != null, element, "the label of its start");
    json.put("initial", child ? targets.getFirst() : owner(state, targets));
  }

  /** The child that holds the first target, so that the configuration can at least be loaded. */
  private static String owner(State state, List<String> targets) {
    return state.children().stream()
        .filter(c -> targets.stream().anyMatch(t -> holds(c, t)))
        .findFirst()
        .orElse(state.children().getFirst())
        .id();
  }

  private static boolean holds(State state, String id) {
    return state.id().equals(id) || state.children().stream().anyMatch(c -> holds(c, id));
  }

  private Map<String, @Nullable Object> invoke(Invoke invoke, String element) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    Operand source = invoke.source();
    if (source instanceof Operand.Literal(var name)) {
      json.put("src", String.valueOf(name));
    } else {
      json.put("src", invoke.id() == null ? "machine" : invoke.id());
      lost(true, element, "an invoked machine that is inline or computed");
    }
    if (invoke.id() != null) {
      json.put("id", invoke.id());
    }
    if (!invoke.input().isEmpty()) {
      json.put("input", ActionJson.payload(invoke.input()));
    }
    lost(invoke.autoforward(), element, "autoforward");
    lost(!invoke.finalizer().isEmpty(), element, "finalize");
    lost(invoke.idLocation() != null || invoke.type() != null, element, "an invocation's details");
    return json;
  }

  private void lost(boolean condition, String element, String what) {
    if (condition) {
      lost(element, what);
    }
  }

  private void lost(String element, String what) {
    problems.warning(
        "beyond-xstate",
        Place.START,
        "Expected to write all of %s, but XState has no words for: %s.".formatted(element, what),
        "YAML and SCXML keep all of it.");
  }

  /** Collects what is lost of an element. */
  interface Loss {
    void of(String element, String what);
  }
}
