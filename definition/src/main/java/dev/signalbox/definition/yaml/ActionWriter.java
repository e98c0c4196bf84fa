package dev.signalbox.definition.yaml;

import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.Retry;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Writes actions; the counterpart of {@link ActionReader}. */
final class ActionWriter {
  private final ValueWriter values;
  private final Consumer<String> cannotSay;

  ActionWriter(ValueWriter values, Consumer<String> cannotSay) {
    this.values = values;
    this.cannotSay = cannotSay;
  }

  /** Null for no actions. */
  @Nullable Part actions(List<Action> actions) {
    return actions.isEmpty() ? null : list(actions);
  }

  private Part list(List<Action> actions) {
    List<Part> parts = new ArrayList<>();
    int at = 0;
    while (at < actions.size()) {
      List<Action.Assign> assigns = assigns(actions, at);
      if (assigns.isEmpty()) {
        parts.add(action(actions.get(at)));
        at++;
      } else {
        parts.add(Part.Entries.of("assign", assignMap(assigns)));
        at += assigns.size();
      }
    }
    return new Part.Items(parts, parts.size() > 1);
  }

  /** Null for no blocks; one block is a plain list. */
  @Nullable Part blocks(List<List<Action>> blocks) {
    if (blocks.isEmpty()) {
      return null;
    }
    if (blocks.size() == 1 && !blocks.getFirst().isEmpty()) {
      return list(blocks.getFirst());
    }
    return Part.list(blocks.stream().map(this::list).toList());
  }

  /** A transition's actions: {@code assign}, then {@code emit}, then {@code do}. */
  void putActions(Part.Builder into, List<Action> actions) {
    List<Action.Assign> assigns = assigns(actions, 0);
    List<Part> emits = new ArrayList<>();
    int at = assigns.size();
    while (at < actions.size() && actions.get(at) instanceof Action.Emit emit) {
      emits.add(emit(emit));
      at++;
    }
    into.put("assign", assigns.isEmpty() ? null : assignMap(assigns));
    into.put(
        "emit", emits.isEmpty() ? null : emits.size() == 1 ? emits.getFirst() : Part.list(emits));
    into.put("do", actions(actions.subList(at, actions.size())));
  }

  /** The assignments from there on that one map can hold. */
  private static List<Action.Assign> assigns(List<Action> actions, int from) {
    List<Action.Assign> assigns = new ArrayList<>();
    Set<String> locations = new HashSet<>();
    for (Action action : actions.subList(from, actions.size())) {
      if (!(action instanceof Action.Assign assign) || !locations.add(assign.location())) {
        break;
      }
      assigns.add(assign);
    }
    return assigns;
  }

  private Part assignMap(List<Action.Assign> assigns) {
    Part.Builder map = new Part.Builder();
    assigns.forEach(a -> map.put(a.location(), values.value(a.value())));
    return map.flow();
  }

  private Part action(Action action) {
    return switch (action) {
      case Action.Assign assign -> Part.Entries.of("assign", assignMap(List.of(assign)));
      case Action.Raise raise -> Part.Entries.of("raise", raise(raise));
      case Action.Send send -> Part.Entries.of("send", send(send));
      case Action.Cancel(Operand id) -> Part.Entries.of("cancel", values.name(id));
      case Action.Log log -> Part.Entries.of("log", log(log));
      case Action.If choice -> choice(choice);
      case Action.Foreach loop -> Part.Entries.of("foreach", foreach(loop));
      case Action.Emit emit -> Part.Entries.of("emit", emit(emit));
      case Action.Perform perform -> Part.Entries.of("perform", perform(perform));
    };
  }

  private Part raise(Action.Raise raise) {
    boolean simple = raise.data().isEmpty() && values.name(raise.event()) instanceof Part.Text;
    return simple
        ? values.name(raise.event())
        : new Part.Builder()
            .put("event", values.name(raise.event()))
            .put("data", values.payload(raise.data()))
            .flow();
  }

  private Part send(Action.Send send) {
    Operand event = send.event();
    Operand target = send.target();
    Operand type = send.type();
    return new Part.Builder()
        .put("event", event == null ? null : values.name(event))
        .put("to", target == null ? null : address(target))
        .put("type", type == null ? null : values.name(type))
        .put("id", send.id())
        .put("id_location", send.idLocation())
        .put("after", values.delay(send.delay()))
        .put("data", values.payload(send.data()))
        .flow();
  }

  private Part address(Operand target) {
    return switch (target) {
      case Operand.Literal(String name) when !name.isBlank() -> address(name);
      case Operand.Literal _ -> values.name(target);
      case Operand.Expr(String text)
          when text.startsWith(Values.INSTANCE)
              && text.endsWith(")")
              && !text.substring(Values.INSTANCE.length(), text.length() - 1).isBlank() ->
          Part.Entries.of(
              "instance",
              values.condition(
                  Operand.expr(text.substring(Values.INSTANCE.length(), text.length() - 1))));
      case Operand.Expr _ -> values.name(target);
    };
  }

  private static Part address(String name) {
    if (name.equals("#_parent")) {
      return Part.text("parent");
    }
    if (name.equals("self") || name.equals("parent")) {
      return Part.Entries.of("value", Part.text(name));
    }
    String child = name.startsWith("#_") ? name.substring(2) : "";
    boolean special = child.isBlank() || child.equals("internal") || child.startsWith("scxml_");
    return special ? Part.text(name) : Part.Entries.of("child", Part.text(child));
  }

  private Part log(Action.Log log) {
    Operand value = log.value();
    if (log.label() == null && value instanceof Operand.Expr expr) {
      return values.value(expr);
    }
    return new Part.Builder()
        .put("label", log.label())
        .put("value", value == null ? null : values.value(value))
        .flow();
  }

  private Part choice(Action.If choice) {
    if (choice.branches().isEmpty()) {
      cannotSay.accept("an 'if' has no branch");
      return Part.Entries.of("log", new Part.Plain("null"));
    }
    Action.Branch first = choice.branches().getFirst();
    List<Part> others = new ArrayList<>();
    for (Action.Branch branch : choice.branches().subList(1, choice.branches().size())) {
      others.add(branch(branch).flow());
    }
    return new Part.Entries(
        branch(first)
            .put("elif", others.isEmpty() ? null : Part.list(others))
            .put("else", actions(choice.otherwise()))
            .entries(),
        true);
  }

  private Part.Builder branch(Action.Branch branch) {
    return new Part.Builder()
        .put("if", values.condition(branch.condition()))
        .put("then", list(branch.actions()));
  }

  private Part foreach(Action.Foreach loop) {
    return new Part.Builder()
        .put("in", values.condition(loop.list()))
        .put("item", loop.item())
        .put("index", loop.index())
        .put("do", actions(loop.body()))
        .flow();
  }

  private Part emit(Action.Emit emit) {
    return emit.data().isEmpty()
        ? Part.text(emit.kind())
        : new Part.Builder()
            .put("record", emit.kind())
            .put("data", values.payload(emit.data()))
            .flow();
  }

  private @Nullable Part retry(@Nullable Retry retry, boolean idempotent) {
    if (retry == null) {
      return null;
    }
    boolean usual = retry.on().equals(Retry.Failure.usual(idempotent));
    return new Part.Builder()
        .put("attempts", Part.number(retry.attempts()))
        .put("backoff", values.duration(retry.backoff()))
        .put("factor", retry.factor() == Retry.FACTOR ? null : Part.number(retry.factor()))
        .put("most", retry.most().equals(Retry.MOST) ? null : values.duration(retry.most()))
        .put("on", usual ? null : Part.texts(retry.on().stream().map(Retry.Failure::word).toList()))
        .flow();
  }

  private Part perform(Action.Perform perform) {
    boolean ownReply = !perform.reply().equals(perform.effect());
    return new Part.Builder()
        .put("effect", perform.effect())
        .put("reply", ownReply ? perform.reply() : null)
        .flag("idempotent", perform.idempotent())
        .put("during", perform.during())
        .put("retry", retry(perform.retry(), perform.idempotent()))
        .put("with", values.payload(perform.input()))
        .flow();
  }
}
