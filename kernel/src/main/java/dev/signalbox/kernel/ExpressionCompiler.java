package dev.signalbox.kernel;

import dev.signalbox.kernel.machine.Operand;
import java.util.List;

/** Turns the text of expressions into something the kernel can evaluate. */
public interface ExpressionCompiler {

  /**
   * The compiled expression.
   *
   * @throws SyntaxException when the text is not an expression that fits its site
   */
  Expression compile(Operand.Expr source, Site site) throws SyntaxException;

  /**
   * Where an expression stands.
   *
   * @param layout the context fields and, behind them, the variables of foreach loops
   * @param locals names of the foreach variables that are visible here, without {@code ctx}
   * @param events the descriptors of the transition it belongs to; empty when any event, or none,
   *     may be current
   */
  record Site(Context.Layout layout, Use use, List<String> locals, List<String> events) {}

  /** What the value is for. */
  enum Use {
    CONDITION,
    VALUE
  }

  /** The text is not an expression, or not of the type its site needs. */
  final class SyntaxException extends Exception {
    private final int offset;

    /**
     * @param offset the index of the offending character in the text, or -1
     */
    public SyntaxException(String message, int offset) {
      super(message);
      this.offset = offset;
    }

    public int offset() {
      return offset;
    }
  }
}
