package dev.signalbox.definition.yaml;

import dev.signalbox.kernel.machine.Invoke;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.Payload;
import dev.signalbox.kernel.machine.State;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Writes states; the counterpart of {@link StateReader}. */
final class StateWriter {
  private final ValueWriter values;
  private final ActionWriter actions;
  private final TransitionWriter transitions;
  private final TypeWriter types;
  private final Consumer<String> cannotSay;

  StateWriter(Consumer<String> cannotSay) {
    this.cannotSay = cannotSay;
    this.values = new ValueWriter(cannotSay);
    this.actions = new ActionWriter(values, cannotSay);
    this.transitions = new TransitionWriter(values, actions, cannotSay);
    this.types = new TypeWriter(values);
  }

  /** Everything a state has, in the order in which it is best read. */
  void putState(Part.Builder map, State state) {
    map.put("note", state.note());
    putKind(map, state.kind());
    map.put(state.kind().isHistory() ? "default" : "initial", transitions.initial(state.initial()));
    Payload done = state.done();
    List<String> tools = state.tools();
    map.put("done", done == null ? null : values.present(done))
        .put("tools", tools == null ? null : Part.texts(tools))
        .put("waits", state.waits())
        .put("data", types.fields(state.data()))
        .put("invoke", invokes(state.invokes()))
        .put("entry", actions.blocks(state.entry()))
        .put("exit", actions.blocks(state.exit()));
    transitions.putTransitions(map, state.transitions());
    if (!state.children().isEmpty()) {
      map.put("states", states(state.children()));
    }
  }

  private Part states(List<State> states) {
    Part.Builder map = new Part.Builder();
    for (State state : states) {
      Part.Builder inner = new Part.Builder();
      putState(inner, state);
      map.put(state.id(), inner.block());
    }
    return new Part.Entries(map.entries(), true);
  }

  private static void putKind(Part.Builder map, State.Kind kind) {
    switch (kind) {
      case STATE -> {}
      case PARALLEL -> map.flag("parallel", true);
      case FINAL -> map.flag("final", true);
      case SHALLOW_HISTORY -> map.put("history", "shallow");
      case DEEP_HISTORY -> map.put("history", "deep");
      case CHOICE -> map.put("point", "choice");
      case FORK -> map.put("point", "fork");
      case JOIN -> map.put("point", "join");
    }
  }

  private @Nullable Part invokes(List<Invoke> invokes) {
    List<Part> parts = new ArrayList<>();
    for (Invoke invoke : invokes) {
      parts.add(invoke(invoke));
    }
    return parts.isEmpty()
        ? null
        : parts.size() == 1 ? parts.getFirst() : new Part.Items(parts, true);
  }

  private Part invoke(Invoke invoke) {
    Operand type = invoke.type();
    Operand source = invoke.source();
    Operand content = invoke.content();
    Machine inline = invoke.inline();
    return new Part.Builder()
        .put("machine", source == null ? null : values.name(source))
        .put("id", invoke.id())
        .put("id_location", invoke.idLocation())
        .put("type", type == null ? null : values.name(type))
        .put("with", values.payload(invoke.input()))
        .flag("autoforward", invoke.autoforward())
        .put("finalize", actions.actions(invoke.finalizer()))
        .put("content", content == null ? null : values.value(content))
        .put("inline", inline == null ? null : YamlWriter.machine(inline, cannotSay))
        .flow();
  }
}
