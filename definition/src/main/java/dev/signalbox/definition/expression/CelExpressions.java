package dev.signalbox.definition.expression;

import dev.signalbox.kernel.Expression;
import dev.signalbox.kernel.ExpressionCompiler;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.Type;

/**
 * CEL for the expressions of one machine.
 *
 * <p>In strict mode an expression sees {@code ctx}, {@code event}, {@code actor}, {@code now},
 * {@code id}, {@code In('STATE')} and the variables of enclosing foreach loops, and is checked
 * against the declared types. In scxml mode it sees {@code data}, {@code _event}, {@code _name},
 * {@code _sessionid}, {@code _ioprocessors}, {@code _x} and {@code In('s')}; there only its syntax
 * is checked, and everything else shows when it is evaluated.
 *
 * <p>Instances are cheap and can be shared between threads. CEL starts with the first expression.
 */
public final class CelExpressions implements ExpressionCompiler {
  private final Declarations declared;

  private CelExpressions(Declarations declared) {
    this.declared = declared;
  }

  public static CelExpressions of(Machine machine) {
    return new CelExpressions(Declarations.of(machine));
  }

  @Override
  public Expression compile(Operand.Expr source, Site site) throws SyntaxException {
    Node node = Folding.fold(read(source, site).node());
    return new CelExpression(node, code(source, node, site), declared);
  }

  /**
   * The same expressions over values of which some are {@link Unknown#VALUE}, as {@link
   * AbstractExpression}s.
   */
  public ExpressionCompiler abstractly() {
    return (source, site) -> {
      Node node = Folding.fold(read(source, site).node());
      CelInterpreter interpreter = node.isForeign() ? interpreter(source, node, site) : null;
      return new AbstractExpression(node, site.use(), declared, interpreter);
    };
  }

  private Code code(Operand.Expr source, Node node, Site site) throws SyntaxException {
    if (!node.isForeign()) {
      return new CodeCompiler(declared).compile(node);
    }
    return interpreter(source, node, site);
  }

  private CelInterpreter interpreter(Operand.Expr source, Node node, Site site)
      throws SyntaxException {
    CelInterpreter.check(node);
    return CelInterpreter.of(source.text(), node, declared, site);
  }

  /**
   * The type of the expression's value, as far as it is known before there is one; otherwise {@link
   * Type#ANY}.
   */
  public Type type(Operand.Expr source, Site site) throws SyntaxException {
    return read(source, site).shape().type();
  }

  private TypeChecker.Typed read(Operand.Expr source, Site site) throws SyntaxException {
    Node node = NodeReader.read(source.text(), new Names(declared, site));
    return declared.strict()
        ? new TypeChecker(declared, site).check(node)
        : new TypeChecker.Typed(node, Shape.ANY);
  }
}
