package dev.signalbox.kernel.machine;

import org.jspecify.annotations.Nullable;

/** A value in a definition: written out, or computed by an expression when it is needed. */
public sealed interface Operand {

  /**
   * A value written out.
   *
   * @param value null, Boolean, Long, Double, String, List or Map of the same
   */
  record Literal(@Nullable Object value) implements Operand {}

  /** An expression in CEL, not yet compiled. */
  record Expr(String text) implements Operand {}

  static Literal literal(@Nullable Object value) {
    return new Literal(value);
  }

  static Expr expr(String text) {
    return new Expr(text);
  }
}
