package dev.signalbox.definition.check;

import dev.signalbox.definition.Place;
import dev.signalbox.kernel.Context;
import dev.signalbox.kernel.ExpressionCompiler;
import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.Field;
import dev.signalbox.kernel.machine.State;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Whether every expression compiles at its site. */
final class ExpressionChecks {
  private final Inspection in;
  private final ExpressionCompiler compiler;

  ExpressionChecks(Inspection in, ExpressionCompiler compiler) {
    this.in = in;
    this.compiler = compiler;
  }

  void run() {
    Context.Layout layout = layout();
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

  /** The context fields, those that states declare, and the loop variables, each once. */
  private Context.Layout layout() {
    Set<String> names = new LinkedHashSet<>();
    in.machine().context().stream().map(Field::name).forEach(names::add);
    for (State state : in.outline().states()) {
      state.data().stream().map(Field::name).forEach(names::add);
    }
    for (Content.Act act : in.content().acts()) {
      if (act.action() instanceof Action.Foreach loop) {
        names.add(loop.item());
        String index = loop.index();
        if (index != null) {
          names.add(index);
        }
      }
    }
    List<String> order = new ArrayList<>(names);
    return new Context.Layout(order);
  }
}
