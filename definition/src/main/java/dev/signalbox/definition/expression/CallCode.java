package dev.signalbox.definition.expression;

import dev.signalbox.kernel.EvaluationException;
import dev.signalbox.kernel.Scope;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Code for functions, arithmetic, and the lists and maps an expression makes. */
final class CallCode {
  private CallCode() {}

  /** A function of one argument. */
  static final class Unary extends Code {
    private final Node.Call call;
    private final Code operand;

    Unary(Node.Call call, Code operand) {
      this.call = call;
      this.operand = operand;
    }

    @Override
    @Nullable Object eval(Scope scope, @Nullable Frame frame) {
      return Operations.apply(call, operand.eval(scope, frame), null, frame);
    }
  }

  /** A function of two arguments. */
  static final class Binary extends Code {
    private final Node.Call call;
    private final Code left;
    private final Code right;

    Binary(Node.Call call, Code left, Code right) {
      this.call = call;
      this.left = left;
      this.right = right;
    }

    @Override
    @Nullable Object eval(Scope scope, @Nullable Frame frame) {
      Object a = left.eval(scope, frame);
      return Operations.apply(call, a, right.eval(scope, frame), frame);
    }
  }

  /** {@code matches} with a pattern known beforehand. */
  static final class Matches extends Code.Condition {
    private final Node.Call call;
    private final Code text;
    private final SafePattern pattern;

    Matches(Node.Call call, Code text, SafePattern pattern) {
      this.call = call;
      this.text = text;
      this.pattern = pattern;
    }

    @Override
    boolean test(Scope scope, @Nullable Frame frame) {
      Object value = text.eval(scope, frame);
      if (value instanceof String s) {
        return pattern.find(s, frame);
      }
      throw Operations.wrong(call.first(), "a string", value);
    }
  }

  /** Whether a state is active. */
  static final class InState extends Code.Condition {
    private final Node.Call call;
    private final Code state;

    InState(Node.Call call, Code state) {
      this.call = call;
      this.state = state;
    }

    @Override
    boolean test(Scope scope, @Nullable Frame frame) {
      Object value = state.eval(scope, frame);
      if (value instanceof String s) {
        return scope.in(s);
      }
      throw Operations.wrong(call.first(), "the name of a state", value);
    }
  }

  /** {@code [a, b]}. */
  static final class ListOf extends Code {
    private final Code[] items;

    ListOf(Code[] items) {
      this.items = items;
    }

    @Override
    Object eval(Scope scope, @Nullable Frame frame) {
      List<@Nullable Object> list = new ArrayList<>(items.length);
      for (Code item : items) {
        list.add(item.eval(scope, frame));
      }
      return Collections.unmodifiableList(list);
    }
  }

  /** <code>{a: b}</code>. */
  static final class MapOf extends Code {
    private final Code[] keys;
    private final Code[] values;

    MapOf(Code[] keys, Code[] values) {
      this.keys = keys;
      this.values = values;
    }

    @Override
    Object eval(Scope scope, @Nullable Frame frame) {
      Map<Object, @Nullable Object> map = new LinkedHashMap<>();
      for (int i = 0; i < keys.length; i++) {
        Object key = key(keys[i].eval(scope, frame));
        Object value = values[i].eval(scope, frame);
        if (map.containsKey(key)) {
          throw new EvaluationException("Expected each key of a map once, but one comes twice.");
        }
        map.put(key, value);
      }
      return Collections.unmodifiableMap(map);
    }
  }

  /** The value as the key of a map. */
  static Object key(@Nullable Object value) {
    return switch (value) {
      case String text -> text;
      case Long number -> number;
      case Boolean truth -> truth;
      case null, default ->
          throw new EvaluationException(
              "Expected a string, an int or a bool as the key of a map, but it is "
                  + Values.kind(value)
                  + ".");
    };
  }
}
