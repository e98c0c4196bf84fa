package dev.signalbox.definition.draw;

import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.Guard;
import dev.signalbox.kernel.machine.Invoke;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.Transition;
import dev.signalbox.kernel.machine.Trigger;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The parts of a machine in few words. */
final class Phrases {
  private static final int LONGEST_TRIGGER = 40;
  private static final int LONGEST_GUARD = 34;

  private Phrases() {}

  static String trigger(Transition transition) {
    String text =
        switch (transition.trigger()) {
          case Trigger.Always _ -> transition.guard() == null ? orEmpty(transition.label()) : "";
          case Trigger.On on -> String.join(", ", on.descriptors());
          case Trigger.After after -> after.text();
        };
    return Letters.clip(Xml.visible(text), LONGEST_TRIGGER);
  }

  static String guard(@Nullable Guard guard) {
    if (guard == null) {
      return "";
    }
    String name = guard.name();
    String text = Xml.visible(name != null ? name : guard.condition().text());
    return "[" + Letters.clip(text.strip(), LONGEST_GUARD) + "]";
  }

  static String actions(List<Action> actions) {
    return actions.stream().map(Phrases::action).collect(Collectors.joining("; "));
  }

  static String invoke(Invoke invoke) {
    Operand source = invoke.source();
    if (source != null) {
      return operand(source);
    }
    if (invoke.inline() != null) {
      return invoke.inline().name();
    }
    return orEmpty(invoke.id());
  }

  /** Everything a tooltip tells about a transition, in lines. */
  static String tooltip(String from, Transition transition) {
    StringBuilder text = new StringBuilder(from);
    text.append(" → ");
    text.append(
        transition.targets().isEmpty() ? "(stays)" : String.join(", ", transition.targets()));
    String trigger = transition.trigger().text();
    if (!trigger.isEmpty()) {
      text.append('\n').append(trigger);
      if (transition.trigger() instanceof Trigger.After(_, _, boolean cumulative) && cumulative) {
        text.append(" in all visits together");
      }
    }
    if (transition.label() != null) {
      text.append('\n').append(transition.label());
    }
    Guard guard = transition.guard();
    if (guard != null) {
      text.append("\nwhen ").append(guard.condition().text());
    }
    if (!transition.actions().isEmpty()) {
      text.append("\ndo ").append(actions(transition.actions()));
    }
    return Letters.clip(text.toString(), 1_000);
  }

  private static String action(Action action) {
    return switch (action) {
      case Action.Assign(String location, Operand value) -> location + " = " + operand(value);
      case Action.Raise raise -> "raise " + operand(raise.event());
      case Action.Send send -> "send " + operand(send.event());
      case Action.Cancel cancel -> "cancel " + operand(cancel.sendId());
      case Action.Log log -> "log " + operand(log.value());
      case Action.If choice ->
          "if " + choice.branches().stream().map(b -> b.condition().text()).findFirst().orElse("");
      case Action.Foreach loop -> "for each " + loop.item();
      case Action.Emit emit -> "emit " + emit.kind();
      case Action.Perform perform -> "perform " + perform.effect();
    };
  }

  private static String operand(@Nullable Operand operand) {
    return switch (operand) {
      case null -> "";
      case Operand.Expr(String text) -> text;
      case Operand.Literal(var value) -> String.valueOf(value);
    };
  }

  private static String orEmpty(@Nullable String text) {
    return text == null ? "" : text;
  }
}
