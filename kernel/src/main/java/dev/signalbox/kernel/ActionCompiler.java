package dev.signalbox.kernel;

import dev.signalbox.kernel.ExpressionCompiler.Site;
import dev.signalbox.kernel.ExpressionCompiler.SyntaxException;
import dev.signalbox.kernel.ExpressionCompiler.Use;
import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.Durations;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.Payload;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.Transition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Compiles actions, operands and conditions to code.
 *
 * <p>A fault that SCXML wants to see while the machine runs (an expression that is none, a location
 * that does not exist) becomes code that fails; in strict mode it fails the compilation.
 */
final class ActionCompiler {
  private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
  private static final Set<String> RESERVED =
      Set.of(
          "true",
          "false",
          "null",
          "in",
          "as",
          "break",
          "const",
          "continue",
          "else",
          "for",
          "function",
          "if",
          "import",
          "let",
          "loop",
          "package",
          "namespace",
          "return",
          "var",
          "void",
          "while");

  private final Machine machine;
  private final boolean strict;
  private final Context.Layout layout;
  private final ExpressionCompiler expressions;
  private final List<String> locals = new ArrayList<>();

  ActionCompiler(Machine machine, Context.Layout layout, ExpressionCompiler expressions) {
    this.machine = machine;
    this.strict = machine.mode() == Machine.Mode.STRICT;
    this.layout = layout;
    this.expressions = expressions;
  }

  Instruction[][] blocks(List<List<Action>> blocks, List<String> heard) {
    return blocks.stream().map(b -> block(b, heard)).toArray(Instruction[][]::new);
  }

  Instruction[] block(List<Action> actions, List<String> heard) {
    return actions.stream().map(a -> instruction(a, heard)).toArray(Instruction[]::new);
  }

  /** A condition; {@code heard} are the descriptors of the transition it belongs to. */
  Expression condition(Operand.Expr expr, List<String> heard) {
    return compile(expr, Use.CONDITION, heard);
  }

  Expression expression(Operand.Expr expr, List<String> heard) {
    return compile(expr, Use.VALUE, heard);
  }

  ValueCode value(Operand operand) {
    return value(operand, List.of());
  }

  @Nullable ValueCode optional(@Nullable Operand operand) {
    return operand == null ? null : value(operand);
  }

  PayloadCode payload(Payload payload, List<String> heard) {
    if (payload.isEmpty()) {
      return PayloadCode.NONE;
    }
    Operand content = payload.content();
    List<Payload.Param> params = payload.params();
    return new PayloadCode(
        params.stream().map(Payload.Param::name).toArray(String[]::new),
        params.stream().map(p -> param(p, heard)).toArray(ValueCode[]::new),
        content == null ? null : value(content, heard));
  }

  /** The variables that foreach loops of the state's own actions declare. */
  static void collectLocals(State state, Set<String> into) {
    state.entry().forEach(b -> collectLocals(b, into));
    state.exit().forEach(b -> collectLocals(b, into));
    state.transitions().forEach(t -> collectLocals(t.actions(), into));
    Transition initial = state.initial();
    if (initial != null) {
      collectLocals(initial.actions(), into);
    }
    state.invokes().forEach(i -> collectLocals(i.finalizer(), into));
  }

  private static void collectLocals(List<Action> actions, Set<String> into) {
    for (Action action : actions) {
      if (action instanceof Action.Foreach loop) {
        into.add(loop.item());
        String index = loop.index();
        if (index != null) {
          into.add(index);
        }
        collectLocals(loop.body(), into);
      } else if (action instanceof Action.If choice) {
        choice.branches().forEach(b -> collectLocals(b.actions(), into));
        collectLocals(choice.otherwise(), into);
      }
    }
  }

  private Instruction instruction(Action action, List<String> heard) {
    return switch (action) {
      case Action.Assign assign -> assign(assign.location(), value(assign.value(), heard));
      case Action.Raise raise -> {
        ValueCode event = value(raise.event(), heard);
        PayloadCode data = payload(raise.data(), heard);
        yield run -> run.raise(Event.internal(name(event.value(run)), data.inside(run)));
      }
      case Action.Send send -> send(send, heard);
      case Action.Cancel cancel -> {
        ValueCode id = value(cancel.sendId(), heard);
        yield run -> run.timers.cancelSends(name(id.value(run)));
      }
      case Action.Log log -> {
        Operand operand = log.value();
        ValueCode value = operand == null ? _ -> null : value(operand, heard);
        yield run -> run.log(log.label(), value.value(run));
      }
      case Action.If choice -> choice(choice, heard);
      case Action.Foreach loop -> foreach(loop, heard);
      case Action.Emit emit -> {
        PayloadCode data = payload(emit.data(), heard);
        yield run -> run.emit(emit.kind(), data.data(run));
      }
      case Action.Perform perform -> {
        PayloadCode input = payload(perform.input(), heard);
        yield run -> run.perform(perform, input.data(run));
      }
    };
  }

  private Instruction assign(String location, ValueCode value) {
    String[] path = location.split("\\.", -1);
    int slot = layout.index(path[0]);
    if (slot < 0) {
      String message =
          "Expected to assign '%s', but the machine declares no field '%s'."
              .formatted(location, path[0]);
      return fault(message);
    }
    if (path.length == 1) {
      return run -> run.assign(slot, value.value(run));
    }
    return run -> {
      Object now = run.context().slot(slot);
      run.assign(slot, changed(now, path, 1, value.value(run)));
    };
  }

  private static Object changed(
      @Nullable Object now, String[] path, int depth, @Nullable Object value) {
    if (!(now instanceof Map<?, ?> map)) {
      throw new EvaluationException(
          "Expected to assign '%s', but '%s' is not a map."
              .formatted(String.join(".", path), path[depth - 1]));
    }
    Map<Object, @Nullable Object> copy = new LinkedHashMap<>(map);
    String key = path[depth];
    copy.put(key, depth == path.length - 1 ? value : changed(map.get(key), path, depth + 1, value));
    return Collections.unmodifiableMap(copy);
  }

  private Instruction send(Action.Send send, List<String> heard) {
    ValueCode event = optional(send.event(), heard);
    ValueCode target = optional(send.target(), heard);
    ValueCode type = optional(send.type(), heard);
    ValueCode delay = optional(send.delay(), heard);
    PayloadCode data = payload(send.data(), heard);
    String idLocation = send.idLocation();
    Instruction noteId = idLocation == null ? null : assign(idLocation, Run::lastSendId);
    return run -> {
      String id = send.id();
      if (noteId != null) {
        id = run.freshSendId();
        noteId.execute(run);
      }
      run.sending.send(
          event == null ? "" : name(event.value(run)),
          target == null ? null : name(target.value(run)),
          type == null ? null : name(type.value(run)),
          id,
          delay == null ? 0 : millis(delay.value(run)),
          () -> data.data(run));
    };
  }

  private Instruction choice(Action.If choice, List<String> heard) {
    int size = choice.branches().size();
    Expression[] conditions = new Expression[size];
    Instruction[][] bodies = new Instruction[size][];
    for (int i = 0; i < size; i++) {
      conditions[i] = condition(choice.branches().get(i).condition(), heard);
      bodies[i] = block(choice.branches().get(i).actions(), heard);
    }
    Instruction[] otherwise = block(choice.otherwise(), heard);
    return run -> {
      for (int i = 0; i < conditions.length; i++) {
        if (run.holds(conditions[i])) {
          run.inline(bodies[i]);
          return;
        }
      }
      run.inline(otherwise);
    };
  }

  private Instruction foreach(Action.Foreach loop, List<String> heard) {
    String index = loop.index();
    for (String name : index == null ? List.of(loop.item()) : List.of(loop.item(), index)) {
      if (!NAME.matcher(name).matches() || RESERVED.contains(name)) {
        return fault("Expected a name for a foreach variable, but found '%s'.".formatted(name));
      }
    }
    Expression list = expression(loop.list(), heard);
    int before = locals.size();
    locals.add(loop.item());
    if (index != null) {
      locals.add(index);
    }
    Instruction[] body = block(loop.body(), heard);
    locals.subList(before, locals.size()).clear();
    int itemSlot = layout.index(loop.item());
    int indexSlot = index == null ? -1 : layout.index(index);
    return run -> run.foreach(list, itemSlot, indexSlot, body);
  }

  private ValueCode param(Payload.Param param, List<String> heard) {
    if (!param.location()) {
      return value(param.value(), heard);
    }
    String location = param.value() instanceof Operand.Literal(String text) ? text : param.name();
    String[] path = location.split("\\.", -1);
    int slot = layout.index(path[0]);
    return run -> {
      Object found = slot < 0 ? Context.ABSENT : run.context().slot(slot);
      for (int i = 1; i < path.length && found instanceof Map<?, ?> map; i++) {
        found = map.containsKey(path[i]) ? map.get(path[i]) : Context.ABSENT;
      }
      if (found == Context.ABSENT) {
        throw new EvaluationException(
            "Expected a value at '%s', but there is none.".formatted(location));
      }
      return found;
    };
  }

  private @Nullable ValueCode optional(@Nullable Operand operand, List<String> heard) {
    return operand == null ? null : value(operand, heard);
  }

  private ValueCode value(Operand operand, List<String> heard) {
    return switch (operand) {
      case Operand.Literal(var literal) -> _ -> literal;
      case Operand.Expr expr -> {
        Expression compiled = compile(expr, Use.VALUE, heard);
        yield run -> compiled.evaluate(run.scope());
      }
    };
  }

  private Expression compile(Operand.Expr expr, Use use, List<String> heard) {
    try {
      return expressions.compile(expr, new Site(layout, use, List.copyOf(locals), heard));
    } catch (SyntaxException e) {
      if (strict) {
        throw new IllegalArgumentException(
            "Expected an expression in machine '%s', but '%s' is not one that fits: %s"
                .formatted(machine.name(), expr.text(), e.getMessage()),
            e);
      }
      String message = "Expected an expression, but '%s' is not one.".formatted(expr.text());
      return _ -> {
        throw new EvaluationException(message);
      };
    }
  }

  private Instruction fault(String message) {
    if (strict) {
      throw new IllegalArgumentException(message);
    }
    return _ -> {
      throw new EvaluationException(message);
    };
  }

  private static String name(@Nullable Object value) {
    if (value instanceof String text) {
      return text;
    }
    throw new EvaluationException("Expected a name, but found '%s'.".formatted(value));
  }

  /** A delay in milliseconds from a duration, its text, or a whole number of them. */
  static long millis(@Nullable Object value) {
    long millis =
        switch (value) {
          case Duration duration -> duration.toMillis();
          case Long number -> number;
          case String text -> Durations.parse(text).map(Duration::toMillis).orElse(-1L);
          case null, default -> -1L;
        };
    if (millis < 0 || millis > 1_000_000_000_000_000L) {
      throw new EvaluationException(
          "Expected a delay such as '5s' or a number of milliseconds, but found '%s'."
              .formatted(value));
    }
    return millis;
  }
}
