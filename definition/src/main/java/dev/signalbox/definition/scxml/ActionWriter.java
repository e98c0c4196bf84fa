package dev.signalbox.definition.scxml;

import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.Durations;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.Payload;
import dev.signalbox.kernel.machine.Retry;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Actions and what they carry as elements. */
final class ActionWriter {
  private ActionWriter() {}

  static List<XmlTag> tags(List<Action> actions) {
    return actions.stream().map(ActionWriter::tag).toList();
  }

  private static XmlTag tag(Action action) {
    return switch (action) {
      case Action.Assign(String location, Operand.Literal(Object value)) ->
          new XmlTag("assign").with("location", location).holding(value);
      case Action.Assign(String location, Operand value) ->
          new XmlTag("assign").with("location", location).value("expr", value);
      case Action.Raise(Operand event, Payload data) -> raise(event, data);
      case Action.Send send -> send(send);
      case Action.Cancel(Operand id) -> new XmlTag("cancel").operand("sendid", "sendidexpr", id);
      case Action.Log(String label, Operand value) ->
          new XmlTag("log").with("label", label).value("expr", value);
      case Action.If choice -> choice(choice);
      case Action.Foreach(Operand.Expr list, String item, String index, List<Action> body) ->
          new XmlTag("foreach")
              .with("array", list.text())
              .with("item", item)
              .with("index", index)
              .addAll(tags(body));
      case Action.Emit(String kind, Payload data) ->
          new XmlTag("sb:emit").with("kind", kind).addAll(payload(data));
      case Action.Perform perform -> perform(perform);
    };
  }

  private static XmlTag perform(Action.Perform perform) {
    String effect = perform.effect();
    XmlTag tag =
        new XmlTag("sb:perform")
            .with("effect", effect)
            .with("reply", perform.reply().equals(effect) ? null : perform.reply())
            .flag("idempotent", perform.idempotent())
            .with("during", perform.during());
    Retry retry = perform.retry();
    if (retry != null) {
      tag.with("attempts", Integer.toString(retry.attempts()))
          .with("backoff", Durations.text(retry.backoff()))
          .with("factor", Integer.toString(retry.factor()))
          .with("most", Durations.text(retry.most()))
          .with("retry", String.join(" ", retry.on().stream().map(Retry.Failure::word).toList()));
    }
    return tag.addAll(payload(perform.input()));
  }

  /** SCXML's raise has neither data nor computed names; a send to the own queue has both. */
  private static XmlTag raise(Operand event, Payload data) {
    if (event instanceof Operand.Literal(String name) && data.isEmpty()) {
      return new XmlTag("raise").with("event", name);
    }
    return new XmlTag("send")
        .operand("event", "eventexpr", event)
        .with("target", "#_internal")
        .with("sb:raise", "true")
        .addAll(payload(data));
  }

  private static XmlTag send(Action.Send send) {
    XmlTag tag =
        new XmlTag("send")
            .operand("event", "eventexpr", send.event())
            .operand("target", "targetexpr", send.target())
            .operand("type", "typeexpr", send.type())
            .with("id", send.id())
            .with("idlocation", send.idLocation());
    if (send.delay() instanceof Operand.Literal(Duration delay)) {
      tag.with("delay", Durations.text(delay));
    } else {
      tag.value("delayexpr", send.delay());
    }
    return tag.addAll(payload(send.data()));
  }

  private static XmlTag choice(Action.If choice) {
    XmlTag tag = new XmlTag("if");
    boolean first = true;
    for (Action.Branch branch : choice.branches()) {
      String condition = branch.condition().text();
      if (first) {
        tag.with("cond", condition);
      } else {
        tag.add(new XmlTag("elseif").with("cond", condition));
      }
      tag.addAll(tags(branch.actions()));
      first = false;
    }
    if (!choice.otherwise().isEmpty()) {
      tag.add(new XmlTag("else")).addAll(tags(choice.otherwise()));
    }
    return tag;
  }

  static List<XmlTag> payload(Payload data) {
    Operand content = data.content();
    return content != null
        ? List.of(content(content))
        : data.params().stream().map(ActionWriter::param).toList();
  }

  static XmlTag content(Operand content) {
    return valued(new XmlTag("content"), content);
  }

  private static XmlTag param(Payload.Param param) {
    XmlTag tag = new XmlTag("param").with("name", param.name());
    return param.location() && param.value() instanceof Operand.Literal(String path)
        ? tag.with("location", path)
        : tag.value("expr", param.value());
  }

  /** A value in {@code expr}, or inside the element when it is written out. */
  static XmlTag valued(XmlTag tag, @Nullable Operand value) {
    return value instanceof Operand.Literal(Object literal)
        ? tag.holding(literal)
        : tag.value("expr", value);
  }
}
