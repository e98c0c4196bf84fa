package dev.signalbox.definition.expression;

import dev.signalbox.kernel.EvaluationException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Works out beforehand what depends on nothing. */
final class Folding {
  private Folding() {}

  /** The tree with everything that depends on nothing worked out; what fails is left as it is. */
  static Node fold(Node node) {
    return switch (node) {
      case Node.Constant _,
          Node.Slot _,
          Node.SlotPresent _,
          Node.Root _,
          Node.Local _,
          Node.Failing _,
          Node.Foreign _ ->
          node;
      case Node.Select(int at, Node operand, String field) ->
          new Node.Select(at, fold(operand), field);
      case Node.Present(int at, Node operand, String field) ->
          new Node.Present(at, fold(operand), field);
      case Node.Index(int at, Node operand, Node key) ->
          new Node.Index(at, fold(operand), fold(key));
      case Node.Call(int at, Function function, List<Node> arguments, boolean method) ->
          folded(new Node.Call(at, function, foldAll(arguments), method));
      case Node.Not(int at, Node operand) -> new Node.Not(at, fold(operand));
      case Node.And(int at, Node left, Node right) -> new Node.And(at, fold(left), fold(right));
      case Node.Or(int at, Node left, Node right) -> new Node.Or(at, fold(left), fold(right));
      case Node.Conditional(int at, Node condition, Node then, Node otherwise) ->
          new Node.Conditional(at, fold(condition), fold(then), fold(otherwise));
      case Node.ListOf(int at, List<Node> items) -> folded(new Node.ListOf(at, foldAll(items)));
      case Node.MapOf(int at, List<Node.Entry> entries) ->
          folded(
              new Node.MapOf(
                  at,
                  entries.stream()
                      .map(e -> new Node.Entry(fold(e.key()), fold(e.value())))
                      .toList()));
      case Node.Loop(
              int at,
              Node.LoopKind kind,
              Node range,
              Node.Local variable,
              Node filter,
              Node body) ->
          new Node.Loop(
              at, kind, fold(range), variable, filter == null ? null : fold(filter), fold(body));
      case Node.AsDouble(int at, Node operand) -> new Node.AsDouble(at, fold(operand));
    };
  }

  private static List<Node> foldAll(List<Node> nodes) {
    return nodes.stream().map(Folding::fold).toList();
  }

  private static Node folded(Node.ListOf list) {
    List<@Nullable Object> values = new ArrayList<>();
    for (Node item : list.items()) {
      if (!(item instanceof Node.Constant(_, Object value))) {
        return list;
      }
      values.add(value);
    }
    return new Node.Constant(list.at(), Collections.unmodifiableList(values));
  }

  private static Node folded(Node.MapOf map) {
    Map<Object, @Nullable Object> values = new LinkedHashMap<>();
    for (Node.Entry entry : map.entries()) {
      if (!(entry.key() instanceof Node.Constant(_, Object key))
          || !(key instanceof String || key instanceof Long || key instanceof Boolean)
          || !(entry.value() instanceof Node.Constant(_, Object value))
          || values.containsKey(key)) {
        return map;
      }
      values.put(key, value);
    }
    return new Node.Constant(map.at(), Collections.unmodifiableMap(values));
  }

  private static Node folded(Node.Call call) {
    if (call.function().isForeign() || call.function() == Function.IN_STATE) {
      return call;
    }
    List<@Nullable Object> values = new ArrayList<>();
    for (Node argument : call.arguments()) {
      if (!(argument instanceof Node.Constant(_, Object value))) {
        return call;
      }
      values.add(value);
    }
    try {
      Object second = values.size() > 1 ? values.get(1) : null;
      return new Node.Constant(
          call.at(), Operations.apply(call, values.getFirst(), second, new Frame(0)));
    } catch (EvaluationException e) {
      return call;
    }
  }
}
