package dev.signalbox.kernel;

import org.jspecify.annotations.Nullable;

/** A compiled expression: free of side effects, bounded, the same for the same scope. */
public interface Expression {

  /**
   * The value as a JSON value.
   *
   * @throws EvaluationException when there is none, as for {@code 1 / 0}
   */
  @Nullable Object evaluate(Scope scope);

  /** The value as a condition; anything but a Boolean is an {@link EvaluationException}. */
  default boolean test(Scope scope) {
    if (evaluate(scope) instanceof Boolean b) {
      return b;
    }
    throw new EvaluationException("expected true or false");
  }

  /** Why {@link #test} says no, in terms of the values it saw. Called only after a no. */
  default String explain(Scope scope) {
    return "it is false";
  }
}
