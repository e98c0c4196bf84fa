package dev.signalbox.definition.expression;

import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.signalbox.kernel.Answer;
import dev.signalbox.kernel.Chart;
import dev.signalbox.kernel.Context;
import dev.signalbox.kernel.Event;
import dev.signalbox.kernel.Expression;
import dev.signalbox.kernel.ExpressionCompiler;
import dev.signalbox.kernel.ExpressionCompiler.Site;
import dev.signalbox.kernel.ExpressionCompiler.SyntaxException;
import dev.signalbox.kernel.ExpressionCompiler.Use;
import dev.signalbox.kernel.Kernel;
import dev.signalbox.kernel.Scope;
import dev.signalbox.kernel.Step;
import dev.signalbox.kernel.machine.EventType;
import dev.signalbox.kernel.machine.Field;
import dev.signalbox.kernel.machine.Limits;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.Transition;
import dev.signalbox.kernel.machine.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A machine with two states, and a scope in the first of them to evaluate expressions in. */
final class Workbench {
  static final long NOW = 1_700_000_000_000L;

  private final Machine machine;
  private final ExpressionCompiler compiler;
  private final List<String> locals;
  private final Scope scope;

  private Workbench(
      Machine machine, ExpressionCompiler compiler, List<String> locals, Scope scope) {
    this.machine = machine;
    this.compiler = compiler;
    this.locals = locals;
    this.scope = scope;
  }

  static Workbench strict(Field... fields) {
    return of(machine(Machine.Mode.STRICT, List.of(fields), List.of()));
  }

  static Workbench scxml(String... fields) {
    List<Field> declared = new ArrayList<>();
    for (String field : fields) {
      declared.add(field(field, Type.ANY));
    }
    return of(machine(Machine.Mode.SCXML, declared, List.of()));
  }

  static Workbench of(Machine machine) {
    Chart chart = Chart.compile(machine, (source, site) -> _ -> null);
    Answer answer = Kernel.start(chart, "i-1", null, Map.of(), NOW);
    Step started = (Step) answer;
    Context empty = Context.empty(chart.layout());
    Scope scope = new Scope(chart, "i-1", started.after().configuration(), empty, null, NOW);
    return new Workbench(machine, CelExpressions.of(machine), List.of(), scope);
  }

  static Machine machine(Machine.Mode mode, List<Field> fields, List<EventType> events) {
    State root =
        State.named(Machine.ROOT)
            .child(State.named("IDLE").transition(Transition.on("go", "BUSY")).build())
            .child(State.named("BUSY").transition(Transition.on("stop", "IDLE")).build())
            .build();
    return new Machine("bench", 1, mode, null, fields, events, root, List.of(), Limits.DEFAULT);
  }

  static Field field(String name, Type type) {
    return Field.of(name, type, null);
  }

  Workbench with(String field, @Nullable Object value) {
    int slot = scope.context().layout().index(field);
    return scoped(
        new Scope(
            scope.chart(),
            scope.instance(),
            scope.configuration(),
            scope.context().with(slot, value),
            scope.event(),
            scope.now()));
  }

  Workbench at(@Nullable Event event) {
    return scoped(
        new Scope(
            scope.chart(),
            scope.instance(),
            scope.configuration(),
            scope.context(),
            event,
            scope.now()));
  }

  Workbench event(@Nullable Object data) {
    return at(Event.external("go", data));
  }

  /** Declares events, which gives their data a type. */
  Workbench declaring(EventType... events) {
    Machine typed = machine(machine.mode(), machine.context(), List.of(events));
    return new Workbench(typed, CelExpressions.of(typed), locals, scope);
  }

  /** Adds the variable of a foreach loop behind the context. */
  Workbench local(String name, @Nullable Object value) {
    List<String> names = new ArrayList<>(scope.context().layout().names());
    names.add(name);
    Context wider = Context.empty(new Context.Layout(names));
    for (int i = 0; i < names.size() - 1; i++) {
      wider = wider.with(i, scope.context().slot(i));
    }
    wider = wider.with(names.size() - 1, value);
    List<String> more = new ArrayList<>(locals);
    more.add(name);
    Scope inside =
        new Scope(
            scope.chart(),
            scope.instance(),
            scope.configuration(),
            wider,
            scope.event(),
            scope.now());
    return new Workbench(machine, compiler, more, inside);
  }

  private Workbench scoped(Scope next) {
    return new Workbench(machine, compiler, locals, next);
  }

  /** The same place with another compiler. */
  Workbench by(ExpressionCompiler other) {
    return new Workbench(machine, other, locals, scope);
  }

  Machine machine() {
    return machine;
  }

  Scope scope() {
    return scope;
  }

  Site site(Use use, String... events) {
    return new Site(scope.context().layout(), use, locals, List.of(events));
  }

  Expression compile(String text, Use use, String... events) {
    try {
      return compiler.compile(Operand.expr(text), site(use, events));
    } catch (SyntaxException e) {
      throw new AssertionError(text + ": " + e.getMessage() + " at " + e.offset(), e);
    }
  }

  @Nullable Object eval(String text) {
    return compile(text, Use.VALUE).evaluate(scope);
  }

  boolean test(String text) {
    return compile(text, Use.CONDITION).test(scope);
  }

  String explain(String text) {
    return compile(text, Use.CONDITION).explain(scope);
  }

  /** The message and place of the fault in a condition, as {@code message @ offset}. */
  String fault(String text, String... events) {
    return fault(text, Use.CONDITION, events);
  }

  String fault(String text, Use use, String... events) {
    SyntaxException fault =
        catchThrowableOfType(
            SyntaxException.class, () -> compiler.compile(Operand.expr(text), site(use, events)));
    return fault == null ? "none" : fault.getMessage() + " @ " + fault.offset();
  }
}
