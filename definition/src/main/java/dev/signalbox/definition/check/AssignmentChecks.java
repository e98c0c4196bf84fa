package dev.signalbox.definition.check;

import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.signalbox.definition.expression.CelExpressions;
import dev.signalbox.kernel.Conformance;
import dev.signalbox.kernel.Context;
import dev.signalbox.kernel.ExpressionCompiler;
import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Whether what is assigned to a field can be of its type. */
final class AssignmentChecks {
  private final Inspection in;
  private final Syntax syntax;
  private final Typing typing;
  private final CelExpressions expressions;
  private final Context.Layout layout;

  AssignmentChecks(Inspection in, Syntax syntax, CelExpressions expressions) {
    this.in = in;
    this.syntax = syntax;
    this.typing = new Typing(in.machine());
    this.expressions = expressions;
    this.layout = in.layout();
  }

  void run() {
    for (Content.Act act : in.content().acts()) {
      if (act.action() instanceof Action.Assign(String location, Operand.Literal(Object value))) {
        Type type = type(location);
        String fault = type == null ? null : Conformance.fault(type, value, "'" + location + "'");
        if (fault != null) {
          wrong(act.action(), location, fault);
        }
      }
    }
    for (Content.Use use : in.content().uses()) {
      if (use.action() instanceof Action.Assign(String location, _)
          && !in.faulty().contains(use.expr())) {
        Type type = type(location);
        String fault = type == null ? null : fault(type, use, location);
        if (fault != null) {
          wrong(use.expr(), location, fault);
        }
      }
    }
  }

  private @Nullable Type type(String location) {
    List<String> path = new ArrayList<>(List.of("ctx"));
    path.addAll(List.of(location.split("\\.", -1)));
    return typing.type(path, null);
  }

  private @Nullable String fault(Type type, Content.Use use, String location) {
    for (Object constant : constants(use.expr())) {
      String fault = Conformance.fault(type, constant, "'" + location + "'");
      if (fault != null) {
        return fault;
      }
    }
    try {
      Type given =
          expressions.type(
              use.expr(),
              new ExpressionCompiler.Site(
                  layout, ExpressionCompiler.Use.VALUE, use.locals(), use.events()));
      return canBe(given, type)
          ? null
          : "'%s' is of type %s, not %s".formatted(location, word(type), word(given));
    } catch (ExpressionCompiler.SyntaxException e) {
      return null; // Another check tells of it.
    }
  }

  /** The constants that the expression comes to, by itself or on a side of a conditional. */
  private List<Object> constants(Operand.Expr expr) {
    List<Object> found = new ArrayList<>();
    syntax.parse(expr.text()).ifPresent(tree -> collect(tree, found));
    return found;
  }

  private static void collect(CelExpr tree, List<Object> found) {
    if (tree.getKind() == CelExpr.ExprKind.Kind.CONSTANT) {
      value(tree.constant()).ifPresent(found::add);
    } else if (tree.getKind() == CelExpr.ExprKind.Kind.CALL
        && tree.call().function().equals("_?_:_")) {
      collect(tree.call().args().get(1), found);
      collect(tree.call().args().get(2), found);
    }
  }

  private static Optional<Object> value(CelConstant constant) {
    return switch (constant.getKind()) {
      case STRING_VALUE -> Optional.of(constant.stringValue());
      case INT64_VALUE -> Optional.of(constant.int64Value());
      case DOUBLE_VALUE -> Optional.of(constant.doubleValue());
      case BOOLEAN_VALUE -> Optional.of(constant.booleanValue());
      default -> Optional.empty();
    };
  }

  /** Whether some value of the one type is a value of the other. */
  private static boolean canBe(Type given, Type wanted) {
    boolean open = given.kind() == Type.Kind.ANY || wanted.kind() == Type.Kind.ANY;
    Type item = given.item();
    Type wantedItem = wanted.item();
    return switch (wanted.kind()) {
      case ANY -> true;
      case DOUBLE -> open || given.kind() == Type.Kind.DOUBLE || given.kind() == Type.Kind.INT;
      case MAP, OBJECT -> open || given.kind() == Type.Kind.MAP || given.kind() == Type.Kind.OBJECT;
      case LIST ->
          open
              || (given.kind() == Type.Kind.LIST
                  && (item == null || wantedItem == null || canBe(item, wantedItem)));
      case BOOL, INT, STRING -> open || given.kind() == wanted.kind();
    };
  }

  private static String word(Type type) {
    return type.kind().name().toLowerCase(Locale.ROOT);
  }

  private void wrong(Object element, String location, String fault) {
    in.errorIfStrict(
        "wrong-value",
        element,
        "Expected a value that '%s' can have, but %s.".formatted(location, fault),
        "Correct the value, or the type under 'context'.");
  }
}
