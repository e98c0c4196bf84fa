package dev.signalbox.definition.expression;

import dev.signalbox.kernel.Scope;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Code for comparisons and {@code in}. */
final class CompareCode {
  private CompareCode() {}

  /** {@code ==} and {@code !=}. */
  static final class Equal extends Code.Condition {
    private final Code left;
    private final Code right;
    private final boolean wanted;

    Equal(Code left, Code right, boolean wanted) {
      this.left = left;
      this.right = right;
      this.wanted = wanted;
    }

    @Override
    boolean test(Scope scope, @Nullable Frame frame) {
      Object a = left.eval(scope, frame);
      return Values.equal(a, right.eval(scope, frame), frame) == wanted;
    }
  }

  /** {@code ==} and {@code !=} with a string known beforehand. */
  static final class EqualText extends Code.Condition {
    private final Code left;
    private final String right;
    private final boolean wanted;

    EqualText(Code left, String right, boolean wanted) {
      this.left = left;
      this.right = right;
      this.wanted = wanted;
    }

    @Override
    boolean test(Scope scope, @Nullable Frame frame) {
      return right.equals(left.eval(scope, frame)) == wanted;
    }
  }

  /** Any comparison of what is always an int with an int known beforehand. */
  static final class WholeWithConstant extends Code.Condition {
    private final Function function;
    private final Code.Whole left;
    private final long right;

    WholeWithConstant(Function function, Code.Whole left, long right) {
      this.function = function;
      this.left = left;
      this.right = right;
    }

    @Override
    boolean test(Scope scope, @Nullable Frame frame) {
      return compare(function, left.number(scope, frame), right);
    }
  }

  /** Any comparison of what is usually an int with an int known beforehand. */
  static final class WithConstant extends Code.Condition {
    private final Node.Call call;
    private final Code left;
    private final long right;

    WithConstant(Node.Call call, Code left, long right) {
      this.call = call;
      this.left = left;
      this.right = right;
    }

    @Override
    boolean test(Scope scope, @Nullable Frame frame) {
      Object value = left.eval(scope, frame);
      if (value instanceof Long number) {
        return compare(call.function(), number, right);
      }
      return switch (call.function()) {
        case EQUAL -> Values.equal(value, right, frame);
        case NOT_EQUAL -> !Values.equal(value, right, frame);
        default -> Operations.order(call, value, right);
      };
    }
  }

  private static boolean compare(Function function, long a, long b) {
    return switch (function) {
      case EQUAL -> a == b;
      case NOT_EQUAL -> a != b;
      case LESS -> a < b;
      case LESS_EQUAL -> a <= b;
      case GREATER -> a > b;
      default -> a >= b;
    };
  }

  /** {@code <}, {@code <=}, {@code >} and {@code >=}. */
  static final class Order extends Code.Condition {
    private final Node.Call call;
    private final Code left;
    private final Code right;

    Order(Node.Call call, Code left, Code right) {
      this.call = call;
      this.left = left;
      this.right = right;
    }

    @Override
    boolean test(Scope scope, @Nullable Frame frame) {
      Object a = left.eval(scope, frame);
      return Operations.order(call, a, right.eval(scope, frame));
    }
  }

  /** {@code in}. */
  static final class In extends Code.Condition {
    private final Node.Call call;
    private final Code left;
    private final Code right;

    In(Node.Call call, Code left, Code right) {
      this.call = call;
      this.left = left;
      this.right = right;
    }

    @Override
    boolean test(Scope scope, @Nullable Frame frame) {
      Object value = left.eval(scope, frame);
      return Operations.in(call, value, right.eval(scope, frame), frame);
    }
  }

  /** {@code size}. */
  static final class Size extends Code.Whole {
    private final Node.Call call;
    private final Code operand;

    Size(Node.Call call, Code operand) {
      this.call = call;
      this.operand = operand;
    }

    @Override
    long number(Scope scope, @Nullable Frame frame) {
      Object value = operand.eval(scope, frame);
      return value instanceof List<?> list ? list.size() : Operations.size(call, value, frame);
    }
  }
}
