package dev.signalbox.definition.expression;

import dev.signalbox.definition.expression.Node.LoopKind;
import dev.signalbox.kernel.Context;
import dev.signalbox.kernel.EvaluationException;
import dev.signalbox.kernel.Event;
import dev.signalbox.kernel.Scope;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One evaluation over values of which some are not known.
 *
 * <p>Each node has a value, which may be unknown, and a risk: whether it may fail for some of what
 * the unknown values may be. Both are kept apart because CEL's {@code &&} and {@code ||} absorb a
 * failure: {@code false && r} is false whatever {@code r} does, but {@code [r].size() == 1} is not
 * true when {@code r} may fail.
 */
final class AbstractEvaluation {
  private final Scope scope;
  private final Declarations declared;
  private final Frame frame;
  private boolean risky;

  AbstractEvaluation(Scope scope, Declarations declared, Frame frame) {
    this.scope = scope;
    this.declared = declared;
    this.frame = frame;
  }

  /** Whether what was evaluated so far may fail. */
  boolean mayFail() {
    return risky;
  }

  @Nullable Object value(Node node, @Nullable CelInterpreter interpreter) {
    if (interpreter == null) {
      return eval(node);
    }
    return node.any(this::isUnknown) ? perhaps() : interpreter.eval(scope, frame);
  }

  private boolean isUnknown(Node node) {
    return switch (node) {
      case Node.Slot slot -> containsUnknown(scope.context().slot(slot.index()));
      case Node.SlotPresent slot -> scope.context().slot(slot.index()) == Unknown.VALUE;
      case Node.Root root -> containsUnknown(root(root.name()));
      default -> false;
    };
  }

  private static boolean containsUnknown(@Nullable Object value) {
    return switch (value) {
      case Unknown _ -> true;
      case List<?> list -> list.stream().anyMatch(AbstractEvaluation::containsUnknown);
      case Map<?, ?> map -> map.values().stream().anyMatch(AbstractEvaluation::containsUnknown);
      case null, default -> false;
    };
  }

  /** Something unknown that may also fail. */
  private Unknown perhaps() {
    risky = true;
    return Unknown.VALUE;
  }

  private @Nullable Object eval(Node node) {
    frame.spend(1);
    return switch (node) {
      case Node.Constant(_, Object value) -> value;
      case Node.Slot slot -> slot(slot);
      case Node.SlotPresent slot -> {
        Object value = scope.context().slot(slot.index());
        yield value == Unknown.VALUE ? value : (Object) (value != Context.ABSENT);
      }
      case Node.Root(_, Node.Name name) -> root(name);
      case Node.Local local -> frame.local(local.index());
      case Node.Select select -> {
        Object operand = eval(select.operand());
        yield operand == Unknown.VALUE
            ? perhaps()
            : Operations.select(select, select.operand(), operand, select.field());
      }
      case Node.Present present -> {
        Object operand = eval(present.operand());
        yield operand == Unknown.VALUE
            ? perhaps()
            : (Object) Operations.present(present.operand(), operand, present.field());
      }
      case Node.Index index -> {
        Object operand = eval(index.operand());
        Object key = eval(index.key());
        yield operand == Unknown.VALUE || key == Unknown.VALUE
            ? perhaps()
            : Operations.index(index, operand, key);
      }
      case Node.Call call -> call(call);
      case Node.Not not -> {
        Object operand = condition(not.operand());
        yield operand instanceof Boolean truth ? (Object) !truth : operand;
      }
      case Node.And(_, Node left, Node right) -> logic(left, right, false);
      case Node.Or(_, Node left, Node right) -> logic(left, right, true);
      case Node.Conditional conditional -> conditional(conditional);
      case Node.ListOf(_, List<Node> items) -> {
        List<@Nullable Object> list = new ArrayList<>(items.size());
        for (Node item : items) {
          list.add(eval(item));
        }
        yield Collections.unmodifiableList(list);
      }
      case Node.MapOf map -> map(map);
      case Node.Loop loop -> loop(loop);
      case Node.AsDouble(_, Node operand) -> {
        Object value = eval(operand);
        yield value instanceof Long whole ? (Object) (double) whole : value;
      }
      case Node.Failing failing -> throw new EvaluationException(failing.message());
      case Node.Foreign foreign -> throw new IllegalStateException(foreign.text());
    };
  }

  private @Nullable Object slot(Node.Slot slot) {
    Object value = scope.context().slot(slot.index());
    if (value == Context.ABSENT) {
      throw new EvaluationException(
          "Expected `" + slot.text() + "` to have a value, but it has none.");
    }
    return value == Unknown.VALUE ? perhaps() : value;
  }

  private @Nullable Object root(Node.Name name) {
    Event event = scope.event();
    Event sent = event != null && event.kind() == Event.Kind.EXTERNAL ? event : null;
    return switch (name) {
      case NOW, ID -> Unknown.VALUE;
      case EVENT ->
          sent != null && sent.data() == null ? Unknown.VALUE : Roots.value(name, scope, declared);
      case ACTOR ->
          sent != null && sent.actor() == null ? Unknown.VALUE : Roots.value(name, scope, declared);
      case CONTEXT, DATA -> {
        // An unknown slot may have no value at all, so the fields that are there are not known.
        boolean unknown = false;
        for (int i = 0; i < scope.context().layout().size(); i++) {
          unknown |= scope.context().slot(i) == Unknown.VALUE;
        }
        yield unknown ? Unknown.VALUE : Roots.value(name, scope, declared);
      }
      case SYSTEM_EVENT -> {
        Object known = Roots.value(name, scope, declared);
        if (sent == null || !(known instanceof Map<?, ?> map)) {
          yield known;
        }
        Map<@Nullable Object, @Nullable Object> all = new LinkedHashMap<>();
        map.forEach((key, value) -> all.put(key, value == null ? Unknown.VALUE : value));
        yield all;
      }
      case MACHINE_NAME, SESSION, PROCESSORS, PLATFORM -> Roots.value(name, scope, declared);
    };
  }

  /** A Boolean or unknown. */
  private Object condition(Node node) {
    return switch (eval(node)) {
      case Boolean truth -> truth;
      case Unknown _ -> perhaps();
      case null, default ->
          throw new EvaluationException(
              "Expected a condition, but `" + NodeText.of(node) + "` is none.");
    };
  }

  /** What one side of a conjunction or disjunction comes to; a failure is an outcome here. */
  private record Side(Object value, boolean risky, @Nullable EvaluationException failure) {

    boolean decides(boolean deciding) {
      return failure == null && !risky && value.equals(deciding);
    }
  }

  private Side side(Node node) {
    boolean before = risky;
    risky = false;
    try {
      Object value = condition(node);
      return new Side(value, risky, null);
    } catch (EvaluationException e) {
      return new Side(Unknown.VALUE, true, e);
    } finally {
      risky = before;
    }
  }

  private Object logic(Node left, Node right, boolean deciding) {
    List<Side> sides = new ArrayList<>();
    sides.add(side(left));
    if (!sides.getFirst().decides(deciding)) {
      sides.add(side(right));
    }
    return combined(sides, deciding);
  }

  /**
   * The whole of parts of which one may decide.
   *
   * @param deciding false for a conjunction, true for a disjunction
   */
  private Object combined(List<Side> sides, boolean deciding) {
    EvaluationException failure = null;
    boolean someRisk = false;
    boolean someUnknown = false;
    boolean someDeciding = false;
    for (Side side : sides) {
      if (side.decides(deciding)) {
        return deciding;
      }
      if (side.failure() != null) {
        failure = side.failure();
        continue;
      }
      someRisk |= side.risky();
      someUnknown |= side.value() == Unknown.VALUE;
      someDeciding |= side.value().equals(deciding);
    }
    if (someUnknown) {
      return perhaps();
    }
    if (someDeciding) {
      // It decides, or it fails, and then so does the whole.
      risky = true;
      return deciding;
    }
    if (failure != null) {
      throw failure;
    }
    risky |= someRisk;
    return !deciding;
  }

  private @Nullable Object conditional(Node.Conditional node) {
    Object condition = condition(node.condition());
    if (condition instanceof Boolean truth) {
      return eval(truth ? node.then() : node.otherwise());
    }
    try {
      Object then = eval(node.then());
      Object otherwise = eval(node.otherwise());
      return same(then, otherwise) ? then : Unknown.VALUE;
    } catch (EvaluationException e) {
      return perhaps();
    }
  }

  /** Whether both are one value, its type included, without anything unknown in it. */
  private static boolean same(@Nullable Object a, @Nullable Object b) {
    return Likeness.of(a, b) instanceof Boolean truth
        && truth
        && Values.kind(a).equals(Values.kind(b))
        && !(a instanceof List<?>)
        && !(a instanceof Map<?, ?>);
  }

  private Object map(Node.MapOf node) {
    Map<Object, @Nullable Object> map = new LinkedHashMap<>();
    boolean unknownKey = false;
    for (Node.Entry entry : node.entries()) {
      Object key = eval(entry.key());
      Object value = eval(entry.value());
      if (key == Unknown.VALUE) {
        unknownKey = true;
      } else if (map.containsKey(CallCode.key(key))) {
        throw new EvaluationException("Expected each key of a map once, but one comes twice.");
      } else {
        map.put(CallCode.key(key), value);
      }
    }
    return unknownKey ? perhaps() : Collections.unmodifiableMap(map);
  }

  private Object loop(Node.Loop loop) {
    Object range = eval(loop.range());
    if (range == Unknown.VALUE) {
      return perhaps();
    }
    List<?> items = LoopCode.items(loop, range);
    return switch (loop.kind()) {
      case ALL, EXISTS -> {
        List<Side> sides = new ArrayList<>();
        for (Object item : items) {
          frame.set(loop.variable().index(), item);
          sides.add(side(loop.body()));
        }
        yield combined(sides, loop.kind() == LoopKind.EXISTS);
      }
      case EXISTS_ONE -> {
        int count = 0;
        boolean unknown = false;
        for (Object item : items) {
          frame.set(loop.variable().index(), item);
          Object holds = condition(loop.body());
          unknown |= holds == Unknown.VALUE;
          count += holds.equals(true) ? 1 : 0;
        }
        yield unknown ? Unknown.VALUE : (Object) (count == 1);
      }
      case MAP, FILTER -> collect(loop, items);
    };
  }

  private Object collect(Node.Loop loop, List<?> items) {
    List<@Nullable Object> result = new ArrayList<>();
    boolean unknown = false;
    Node condition = loop.kind() == LoopKind.FILTER ? loop.body() : loop.filter();
    for (Object item : items) {
      frame.set(loop.variable().index(), item);
      Object taken = condition == null ? (Object) true : condition(condition);
      unknown |= taken == Unknown.VALUE;
      if (taken.equals(true)) {
        result.add(loop.kind() == LoopKind.FILTER ? item : eval(loop.body()));
      }
    }
    return unknown ? Unknown.VALUE : Collections.unmodifiableList(result);
  }

  private @Nullable Object call(Node.Call call) {
    Object a = eval(call.first());
    Object b = call.arguments().size() > 1 ? eval(call.second()) : null;
    boolean unknown = a == Unknown.VALUE || b == Unknown.VALUE;
    return switch (call.function()) {
      case EQUAL -> Likeness.of(a, b);
      case NOT_EQUAL ->
          Likeness.of(a, b) instanceof Boolean truth ? (Object) !truth : Unknown.VALUE;
      case IN -> in(call, a, b);
      case DYN -> a;
      case IN_STATE -> {
        if (unknown) {
          yield perhaps();
        }
        if (a instanceof String state) {
          yield scope.in(state);
        }
        throw Operations.wrong(call.first(), "the name of a state", a);
      }
      default -> unknown ? perhaps() : Operations.apply(call, a, b, frame);
    };
  }

  private Object in(Node.Call call, @Nullable Object value, @Nullable Object all) {
    return switch (all) {
      case Unknown _ -> perhaps();
      case List<?> list -> {
        boolean unknown = false;
        for (Object item : list) {
          Object same = Likeness.of(item, value);
          if (same.equals(true)) {
            yield true;
          }
          unknown |= same == Unknown.VALUE;
        }
        yield unknown ? Unknown.VALUE : (Object) false;
      }
      case Map<?, ?> map when value == Unknown.VALUE ->
          map.isEmpty() ? (Object) false : Unknown.VALUE;
      case null, default -> Operations.in(call, value, all, frame);
    };
  }
}
