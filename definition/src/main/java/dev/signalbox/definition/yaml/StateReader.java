package dev.signalbox.definition.yaml;

import dev.signalbox.definition.Place;
import dev.signalbox.kernel.machine.Invoke;
import dev.signalbox.kernel.machine.Limits;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.State.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads states, what is below them and what they invoke. */
final class StateReader {
  private static final Set<String> KEYS =
      TypeReader.ordered(
          "on",
          "always",
          "after",
          "transitions",
          "entry",
          "exit",
          "states",
          "initial",
          "parallel",
          "final",
          "done",
          "history",
          "default",
          "point",
          "invoke",
          "tools",
          "waits",
          "note",
          "data");
  private static final Set<String> FINAL_KEYS = Set.of("final", "done", "entry", "exit", "note");
  private static final Set<String> HISTORY_KEYS = Set.of("history", "default", "note");
  private static final Set<String> POINT_KEYS =
      Set.of("point", "on", "always", "transitions", "note");
  private static final Set<String> INVOKE_KEYS =
      TypeReader.ordered(
          "machine",
          "id",
          "with",
          "autoforward",
          "finalize",
          "id_location",
          "type",
          "inline",
          "content");
  private static final List<String> SCXML_INVOKE_KEYS =
      List.of("id_location", "type", "inline", "content");

  private final Reading reading;
  private final Values values;
  private final TransitionReader transitions;
  private final ActionReader actions;
  private final TypeReader types;

  StateReader(Reading reading) {
    this.reading = reading;
    this.values = new Values(reading);
    this.transitions = new TransitionReader(reading);
    this.actions = new ActionReader(reading);
    this.types = new TypeReader(reading);
  }

  /** The states below a state or a machine, at the given level from 1. */
  List<State> states(Node node, int level) {
    List<State> states = new ArrayList<>();
    List<Keys.Named> named = Keys.named(reading, node, "a map of states");
    if (node instanceof Node.Mapping && named.isEmpty()) {
      reading.error(
          "missing-key", node.place(), "Expected at least one state, but there is none.", "");
    }
    if (level > Limits.DEPTH) {
      reading.error(
          "too-deep",
          node.place(),
          "Expected at most " + Limits.DEPTH + " levels of states, but found more.",
          "");
      return states;
    }
    for (Keys.Named entry : named) {
      if (reading.stateCount() == Limits.STATES) {
        reading.error(
            "too-many-states",
            entry.place(),
            "Expected at most 10,000 states in a machine, but there are more.",
            "Split it into several machines.");
        return states;
      }
      if (Names.isGood(reading, entry, "the name of a state")) {
        reading.declareState(entry.name(), entry.place());
      }
      states.add(reading.placed(state(entry, level), entry.place()));
    }
    return states;
  }

  private State state(Keys.Named entry, int level) {
    if (entry.value().isNothing()) {
      return State.named(entry.name()).build();
    }
    Keys keys = Keys.of(reading, entry.value(), "a state", KEYS);
    return keys == null ? State.named(entry.name()).build() : state(entry.name(), keys, level);
  }

  /** The state of the name with what stands under the keys; the root is at level 0. */
  State state(String name, Keys keys, int level) {
    State.Builder state = State.named(name);
    Kind kind = kind(keys);
    refuseSenselessKeys(keys, kind);
    state.kind(kind);
    state.initial(
        kind.isHistory()
            ? transitions.initial(keys.node("default"), "default")
            : transitions.initial(keys.node("initial"), "initial"));
    for (String key : keys.present()) {
      addPart(state, key, keys, level);
    }
    Node done = keys.node("done");
    return state
        .done(done == null ? null : values.payload(done))
        .waits(keys.text("waits"))
        .note(keys.text("note"))
        .build();
  }

  /** Transitions keep the order in which their keys stand. */
  private void addPart(State.Builder state, String key, Keys keys, int level) {
    Node node = keys.node(key);
    if (node == null) {
      return;
    }
    switch (key) {
      case "on" -> transitions.on(node).forEach(state::transition);
      case "always" -> transitions.always(node).forEach(state::transition);
      case "after" -> transitions.after(node).forEach(state::transition);
      case "transitions" -> transitions.listed(node).forEach(state::transition);
      case "entry" -> actions.blocks(node).forEach(state::onEntry);
      case "exit" -> actions.blocks(node).forEach(state::onExit);
      case "states" -> states(node, level + 1).forEach(state::child);
      case "invoke" -> addInvokes(state, node);
      case "tools" -> state.tools(Keys.names(reading, node, "the name of a tool"));
      case "data" -> {
        refuseOutsideScxml("data", keys.placeOf("data"));
        types.fields(node).forEach(state::field);
      }
      default -> {}
    }
  }

  private Kind kind(Keys keys) {
    List<Kind> kinds = new ArrayList<>();
    List<String> said = new ArrayList<>();
    if (keys.flag("parallel")) {
      kinds.add(Kind.PARALLEL);
      said.add("parallel");
    }
    if (keys.flag("final")) {
      kinds.add(Kind.FINAL);
      said.add("final");
    }
    Kind history =
        oneOf(keys, "history", List.of("shallow", "deep"), Kind.SHALLOW_HISTORY, Kind.DEEP_HISTORY);
    if (history != null) {
      kinds.add(history);
      said.add("history");
    }
    Kind point =
        oneOf(keys, "point", List.of("choice", "fork", "join"), Kind.CHOICE, Kind.FORK, Kind.JOIN);
    if (point != null) {
      kinds.add(point);
      said.add("point");
    }
    for (int i = 1; i < said.size(); i++) {
      Conflicts.report(reading, keys, said.get(i), said.getFirst());
    }
    return kinds.isEmpty() ? Kind.STATE : kinds.getFirst();
  }

  private @Nullable Kind oneOf(Keys keys, String key, List<String> words, Kind... kinds) {
    Node node = keys.node(key);
    if (node == null) {
      return null;
    }
    int index = node instanceof Node.Scalar scalar ? words.indexOf(scalar.text()) : -1;
    if (index < 0) {
      reading.wrongType(node, "one of '" + String.join("', '", words) + "'", "");
      return null;
    }
    return kinds[index];
  }

  private void refuseSenselessKeys(Keys keys, Kind kind) {
    switch (kind) {
      case STATE -> {
        if (keys.has("initial") && !keys.has("states")) {
          missing(keys, "initial", "states");
        }
      }
      case PARALLEL -> {
        if (keys.has("initial")) {
          Conflicts.report(reading, keys, "initial", "parallel");
        }
        if (!keys.has("states")) {
          missing(keys, "parallel", "states");
        }
      }
      case FINAL -> Conflicts.reportAllBut(reading, keys, "final", FINAL_KEYS);
      case SHALLOW_HISTORY, DEEP_HISTORY ->
          Conflicts.reportAllBut(reading, keys, "history", HISTORY_KEYS);
      case CHOICE, FORK, JOIN -> Conflicts.reportAllBut(reading, keys, "point", POINT_KEYS);
    }
    if (keys.has("done") && !keys.has("final")) {
      missing(keys, "done", "final");
    }
    if (keys.has("default") && !keys.has("history")) {
      missing(keys, "default", "history");
    }
  }

  private void missing(Keys keys, String key, String wanted) {
    reading.error(
        "missing-key",
        keys.placeOf(key),
        "Expected '" + key + "' beside '" + wanted + "', but there is no '" + wanted + "'.",
        "");
  }

  private void refuseOutsideScxml(String key, Place place) {
    if (reading.mode() != Machine.Mode.SCXML) {
      reading.error(
          "scxml-only",
          place,
          "Expected '" + key + "' only in scxml mode, but the machine is strict.",
          "Write 'mode: scxml' at the top, or leave it out.");
    }
  }

  private void addInvokes(State.Builder state, Node node) {
    List<Node> nodes = node instanceof Node.Sequence list ? list.items() : List.of(node);
    for (Node item : nodes) {
      Keys keys = Keys.of(reading, item, "an invoke", INVOKE_KEYS);
      if (keys != null) {
        state.invoke(reading.placed(invoke(keys), item.place()));
      }
    }
  }

  private Invoke invoke(Keys keys) {
    for (String key : SCXML_INVOKE_KEYS) {
      if (keys.has(key)) {
        refuseOutsideScxml(key, keys.placeOf(key));
      }
    }
    Node machine = keys.node("machine");
    Node inline = keys.node("inline");
    Node content = keys.node("content");
    Node type = keys.node("type");
    List<String> sources = new ArrayList<>();
    for (String key : List.of("machine", "inline", "content")) {
      if (keys.has(key)) {
        sources.add(key);
      }
    }
    if (sources.isEmpty() && type == null) {
      keys.required("machine", "an invoke");
    }
    for (int i = 1; i < sources.size(); i++) {
      Conflicts.report(reading, keys, sources.get(i), sources.getFirst());
    }
    Operand source = machine == null ? null : values.name(machine, "the name of a machine");
    return new Invoke(
        keys.name("id"),
        keys.name("id_location"),
        type == null ? null : values.name(type, "the type of a service"),
        source,
        inline == null ? null : MachineForm.read(inline, reading.problems(), reading.places()),
        content == null ? null : values.value(content),
        values.payload(keys.node("with")),
        keys.flag("autoforward"),
        actions.actions(keys.node("finalize")));
  }
}
