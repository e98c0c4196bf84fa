package dev.signalbox.definition.expression;

import dev.signalbox.kernel.EvaluationException;
import org.jspecify.annotations.Nullable;

/** The variables of loops during one evaluation, and how much work it may still do. */
final class Frame {
  static final long MOST_WORK = 1_000_000;

  private final @Nullable Object[] locals;
  private long left = MOST_WORK;

  Frame(int locals) {
    this.locals = new Object[locals];
  }

  @Nullable Object local(int index) {
    return locals[index];
  }

  void set(int index, @Nullable Object value) {
    locals[index] = value;
  }

  /** Counts work; one unit is about what reading a field costs. */
  void spend(long work) {
    left -= work;
    if (left < 0) {
      throw new EvaluationException(
          "Expected an expression that ends within a million steps, but it does not.");
    }
  }

  /** Counts work where a frame exists; where none does, too little is done to be worth it. */
  static void count(@Nullable Frame frame, long work) {
    if (frame != null) {
      frame.spend(work);
    }
  }
}
