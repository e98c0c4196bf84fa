package dev.signalbox.definition.check;

import dev.signalbox.definition.expression.Unknown;
import dev.signalbox.kernel.Context;
import dev.signalbox.kernel.Event;
import dev.signalbox.kernel.Expression;
import dev.signalbox.kernel.ExpressionCompiler;
import dev.signalbox.kernel.Scope;
import dev.signalbox.kernel.machine.Operand;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Expressions that are unknown as soon as anything they read is. */
final class CautiousExpressions implements ExpressionCompiler {
  private final ExpressionCompiler exact;
  private final Syntax syntax;

  CautiousExpressions(ExpressionCompiler exact, Syntax syntax) {
    this.exact = exact;
    this.syntax = syntax;
  }

  @Override
  public Expression compile(Operand.Expr source, Site site) throws SyntaxException {
    Expression inner = exact.compile(source, site);
    Syntax.Reads reads = syntax.reads(source.text());
    Term term = syntax.parse(source.text()).map(Formula.Terms::term).orElse(null);
    int[] slots =
        IntStream.range(0, site.layout().size())
            .filter(
                i ->
                    reads.contains(site.layout().name(i))
                        || site.locals().contains(site.layout().name(i)))
            .toArray();
    return new Expression() {
      @Override
      public @Nullable Object evaluate(Scope scope) {
        return seesUnknown(scope) ? Unknown.VALUE : inner.evaluate(scope);
      }

      private boolean seesUnknown(Scope scope) {
        Event event = scope.event();
        if (term == null || term.momentary()) {
          return true;
        }
        if (term.event() && event != null && Knowledge.hasUnknown(event.data())) {
          return true;
        }
        Context context = scope.context();
        for (int slot : slots) {
          if (Knowledge.hasUnknown(context.slot(slot))) {
            return true;
          }
        }
        return false;
      }
    };
  }
}
