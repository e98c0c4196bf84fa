package dev.signalbox.definition.check;

import dev.cel.common.ast.CelExpr;
import dev.cel.common.ast.CelExpr.ExprKind.Kind;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A text made by putting another in front of it or behind it, so that it cannot be empty.
 *
 * @param term the new text
 */
record Change(Term term) {

  /** The change that the expression makes, or null when it is none of these. */
  static @Nullable Change of(CelExpr expr) {
    if (expr.getKind() != Kind.CALL || expr.call().args().size() != 2) {
      return null;
    }
    String function = expr.call().function();
    if (!function.equals("_+_")) {
      return null;
    }
    List<CelExpr> args = expr.call().args();
    Optional<Object> left = Formula.Terms.constant(args.get(0));
    Optional<Object> right = Formula.Terms.constant(args.get(1));
    boolean filled = isFilled(left.orElse("")) || isFilled(right.orElse(""));
    return filled ? new Change(Formula.Terms.term(expr)) : null;
  }

  private static boolean isFilled(Object constant) {
    return constant instanceof String s && !s.isEmpty();
  }

  /** The values it can give. */
  Domain domain() {
    return Domain.ANYTHING.without(Set.of(""));
  }
}
