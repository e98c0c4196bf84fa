package dev.signalbox.definition.expression;

import dev.signalbox.kernel.Context;
import dev.signalbox.kernel.EvaluationException;
import dev.signalbox.kernel.Event;
import dev.signalbox.kernel.Scope;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Code that reads what is there: the context, the event, parts of them. */
final class ReadCode {
  private ReadCode() {}

  /** A slot of the context. */
  static final class Slot extends Code {
    private final int index;
    private final String text;

    Slot(Node.Slot node) {
      this.index = node.index();
      this.text = node.text();
    }

    @Override
    @Nullable Object eval(Scope scope, @Nullable Frame frame) {
      Object value = scope.context().slot(index);
      if (value == Context.ABSENT) {
        throw new EvaluationException("Expected `" + text + "` to have a value, but it has none.");
      }
      return value;
    }
  }

  /** Whether a slot has a value. */
  static final class SlotPresent extends Code.Condition {
    private final int index;

    SlotPresent(int index) {
      this.index = index;
    }

    @Override
    boolean test(Scope scope, @Nullable Frame frame) {
      return scope.context().slot(index) != Context.ABSENT;
    }
  }

  /** One of the names that are always there. */
  static final class Root extends Code {
    private final Node.Name name;
    private final Declarations declared;

    Root(Node.Name name, Declarations declared) {
      this.name = name;
      this.declared = declared;
    }

    @Override
    @Nullable Object eval(Scope scope, @Nullable Frame frame) {
      return Roots.value(name, scope, declared);
    }
  }

  /** A field of the event's data. */
  static final class EventField extends Code {
    private final String field;

    EventField(String field) {
      this.field = field;
    }

    @Override
    @Nullable Object eval(Scope scope, @Nullable Frame frame) {
      Event event = scope.event();
      Object data = event == null ? null : event.data();
      if (data instanceof Map<?, ?> map) {
        Object value = map.get(field);
        if (value != null || map.containsKey(field)) {
          return value;
        }
      }
      throw new EvaluationException(
          "Expected the event to carry `" + field + "`, but it does not.");
    }
  }

  /** Whether the event's data has a field. */
  static final class EventFieldPresent extends Code.Condition {
    private final Node operand;
    private final String field;

    EventFieldPresent(Node operand, String field) {
      this.operand = operand;
      this.field = field;
    }

    @Override
    boolean test(Scope scope, @Nullable Frame frame) {
      Event event = scope.event();
      Object data = event == null ? null : event.data();
      return data != null && Operations.present(operand, data, field);
    }
  }

  /** A field of a map. */
  static final class Select extends Code {
    private final Node.Select node;
    private final Code operand;

    Select(Node.Select node, Code operand) {
      this.node = node;
      this.operand = operand;
    }

    @Override
    @Nullable Object eval(Scope scope, @Nullable Frame frame) {
      Object value = operand.eval(scope, frame);
      return Operations.select(node, node.operand(), value, node.field());
    }
  }

  /** Whether a map has a field. */
  static final class Present extends Code.Condition {
    private final Node.Present node;
    private final Code operand;

    Present(Node.Present node, Code operand) {
      this.node = node;
      this.operand = operand;
    }

    @Override
    boolean test(Scope scope, @Nullable Frame frame) {
      return Operations.present(node.operand(), operand.eval(scope, frame), node.field());
    }
  }

  /** An item of a list or the value under a key. */
  static final class Index extends Code {
    private final Node.Index node;
    private final Code operand;
    private final Code key;

    Index(Node.Index node, Code operand, Code key) {
      this.node = node;
      this.operand = operand;
      this.key = key;
    }

    @Override
    @Nullable Object eval(Scope scope, @Nullable Frame frame) {
      Object value = operand.eval(scope, frame);
      return Operations.index(node, value, key.eval(scope, frame));
    }
  }

  /** The variable of a loop. */
  static final class Local extends Code {
    private final int index;

    Local(int index) {
      this.index = index;
    }

    @Override
    @Nullable Object eval(Scope scope, @Nullable Frame frame) {
      return Objects.requireNonNull(frame).local(index);
    }
  }

  /** A double that JSON may have written as an integer. */
  static final class AsDouble extends Code {
    private final Code operand;

    AsDouble(Code operand) {
      this.operand = operand;
    }

    @Override
    @Nullable Object eval(Scope scope, @Nullable Frame frame) {
      Object value = operand.eval(scope, frame);
      return value instanceof Long whole ? (Object) (double) whole : value;
    }
  }
}
