package dev.signalbox.definition.expression;

import dev.signalbox.kernel.EvaluationException;
import dev.signalbox.kernel.Scope;
import org.jspecify.annotations.Nullable;

/**
 * A node compiled to an object that evaluates itself.
 *
 * <p>Each kind of node has its own class, so that the virtual machine sees small methods with few
 * targets; the conditions answer with a primitive, so that nothing is allocated on the way to a yes
 * or no.
 */
abstract class Code {

  /**
   * The value.
   *
   * @param frame null when the expression has no loops and too little work to be worth counting
   * @throws EvaluationException when there is none
   */
  abstract @Nullable Object eval(Scope scope, @Nullable Frame frame);

  /** The value as a condition. */
  boolean test(Scope scope, @Nullable Frame frame) {
    Object value = eval(scope, frame);
    if (value instanceof Boolean b) {
      return b;
    }
    throw new EvaluationException("Expected a condition, but it is " + Values.kind(value) + ".");
  }

  /** Code whose value is always a bool. */
  abstract static class Condition extends Code {
    @Override
    abstract boolean test(Scope scope, @Nullable Frame frame);

    @Override
    final Object eval(Scope scope, @Nullable Frame frame) {
      return test(scope, frame);
    }
  }

  /** Code whose value is always an int. */
  abstract static class Whole extends Code {
    abstract long number(Scope scope, @Nullable Frame frame);

    @Override
    final Object eval(Scope scope, @Nullable Frame frame) {
      return number(scope, frame);
    }
  }

  /** A value known beforehand. */
  static final class Constant extends Code {
    final @Nullable Object value;

    Constant(@Nullable Object value) {
      this.value = value;
    }

    @Override
    @Nullable Object eval(Scope scope, @Nullable Frame frame) {
      return value;
    }
  }

  /** A condition known beforehand. */
  static final class Settled extends Condition {
    private final boolean value;

    Settled(boolean value) {
      this.value = value;
    }

    @Override
    boolean test(Scope scope, @Nullable Frame frame) {
      return value;
    }
  }

  /** A failure known beforehand. */
  static final class Failing extends Code {
    private final String message;

    Failing(String message) {
      this.message = message;
    }

    @Override
    Object eval(Scope scope, @Nullable Frame frame) {
      throw new EvaluationException(message);
    }
  }
}
