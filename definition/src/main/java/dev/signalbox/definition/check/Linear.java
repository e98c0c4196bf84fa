package dev.signalbox.definition.check;

import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.ast.CelExpr.ExprKind.Kind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * An expression read as a sum of numbers, each times a constant, and one more constant. It is that
 * sum where its numbers are whole: CEL adds whole numbers exactly or not at all. Of other numbers
 * nothing is said, because their sums are rounded.
 *
 * @param parts in the order of their texts
 * @param sides the operands of which each is one sum of its own
 */
record Linear(Map<Term, Long> parts, long constant, List<Side> sides) {

  /**
   * One operand. CEL adds numbers of one kind only, so where one of them is whole all of them are.
   *
   * @param anchored whether a whole number is written in it
   */
  record Side(List<Term> leaves, boolean anchored) {
    boolean isWhole(Predicate<Term> whole) {
      return anchored || leaves.stream().anyMatch(whole);
    }
  }

  /** The sum that the expression is, or null when it is none. */
  static @Nullable Linear of(CelExpr expr) {
    Reading reading = new Reading();
    return reading.add(expr, 1) ? reading.result() : null;
  }

  /** Whether every number of it is whole. */
  boolean isWhole(Predicate<Term> whole) {
    return sides.stream().allMatch(side -> side.isWhole(whole));
  }

  /** This one less another; null when the numbers become too large. */
  @Nullable Linear minus(Linear other) {
    try {
      Map<Term, Long> all = empty();
      all.putAll(parts);
      for (Map.Entry<Term, Long> part : other.parts.entrySet()) {
        all.merge(part.getKey(), Math.negateExact(part.getValue()), Math::addExact);
      }
      all.values().removeIf(times -> times == 0);
      List<Side> both = new ArrayList<>(sides);
      both.addAll(other.sides);
      return new Linear(all, Math.subtractExact(constant, other.constant), List.copyOf(both));
    } catch (ArithmeticException e) {
      return null;
    }
  }

  /** Whether it is one number as it stands. */
  boolean isPlain() {
    return constant == 0 && parts.size() == 1 && parts.containsValue(1L);
  }

  private static Map<Term, Long> empty() {
    return new TreeMap<>(Comparator.comparing(Term::text));
  }

  /** Reads a tree of additions. */
  private static final class Reading {
    private final Map<Term, Long> parts = empty();
    private final List<Term> leaves = new ArrayList<>();
    private long constant;
    private boolean anchored;

    boolean add(CelExpr expr, long times) {
      try {
        if (expr.getKind() == Kind.CONSTANT
            && expr.constant().getKind() == CelConstant.Kind.INT64_VALUE) {
          anchored = true;
          constant =
              Math.addExact(constant, Math.multiplyExact(times, expr.constant().int64Value()));
          return true;
        }
        if (expr.getKind() == Kind.CALL) {
          List<CelExpr> args = expr.call().args();
          switch (expr.call().function()) {
            case "_+_" -> {
              return add(args.get(0), times) && add(args.get(1), times);
            }
            case "_-_" -> {
              return add(args.get(0), times) && add(args.get(1), Math.negateExact(times));
            }
            case "-_" -> {
              return add(args.getFirst(), Math.negateExact(times));
            }
            case "_*_" -> {
              return product(args.get(0), args.get(1), times)
                  || product(args.get(1), args.get(0), times);
            }
            default -> {}
          }
        }
        Term leaf = Formula.Terms.term(expr);
        if (!leaf.settled() || leaf.momentary() || leaf.path().isEmpty()) {
          return false;
        }
        leaves.add(leaf);
        parts.merge(leaf, times, Math::addExact);
        return true;
      } catch (ArithmeticException e) {
        return false;
      }
    }

    private boolean product(CelExpr factor, CelExpr other, long times) {
      if (factor.getKind() != Kind.CONSTANT
          || factor.constant().getKind() != CelConstant.Kind.INT64_VALUE) {
        return false;
      }
      anchored = true;
      return add(other, Math.multiplyExact(times, factor.constant().int64Value()));
    }

    Linear result() {
      parts.values().removeIf(times -> times == 0);
      return new Linear(parts, constant, List.of(new Side(List.copyOf(leaves), anchored)));
    }
  }
}
