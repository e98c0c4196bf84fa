package dev.signalbox.kernel.machine;

import org.jspecify.annotations.Nullable;

/**
 * The condition of a transition.
 *
 * @param name what people call it, as in {@code under_3}
 */
public record Guard(@Nullable String name, Operand.Expr condition) {

  public static Guard of(String text) {
    return new Guard(null, Operand.expr(text));
  }
}
