package dev.signalbox.definition.scxml;

import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.Durations;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.Payload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads executable content. */
final class ActionReader {
  private static final Set<String> SEND_ATTRIBUTES =
      Set.of(
          "event",
          "eventexpr",
          "target",
          "targetexpr",
          "type",
          "typeexpr",
          "id",
          "idlocation",
          "delay",
          "delayexpr",
          "namelist");

  private static final Set<String> PERFORM_ATTRIBUTES =
      Set.of(
          "effect",
          "reply",
          "idempotent",
          "during",
          "attempts",
          "backoff",
          "factor",
          "most",
          "retry");

  private final Reading in;
  private final ContentReader contents;

  ActionReader(Reading in, ContentReader contents) {
    this.in = in;
    this.contents = contents;
  }

  /** The actions directly inside the element. */
  List<Action> block(XmlElement parent) {
    List<Action> actions = new ArrayList<>();
    for (XmlElement child : in.children(parent)) {
      Action action = action(child, parent);
      if (action != null) {
        actions.add(action);
      }
    }
    return actions;
  }

  private @Nullable Action action(XmlElement element, XmlElement parent) {
    Action action =
        element.isOurs() ? ownAction(element) : element.isScxml() ? scxmlAction(element) : null;
    if (action == null) {
      in.unexpected(element, parent);
      return null;
    }
    return in.placed(action, element.place());
  }

  private @Nullable Action scxmlAction(XmlElement element) {
    return switch (element.name()) {
      case "raise" -> raise(element);
      case "if" -> choice(element);
      case "foreach" -> loop(element);
      case "log" -> log(element);
      case "assign" -> assign(element);
      case "send" -> send(element);
      case "cancel" -> cancel(element);
      default -> null;
    };
  }

  private @Nullable Action ownAction(XmlElement element) {
    return switch (element.name()) {
      case "emit" -> {
        in.expectAttributes(element, Set.of(), Set.of("kind"));
        onlyData(element);
        yield new Action.Emit(in.required(element, "kind"), contents.payload(element));
      }
      case "perform" -> {
        in.expectAttributes(element, Set.of(), PERFORM_ATTRIBUTES);
        onlyData(element);
        String effect = in.required(element, "effect");
        String reply = in.own(element, "reply");
        boolean idempotent = in.flag(element, element.own("idempotent"));
        yield new Action.Perform(
            effect,
            reply == null ? effect : reply,
            idempotent,
            in.own(element, "during"),
            new RetryReader(in, element).read(idempotent),
            contents.payload(element));
      }
      default -> null;
    };
  }

  private Action raise(XmlElement element) {
    in.expectAttributes(element, Set.of("event"), Set.of());
    for (XmlElement child : in.children(element)) {
      in.unexpected(child, element);
    }
    return new Action.Raise(event(element), Payload.NONE);
  }

  private Action choice(XmlElement element) {
    in.expectAttributes(element, Set.of("cond"), Set.of());
    List<Action.Branch> branches = new ArrayList<>();
    Operand.Expr condition = in.requiredCondition(element, "cond");
    List<Action> actions = new ArrayList<>();
    boolean inElse = false;
    for (XmlElement child : in.children(element)) {
      boolean elseIf = child.is("elseif");
      if (!elseIf && !child.is("else")) {
        Action action = action(child, element);
        if (action != null) {
          actions.add(action);
        }
        continue;
      }
      if (inElse) {
        in.problems.error(
            "after-else",
            child.place(),
            "Expected <else> to be the last part of <if>, but <" + child.name() + "> follows.",
            "");
        continue;
      }
      branches.add(new Action.Branch(condition, actions));
      actions = new ArrayList<>();
      if (elseIf) {
        in.expectAttributes(child, Set.of("cond"), Set.of());
        condition = in.requiredCondition(child, "cond");
      } else {
        inElse = true;
      }
    }
    if (inElse) {
      return new Action.If(branches, actions);
    }
    branches.add(new Action.Branch(condition, actions));
    return new Action.If(branches, List.of());
  }

  private Action loop(XmlElement element) {
    in.expectAttributes(element, Set.of("array", "item", "index"), Set.of());
    return new Action.Foreach(
        in.requiredCondition(element, "array"),
        in.required(element, "item"),
        in.text(element, "index"),
        block(element));
  }

  private Action log(XmlElement element) {
    in.expectAttributes(element, Set.of("label", "expr"), Set.of());
    return new Action.Log(in.text(element, "label"), in.expression(element, "expr"));
  }

  private Action assign(XmlElement element) {
    // 'type' and 'attr' belong to the XPath data model only.
    in.expectAttributes(element, Set.of("location", "expr"), Set.of());
    String location = in.required(element, "location");
    Operand value = in.expression(element, "expr");
    boolean blank = ContentReader.isBlank(element);
    if (value != null && !blank) {
      in.twice(element, element.place(), "expr", "content of its own");
    } else if (value == null && blank) {
      in.missing(element, "expr");
    }
    if (value == null) {
      value = in.placed(Operand.literal(ContentReader.inline(element)), element.place());
    }
    return new Action.Assign(location, value);
  }

  private Action send(XmlElement element) {
    in.expectAttributes(element, SEND_ATTRIBUTES, Set.of("raise"));
    onlyData(element);
    XmlElement.Attribute id = element.attribute("id");
    XmlElement.Attribute idLocation = element.attribute("idlocation");
    in.expectOneId(element, id, idLocation);
    Payload data = contents.payload(element);
    if (in.flag(element, element.own("raise"))) {
      return new Action.Raise(event(element), data);
    }
    return new Action.Send(
        in.operand(element, "event", "eventexpr"),
        in.operand(element, "target", "targetexpr"),
        in.operand(element, "type", "typeexpr"),
        id == null ? null : id.value(),
        idLocation == null ? null : idLocation.value(),
        delay(element),
        data);
  }

  private Operand event(XmlElement element) {
    Operand event = in.operand(element, "event", "eventexpr");
    if (event != null) {
      return event;
    }
    in.missing(element, "event");
    return in.placed(Operand.literal(""), element.place());
  }

  private @Nullable Operand delay(XmlElement element) {
    XmlElement.Attribute delay = element.attribute("delay");
    if (delay == null) {
      return in.expression(element, "delayexpr");
    }
    if (element.attribute("delayexpr") != null) {
      in.twice(element, delay.place(), "delay", "delayexpr");
    }
    return in.placed(Operand.literal(duration(in, delay)), delay.place());
  }

  static Duration duration(Reading in, XmlElement.Attribute attribute) {
    Optional<Duration> duration = Durations.parse(attribute.value());
    if (duration.isEmpty()) {
      in.problems.error(
          "not-a-duration",
          attribute.place(),
          "Expected a duration, but found '" + attribute.value() + "'.",
          "Write it as in 250ms, 1.5s, 90s or 5m.");
    }
    return duration.orElse(Duration.ZERO);
  }

  private Action cancel(XmlElement element) {
    in.expectAttributes(element, Set.of("sendid", "sendidexpr"), Set.of());
    Operand id = in.operand(element, "sendid", "sendidexpr");
    if (id == null) {
      in.missing(element, "sendid");
      id = in.placed(Operand.literal(""), element.place());
    }
    return new Action.Cancel(id);
  }

  private void onlyData(XmlElement element) {
    for (XmlElement child : in.children(element)) {
      if (!child.is("param") && !child.is("content")) {
        in.unexpected(child, element);
      }
    }
  }
}
