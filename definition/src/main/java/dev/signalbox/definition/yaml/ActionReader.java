package dev.signalbox.definition.yaml;

import dev.signalbox.definition.Place;
import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.Payload;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads actions. */
final class ActionReader {
  private static final Set<String> ACTIONS =
      TypeReader.ordered(
          "assign", "raise", "send", "cancel", "emit", "perform", "log", "if", "foreach");
  private static final Set<String> ACTION_KEYS =
      TypeReader.ordered(
          "assign", "raise", "send", "cancel", "emit", "perform", "log", "if", "foreach", "then",
          "elif", "else");
  private static final Set<String> IF_KEYS = TypeReader.ordered("if", "then", "elif", "else");
  private static final Set<String> ELIF_KEYS = TypeReader.ordered("if", "then");
  private static final Set<String> RAISE_KEYS = TypeReader.ordered("event", "data");
  private static final Set<String> SEND_KEYS =
      TypeReader.ordered("event", "to", "type", "id", "id_location", "after", "data");
  private static final Set<String> EMIT_KEYS = TypeReader.ordered("record", "data");
  private static final Set<String> PERFORM_KEYS =
      TypeReader.ordered("effect", "reply", "idempotent", "during", "retry", "with");
  private static final Set<String> LOG_KEYS = TypeReader.ordered("label", "value");
  private static final Set<String> FOREACH_KEYS = TypeReader.ordered("in", "item", "index", "do");

  private final Reading reading;
  private final Values values;

  ActionReader(Reading reading) {
    this.reading = reading;
    this.values = new Values(reading);
  }

  /** A list of actions; empty when absent. */
  List<Action> actions(@Nullable Node node) {
    List<Action> actions = new ArrayList<>();
    if (node != null) {
      for (Node item : Keys.items(reading, node, "a list of actions")) {
        addAction(item, actions);
      }
    }
    return actions;
  }

  /** A list of actions is one block; a list of lists is several. */
  List<List<Action>> blocks(@Nullable Node node) {
    List<List<Action>> blocks = new ArrayList<>();
    if (node == null) {
      return blocks;
    }
    List<Node> items = Keys.items(reading, node, "a list of actions");
    if (items.stream().anyMatch(Node.Sequence.class::isInstance)) {
      items.forEach(block -> blocks.add(actions(block)));
    } else if (!items.isEmpty()) {
      blocks.add(actions(node));
    }
    return blocks;
  }

  private void addAction(Node node, List<Action> actions) {
    Keys keys = Keys.of(reading, node, "an action", ACTION_KEYS);
    if (keys == null) {
      return;
    }
    List<String> named = keys.present().stream().filter(ACTIONS::contains).toList();
    if (named.size() != 1) {
      String found =
          named.isEmpty() ? "there is none" : "found '" + String.join("', '", named) + "'";
      reading.error(
          "wrong-type",
          node.place(),
          "Expected one action, but " + found + ".",
          named.isEmpty()
              ? "Actions: " + String.join(", ", ACTIONS) + "."
              : "Write each as an item of the list.");
      return;
    }
    String name = named.getFirst();
    Conflicts.reportAllBut(reading, keys, name, name.equals("if") ? IF_KEYS : Set.of(name));
    Node form = keys.node(name);
    if (form == null) {
      return;
    }
    Place place = keys.placeOf(name);
    switch (name) {
      case "assign" -> actions.addAll(assigns(form));
      case "raise" -> add(actions, raise(form), place);
      case "send" -> add(actions, send(form), place);
      case "cancel" -> {
        Operand id = values.name(form, "the id of a send");
        add(actions, id == null ? null : new Action.Cancel(id), place);
      }
      case "emit" -> add(actions, emit(form), place);
      case "perform" -> add(actions, perform(form), place);
      case "log" -> add(actions, log(form), place);
      case "if" -> add(actions, choice(keys), place);
      case "foreach" -> add(actions, foreach(form), place);
      default -> throw new IllegalStateException(name);
    }
  }

  private void add(List<Action> actions, @Nullable Action action, Place place) {
    if (action != null) {
      actions.add(reading.placed(action, place));
    }
  }

  /** {@code path: value} entries. */
  List<Action> assigns(Node node) {
    List<Action> assigns = new ArrayList<>();
    for (Keys.Named entry : Keys.named(reading, node, "a map of paths and values")) {
      if (entry.name().isBlank()) {
        reading.error(
            "bad-name", entry.place(), "Expected the path of a field, but it is empty.", "");
        continue;
      }
      Action assign = new Action.Assign(entry.name(), values.value(entry.value()));
      assigns.add(reading.placed(assign, entry.place()));
    }
    return assigns;
  }

  /** One record or a list of records, as a transition has them. */
  List<Action> emits(Node node) {
    List<Action> emits = new ArrayList<>();
    List<Node> items = node instanceof Node.Sequence list ? list.items() : List.of(node);
    for (Node item : items) {
      add(emits, emit(item), item.place());
    }
    return emits;
  }

  private @Nullable Action emit(Node node) {
    if (!(node instanceof Node.Mapping)) {
      String kind = Keys.name(reading, node, "a kind of record");
      return kind == null ? null : new Action.Emit(kind, Payload.NONE);
    }
    Keys keys = Keys.of(reading, node, "a record", EMIT_KEYS);
    if (keys == null || keys.required("record", "'emit'") == null) {
      return null;
    }
    String kind = keys.name("record");
    return kind == null ? null : new Action.Emit(kind, values.payload(keys.node("data")));
  }

  private @Nullable Action raise(Node node) {
    if (!(node instanceof Node.Mapping)) {
      Operand event = values.name(node, "the name of an event");
      return event == null ? null : new Action.Raise(event, Payload.NONE);
    }
    Keys keys = Keys.of(reading, node, "'raise'", RAISE_KEYS);
    Node name = keys == null ? null : keys.required("event", "'raise'");
    if (keys == null || name == null) {
      return null;
    }
    Operand event = values.name(name, "the name of an event");
    return event == null ? null : new Action.Raise(event, values.payload(keys.node("data")));
  }

  private @Nullable Action send(Node node) {
    Keys keys = Keys.of(reading, node, "'send'", SEND_KEYS);
    if (keys == null) {
      return null;
    }
    Node event = keys.node("event");
    Node to = keys.node("to");
    Node type = keys.node("type");
    Node after = keys.node("after");
    if (event == null && !keys.has("data")) {
      keys.required("event", "'send'");
    }
    return new Action.Send(
        event == null ? null : values.name(event, "the name of an event"),
        to == null ? null : address(to),
        type == null ? null : values.name(type, "the type of a transport"),
        keys.name("id"),
        keys.name("id_location"),
        after == null ? null : values.delay(after),
        values.payload(keys.node("data")));
  }

  /** Who a send goes to; null is the instance itself. */
  private @Nullable Operand address(Node node) {
    if (node instanceof Node.Mapping mapping && mapping.entries().size() == 1) {
      Keys.Named entry = Keys.named(reading, node, "an address").stream().findFirst().orElse(null);
      if (entry != null && entry.name().equals("child")) {
        String id = Keys.name(reading, entry.value(), "the id of an invoke");
        return id == null ? null : reading.placed(Operand.literal("#_" + id), node.place());
      }
      if (entry != null && entry.name().equals("instance")) {
        return instance(values.expression(entry.value()));
      }
    }
    Operand address = values.name(node, "self, parent, { child: id } or { instance: expression }");
    if (address instanceof Operand.Literal(Object name) && node instanceof Node.Scalar) {
      if ("self".equals(name)) {
        return null;
      }
      if ("parent".equals(name)) {
        return reading.placed(Operand.literal("#_parent"), node.place());
      }
    }
    return address;
  }

  /** The expression with its frame, placed so that offsets inside it still fall on the source. */
  private Operand instance(Operand.Expr inner) {
    Place place = reading.places().of(inner);
    int column = Math.max(1, place.column() - Values.INSTANCE.length());
    return reading.placed(
        Operand.expr(Values.INSTANCE + inner.text() + ")"), new Place(place.line(), column));
  }

  private @Nullable Action perform(Node node) {
    Keys keys = Keys.of(reading, node, "'perform'", PERFORM_KEYS);
    if (keys == null || keys.required("effect", "'perform'") == null) {
      return null;
    }
    String effect = keys.name("effect");
    String reply = keys.has("reply") ? keys.name("reply") : effect;
    if (effect == null || reply == null) {
      return null;
    }
    Node state = keys.node("during");
    String during = state == null ? null : keys.name("during");
    if (state != null && during != null) {
      reading.refer(during, state.place(), "unknown-state", "'during'");
    }
    boolean idempotent = keys.flag("idempotent");
    return new Action.Perform(
        effect,
        reply,
        idempotent,
        during,
        new RetryReader(reading, values).read(keys.node("retry"), idempotent),
        values.payload(keys.node("with")));
  }

  private @Nullable Action log(Node node) {
    if (!(node instanceof Node.Mapping)) {
      return new Action.Log(null, values.value(node));
    }
    Keys keys = Keys.of(reading, node, "'log'", LOG_KEYS);
    if (keys == null) {
      return null;
    }
    Node value = keys.node("value");
    return new Action.Log(keys.text("label"), value == null ? null : values.value(value));
  }

  private Action choice(Keys keys) {
    List<Action.Branch> branches = new ArrayList<>();
    branches.add(branch(keys));
    Node others = keys.node("elif");
    if (others != null) {
      for (Node item : Keys.items(reading, others, "a list of { if, then }")) {
        Keys other = Keys.of(reading, item, "'elif'", ELIF_KEYS);
        if (other != null) {
          branches.add(branch(other));
        }
      }
    }
    return new Action.If(branches, actions(keys.node("else")));
  }

  private Action.Branch branch(Keys keys) {
    Node condition = keys.required("if", "a branch");
    Node then = keys.required("then", "a branch");
    Operand.Expr expr =
        condition == null
            ? reading.placed(Operand.expr("false"), keys.place())
            : values.expression(condition);
    return new Action.Branch(expr, actions(then));
  }

  private @Nullable Action foreach(Node node) {
    Keys keys = Keys.of(reading, node, "'foreach'", FOREACH_KEYS);
    if (keys == null) {
      return null;
    }
    Node list = keys.required("in", "'foreach'");
    Node itemNode = keys.required("item", "'foreach'");
    String item = keys.name("item");
    List<Action> body = actions(keys.node("do"));
    if (list == null || itemNode == null || item == null) {
      return null;
    }
    return new Action.Foreach(values.expression(list), item, keys.name("index"), body);
  }
}
