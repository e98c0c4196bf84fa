package dev.signalbox.definition.expression;

import dev.signalbox.kernel.EvaluationException;
import dev.signalbox.kernel.Expression;
import dev.signalbox.kernel.ExpressionCompiler.Use;
import dev.signalbox.kernel.Scope;
import org.jspecify.annotations.Nullable;

/**
 * An expression over values of which some are not known.
 *
 * <p>Slots of the context and the data of the event may be, or contain, {@link Unknown#VALUE}. Its
 * value is then a value that holds whatever the unknown ones are, a value with unknown parts, or
 * {@link Unknown#VALUE}; it fails only where it would fail whatever they are.
 *
 * <p>What nobody gave is not known either: the data and the sender of an external event that has
 * none, the instance's id, and the time.
 */
public final class AbstractExpression implements Expression {
  private final Node node;
  private final Use use;
  private final Declarations declared;
  private final @Nullable CelInterpreter interpreter;
  private final int depth;

  /**
   * @param interpreter for what only CEL's interpreter can evaluate; otherwise null
   */
  AbstractExpression(
      Node node, Use use, Declarations declared, @Nullable CelInterpreter interpreter) {
    this.node = node;
    this.use = use;
    this.declared = declared;
    this.interpreter = interpreter;
    this.depth = CelExpression.depth(node);
  }

  /**
   * The value as far as it is known. A condition that may also fail is not known, whatever else it
   * is; for other values see {@link #mayFail}.
   */
  @Override
  public @Nullable Object evaluate(Scope scope) {
    AbstractEvaluation evaluation = new AbstractEvaluation(scope, declared, frame());
    Object value = evaluation.value(node, interpreter);
    return use == Use.CONDITION && evaluation.mayFail() ? Unknown.VALUE : Values.json(value);
  }

  /** Whether the expression fails for some of what the unknown values may be. */
  public boolean mayFail(Scope scope) {
    AbstractEvaluation evaluation = new AbstractEvaluation(scope, declared, frame());
    try {
      Values.json(evaluation.value(node, interpreter));
    } catch (EvaluationException e) {
      return true;
    }
    return evaluation.mayFail();
  }

  private Frame frame() {
    return new Frame(depth);
  }

  @Override
  public String toString() {
    return NodeText.of(node);
  }
}
