package dev.signalbox.definition.expression;

import dev.signalbox.kernel.EvaluationException;
import dev.signalbox.kernel.Scope;
import org.jspecify.annotations.Nullable;

/**
 * Code for {@code !}, {@code &&}, {@code ||} and {@code ?:}.
 *
 * <p>In CEL the order of a conjunction's parts does not matter: when one is false, the whole is
 * false, even where another one fails. The same holds for {@code ||} and true.
 */
final class LogicCode {
  private LogicCode() {}

  /** {@code !a}. */
  static final class Not extends Code.Condition {
    private final Code operand;

    Not(Code operand) {
      this.operand = operand;
    }

    @Override
    boolean test(Scope scope, @Nullable Frame frame) {
      return !operand.test(scope, frame);
    }
  }

  /** {@code a && b}. */
  static final class And extends Code.Condition {
    private final Code left;
    private final Code right;

    And(Code left, Code right) {
      this.left = left;
      this.right = right;
    }

    @Override
    boolean test(Scope scope, @Nullable Frame frame) {
      boolean holds;
      try {
        holds = left.test(scope, frame);
      } catch (EvaluationException failure) {
        if (right.test(scope, frame)) {
          throw failure;
        }
        return false;
      }
      return holds && right.test(scope, frame);
    }
  }

  /** {@code a || b}. */
  static final class Or extends Code.Condition {
    private final Code left;
    private final Code right;

    Or(Code left, Code right) {
      this.left = left;
      this.right = right;
    }

    @Override
    boolean test(Scope scope, @Nullable Frame frame) {
      boolean holds;
      try {
        holds = left.test(scope, frame);
      } catch (EvaluationException failure) {
        if (right.test(scope, frame)) {
          return true;
        }
        throw failure;
      }
      return holds || right.test(scope, frame);
    }
  }

  /** {@code a ? b : c}. */
  static final class Conditional extends Code {
    private final Code condition;
    private final Code then;
    private final Code otherwise;

    Conditional(Code condition, Code then, Code otherwise) {
      this.condition = condition;
      this.then = then;
      this.otherwise = otherwise;
    }

    @Override
    @Nullable Object eval(Scope scope, @Nullable Frame frame) {
      return (condition.test(scope, frame) ? then : otherwise).eval(scope, frame);
    }

    @Override
    boolean test(Scope scope, @Nullable Frame frame) {
      return (condition.test(scope, frame) ? then : otherwise).test(scope, frame);
    }
  }
}
