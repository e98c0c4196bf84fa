package dev.signalbox.definition.expression;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Writes trees and values the way people write them, short enough for a sentence. */
final class NodeText {
  static final int WIDTH = 60;

  private NodeText() {}

  /** The expression, clipped. */
  static String of(Node node) {
    return clip(write(node, 0));
  }

  static String clip(String text) {
    if (text.length() <= WIDTH) {
      return text;
    }
    int end = Character.isHighSurrogate(text.charAt(WIDTH - 2)) ? WIDTH - 2 : WIDTH - 1;
    return text.substring(0, end) + "…";
  }

  /** The value as CEL would write it, clipped. */
  static String value(@Nullable Object value) {
    StringBuilder out = new StringBuilder();
    literal(value, out);
    return clip(out.toString());
  }

  /** Stops soon after the width, however large the value is. */
  private static void literal(@Nullable Object value, StringBuilder out) {
    if (out.length() > WIDTH) {
      return;
    }
    switch (value) {
      case String s -> {
        String head = s.length() > WIDTH ? s.substring(0, WIDTH) : s;
        out.append('\'').append(escape(head)).append('\'');
      }
      case List<?> list -> {
        out.append('[');
        String comma = "";
        for (Object item : list) {
          out.append(comma);
          literal(item, out);
          comma = ", ";
          if (out.length() > WIDTH) {
            return;
          }
        }
        out.append(']');
      }
      case Map<?, ?> map -> {
        out.append('{');
        String comma = "";
        // The text goes into the journal, so it may not depend on how the map was made or stored.
        for (Object key : Values.sortedKeys(map)) {
          out.append(comma);
          literal(key, out);
          out.append(": ");
          literal(map.get(key), out);
          comma = ", ";
          if (out.length() > WIDTH) {
            return;
          }
        }
        out.append('}');
      }
      case null -> out.append("null");
      default -> out.append(value);
    }
  }

  private static String escape(String text) {
    return text.replace("\\", "\\\\")
        .replace("'", "\\'")
        .replace("\n", "\\n")
        .replace("\r", "\\r")
        .replace("\t", "\\t");
  }

  /**
   * The expression with the brackets it needs.
   *
   * @param outer how strongly the surroundings bind: 0 not at all, 7 a receiver
   */
  private static String write(Node node, int outer) {
    int inner = strength(node);
    String text =
        switch (node) {
          case Node.Constant(_, Object value) -> value(value);
          case Node.Slot slot -> slot.text();
          case Node.SlotPresent slot -> "has(" + slot.text() + ")";
          case Node.Root root -> root.name().text();
          case Node.Local local -> local.name();
          case Node.Select(_, Node operand, String field) -> write(operand, 7) + "." + field;
          case Node.Present(_, Node operand, String field) ->
              "has(" + write(operand, 7) + "." + field + ")";
          case Node.Index(_, Node operand, Node key) ->
              write(operand, 7) + "[" + write(key, 0) + "]";
          case Node.Call call -> call(call, inner);
          case Node.Not(_, Node operand) -> "!" + write(operand, inner);
          case Node.And(_, Node left, Node right) ->
              write(left, inner) + " && " + write(right, inner);
          case Node.Or(_, Node left, Node right) ->
              write(left, inner) + " || " + write(right, inner);
          case Node.Conditional(_, Node condition, Node then, Node otherwise) ->
              write(condition, 1) + " ? " + write(then, 1) + " : " + write(otherwise, 0);
          case Node.ListOf(_, List<Node> items) -> "[" + joined(items) + "]";
          case Node.MapOf(_, List<Node.Entry> entries) ->
              entries.stream()
                  .map(e -> write(e.key(), 0) + ": " + write(e.value(), 0))
                  .collect(Collectors.joining(", ", "{", "}"));
          case Node.Loop loop -> loop(loop);
          case Node.AsDouble(_, Node operand) -> write(operand, outer);
          case Node.Failing failing -> failing.text();
          case Node.Foreign foreign -> foreign.text();
        };
    return inner < outer ? "(" + text + ")" : text;
  }

  private static String call(Node.Call call, int inner) {
    Function function = call.function();
    if (function == Function.NEGATE) {
      return "-" + write(call.first(), inner);
    }
    if (function.isOperator()) {
      return write(call.first(), inner)
          + " "
          + function.text()
          + " "
          + write(call.second(), inner + 1);
    }
    if (call.method()) {
      List<Node> rest = call.arguments().subList(1, call.arguments().size());
      return write(call.first(), 7) + "." + function.text() + "(" + joined(rest) + ")";
    }
    return function.text() + "(" + joined(call.arguments()) + ")";
  }

  private static String loop(Node.Loop loop) {
    Node filter = loop.filter();
    return write(loop.range(), 7)
        + "."
        + loop.kind().text()
        + "("
        + loop.variable().name()
        + ", "
        + (filter == null ? "" : write(filter, 0) + ", ")
        + write(loop.body(), 0)
        + ")";
  }

  private static String joined(List<Node> nodes) {
    return nodes.stream().map(n -> write(n, 0)).collect(Collectors.joining(", "));
  }

  private static int strength(Node node) {
    return switch (node) {
      case Node.Conditional _ -> 0;
      case Node.Or _ -> 1;
      case Node.And _ -> 2;
      case Node.Call call when call.function() == Function.NEGATE -> 6;
      case Node.Call call when call.function().isOperator() ->
          switch (call.function()) {
            case ADD, SUBTRACT -> 4;
            case MULTIPLY, DIVIDE, MODULO -> 5;
            default -> 3;
          };
      case Node.Not _ -> 6;
      case Node.Constant(_, Number n) when n.doubleValue() < 0 -> 6;
      default -> 8;
    };
  }
}
