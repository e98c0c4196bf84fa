package dev.signalbox.definition.check;

import dev.signalbox.definition.Place;
import dev.signalbox.kernel.Context;
import dev.signalbox.kernel.ExpressionCompiler;

/** Whether every expression compiles at its site. */
final class ExpressionChecks {
  private final Inspection in;
  private final ExpressionCompiler compiler;

  ExpressionChecks(Inspection in, ExpressionCompiler compiler) {
    this.in = in;
    this.compiler = compiler;
  }

  void run() {
    Context.Layout layout = in.layout();
    for (Content.Use use : in.content().uses()) {
      ExpressionCompiler.Use kind =
          use.role().isCondition()
              ? ExpressionCompiler.Use.CONDITION
              : ExpressionCompiler.Use.VALUE;
      try {
        compiler.compile(
            use.expr(), new ExpressionCompiler.Site(layout, kind, use.locals(), use.events()));
      } catch (ExpressionCompiler.SyntaxException e) {
        in.faulty().add(use.expr());
        Place start = in.placeOf(use.expr());
        Place place =
            e.offset() <= 0 ? start : new Place(start.line(), start.column() + e.offset());
        // In scxml mode it is error.execution where it is evaluated, as W3C says.
        in.errorIfStrict("expression", place, String.valueOf(e.getMessage()), "");
      }
    }
  }
}
