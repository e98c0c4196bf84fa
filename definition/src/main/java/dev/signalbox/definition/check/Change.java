package dev.signalbox.definition.check;

import dev.cel.common.ast.CelExpr;
import dev.cel.common.ast.CelExpr.ExprKind.Kind;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A new value made from an old one and a constant: a number plus or minus one, a text with another
 * in front of it or behind it.
 *
 * @param term the old value
 * @param added the number added to it; 0 for texts
 * @param text whether it is a text that cannot be empty
 */
record Change(Term term, long added, boolean text) {

  /** The change that the expression makes, or null when it is none of these. */
  static @Nullable Change of(CelExpr expr) {
    if (expr.getKind() != Kind.CALL || expr.call().args().size() != 2) {
      return null;
    }
    String function = expr.call().function();
    if (!function.equals("_+_") && !function.equals("_-_")) {
      return null;
    }
    List<CelExpr> args = expr.call().args();
    Optional<Object> left = Formula.Terms.constant(args.get(0));
    Optional<Object> right = Formula.Terms.constant(args.get(1));
    boolean plus = function.equals("_+_");
    if (right.isPresent() && right.get() instanceof Long n) {
      return new Change(Formula.Terms.term(args.get(0)), plus ? n : -n, false);
    }
    if (plus && left.isPresent() && left.get() instanceof Long n) {
      return new Change(Formula.Terms.term(args.get(1)), n, false);
    }
    boolean filled = plus && (isFilled(left.orElse("")) || isFilled(right.orElse("")));
    return filled ? new Change(Formula.Terms.term(expr), 0, true) : null;
  }

  private static boolean isFilled(Object constant) {
    return constant instanceof String s && !s.isEmpty();
  }

  /** The values it can give. */
  Domain domain(Function<Term, Domain> before) {
    if (text) {
      return Domain.ANYTHING.without(Set.of(""));
    }
    Domain old = before.apply(term);
    return old.isWhole() ? old.plus(added) : Domain.ANYTHING;
  }
}
