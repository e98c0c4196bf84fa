package dev.signalbox.definition.expression;

import dev.signalbox.kernel.EvaluationException;
import dev.signalbox.kernel.Expression;
import dev.signalbox.kernel.Scope;
import org.jspecify.annotations.Nullable;

/** A compiled expression in CEL. */
final class CelExpression implements Expression {
  /** More operations than this may each touch a whole list before the work is counted. */
  private static final int UNCOUNTED = 8;

  private final Node node;
  private final Code code;
  private final Explanation explanation;
  private final int locals;
  private final boolean framed;
  private final boolean normal;

  CelExpression(Node node, Code code, Declarations declared) {
    this.node = node;
    this.code = code;
    this.explanation = new Explanation(node, declared);
    this.locals = depth(node);
    int heavy = heavy(node);
    this.framed = locals > 0 || heavy > UNCOUNTED || (heavy > 0 && builds(node));
    this.normal = isRead(node);
  }

  @Override
  public @Nullable Object evaluate(Scope scope) {
    try {
      Object value = code.eval(scope, frame());
      return normal ? value : Values.json(value, scope.bytes());
    } catch (StackOverflowError e) {
      throw tooDeep();
    }
  }

  @Override
  public boolean test(Scope scope) {
    try {
      return code.test(scope, frame());
    } catch (StackOverflowError e) {
      throw tooDeep();
    }
  }

  /** Expressions and results are bounded; only a value from outside can be as deep as this. */
  private static EvaluationException tooDeep() {
    return new EvaluationException("Expected values of few levels, but one goes too deep.");
  }

  @Override
  public String explain(Scope scope) {
    return explanation.of(scope);
  }

  private @Nullable Frame frame() {
    return framed ? new Frame(locals) : null;
  }

  @Override
  public String toString() {
    return NodeText.of(node);
  }

  /** How many loops are inside one another. */
  static int depth(Node node) {
    int deepest = 0;
    for (Node child : node.children()) {
      deepest = Math.max(deepest, depth(child));
    }
    return node instanceof Node.Loop loop
        ? Math.max(deepest, loop.variable().index() + 1)
        : deepest;
  }

  private static int heavy(Node node) {
    int sum = 0;
    for (Node child : node.children()) {
      sum += heavy(child);
    }
    return node instanceof Node.Call call && isHeavy(call) ? sum + 1 : sum;
  }

  /** Whether the expression makes lists or maps, which may hold one large value many times. */
  private static boolean builds(Node node) {
    return node instanceof Node.ListOf
        || node instanceof Node.MapOf
        || node.children().stream().anyMatch(CelExpression::builds);
  }

  /** Whether the call may take time in proportion to its operands. */
  private static boolean isHeavy(Node.Call call) {
    return switch (call.function()) {
      case ADD, EQUAL, NOT_EQUAL ->
          call.arguments().stream().noneMatch(a -> a instanceof Node.Constant(_, Number _));
      case IN, CONTAINS, MATCHES, SIZE -> true;
      default -> false;
    };
  }

  /** What is only read has been a JSON value before. */
  private static boolean isRead(Node node) {
    return switch (node) {
      case Node.Slot _, Node.Root _, Node.SlotPresent _, Node.Present _ -> true;
      case Node.Select(_, Node operand, _) -> isRead(operand);
      case Node.Index(_, Node operand, _) -> isRead(operand);
      default -> false;
    };
  }
}
