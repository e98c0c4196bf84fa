package dev.signalbox.definition.check;

import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.signalbox.kernel.Scope;
import dev.signalbox.kernel.machine.Field;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.Type;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Whether the condition of an invariant may have no value, by what types and facts say. The engine
 * takes an invariant that can't be evaluated for broken: a field that nobody gave a value, the size
 * of a number, a sum beyond 64 bits. Where it is not sure that there is a value it says so.
 */
final class Totality {
  private final Typing typing;
  private final Knowledge knowledge;
  private final Set<String> given = new HashSet<>();

  Totality(Machine machine, Typing typing, Knowledge knowledge) {
    this.typing = typing;
    this.knowledge = knowledge;
    for (Field field : machine.context()) {
      if (field.initial() != null) {
        given.add(field.name());
      }
    }
  }

  boolean mayFail(CelExpr expr, Scope scope) {
    return switch (expr.getKind()) {
      case CONSTANT -> false;
      case SELECT ->
          expr.select().testOnly()
              ? mayFail(expr.select().operand(), scope)
                  || !isMap(kind(expr.select().operand(), scope))
              : !isRead(expr, scope);
      case LIST -> expr.list().elements().stream().anyMatch(e -> mayFail(e, scope));
      case CALL -> call(expr, scope);
      case IDENT, MAP, STRUCT, COMPREHENSION, NOT_SET -> true;
    };
  }

  private boolean call(CelExpr expr, Scope scope) {
    List<CelExpr> args = expr.call().args();
    return switch (expr.call().function()) {
      case "!_", "_&&_", "_||_", "_==_", "_!=_" -> anyMayFail(args, scope);
      case "_?_:_" -> anyMayFail(args, scope);
      case "_<_", "_<=_", "_>_", "_>=_" ->
          anyMayFail(args, scope)
              || !areOrdered(kind(args.get(0), scope), kind(args.get(1), scope));
      case "_+_", "_-_", "-_", "_*_" -> {
        Linear linear = Linear.of(expr);
        yield anyMayFail(args, scope)
            || linear == null
            || !knowledge.isWhole(linear, scope)
            || isUnbounded(knowledge.domain(linear, scope));
      }
      case "size" -> {
        CelExpr of = expr.call().target().orElseGet(args::getFirst);
        yield mayFail(of, scope) || !isSized(kind(of, scope));
      }
      case "@in" -> {
        Type.Kind all = kind(args.get(1), scope);
        yield anyMayFail(args, scope) || !(all == Type.Kind.LIST || isMap(all));
      }
      case "In" -> anyMayFail(args, scope);
      default -> true;
    };
  }

  private boolean anyMayFail(List<CelExpr> parts, Scope scope) {
    return parts.stream().anyMatch(p -> mayFail(p, scope));
  }

  private static boolean isUnbounded(Domain domain) {
    return domain.least() == Long.MIN_VALUE || domain.most() == Long.MAX_VALUE;
  }

  /** Whether the path has a value. */
  private boolean isRead(CelExpr expr, Scope scope) {
    List<String> path = Formula.Terms.path(expr);
    if (path.isEmpty() || !path.getFirst().equals("ctx")) {
      return false;
    }
    Term field = Term.field("ctx", path.get(1));
    boolean there =
        given.contains(path.get(1))
            || knowledge.isSeen(field, scope)
            || knowledge.isRead(path.get(1));
    return there && (path.size() == 2 || isDeclared(path));
  }

  /** Whether every part of the path is declared and must be there. */
  private boolean isDeclared(List<String> path) {
    for (int i = 2; i <= path.size(); i++) {
      Type type = typing.type(path.subList(0, i), null);
      boolean inner = i < path.size();
      if (type == null || (inner && (type.optional() || type.kind() != Type.Kind.OBJECT))) {
        return false;
      }
      if (!inner && i > 2 && type.optional()) {
        return false;
      }
    }
    return true;
  }

  /** The kind of values that the expression has, or null when that is not sure. */
  private Type.@Nullable Kind kind(CelExpr expr, Scope scope) {
    return switch (expr.getKind()) {
      case CONSTANT -> kind(expr.constant());
      case LIST -> Type.Kind.LIST;
      case SELECT -> {
        List<String> path = Formula.Terms.path(expr);
        Type type = path.isEmpty() ? null : typing.type(path, null);
        yield type == null || type.optional() || type.kind() == Type.Kind.ANY ? null : type.kind();
      }
      case CALL ->
          switch (expr.call().function()) {
            case "size" -> Type.Kind.INT;
            case "_+_", "_-_", "-_", "_*_" -> {
              Linear linear = Linear.of(expr);
              yield linear != null && knowledge.isWhole(linear, scope) ? Type.Kind.INT : null;
            }
            default -> null;
          };
      case IDENT, MAP, STRUCT, COMPREHENSION, NOT_SET -> null;
    };
  }

  private static Type.@Nullable Kind kind(CelConstant constant) {
    return switch (constant.getKind()) {
      case INT64_VALUE -> Type.Kind.INT;
      case DOUBLE_VALUE -> Type.Kind.DOUBLE;
      case STRING_VALUE -> Type.Kind.STRING;
      case BOOLEAN_VALUE -> Type.Kind.BOOL;
      default -> null;
    };
  }

  private static boolean areOrdered(Type.@Nullable Kind one, Type.@Nullable Kind other) {
    return (isNumber(one) && isNumber(other)) || (one == Type.Kind.STRING && one == other);
  }

  private static boolean isNumber(Type.@Nullable Kind kind) {
    return kind == Type.Kind.INT || kind == Type.Kind.DOUBLE;
  }

  private static boolean isMap(Type.@Nullable Kind kind) {
    return kind == Type.Kind.MAP || kind == Type.Kind.OBJECT;
  }

  private static boolean isSized(Type.@Nullable Kind kind) {
    return kind == Type.Kind.LIST || kind == Type.Kind.STRING || isMap(kind);
  }
}
