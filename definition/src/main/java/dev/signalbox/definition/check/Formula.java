package dev.signalbox.definition.check;

import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.ast.CelExpr.ExprKind.Kind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A condition as far as the checks understand it: terms compared with constants, joined by and and
 * or. What they do not understand is a term that is true or false.
 */
sealed interface Formula {

  record Truth(boolean holds) implements Formula {}

  record And(List<Formula> parts) implements Formula {}

  record Or(List<Formula> parts) implements Formula {}

  /** The term is itself a condition, and it is true or false. */
  record Holds(Term term, boolean value) implements Formula {}

  /**
   * Two terms have the same value, or not.
   *
   * @param whole stands for the comparison as such
   */
  record Same(Term left, Term right, Term whole, boolean value) implements Formula {}

  /** The term compared with a constant. */
  record Compare(Term term, Sign sign, @Nullable Object constant) implements Formula {}

  /**
   * A sum of numbers compared with a constant, which holds where all of them are whole.
   *
   * @param linear what says when they are
   * @param otherwise the same comparison where they are not
   */
  record Sum(Term sum, Sign sign, long constant, Linear linear, Formula otherwise)
      implements Formula {

    /** What it says of the numbers as far as is known of what kind they are. */
    Formula read(Predicate<Term> whole) {
      return linear.isWhole(whole) ? new Compare(sum, sign, constant) : otherwise;
    }
  }

  /** The term is one of the constants, or none of them. */
  record OneOf(Term term, List<@Nullable Object> constants, boolean among) implements Formula {}

  /** How a term is compared. */
  enum Sign {
    EQUAL,
    NOT_EQUAL,
    LESS,
    LESS_EQUAL,
    GREATER,
    GREATER_EQUAL;

    Sign negated() {
      return switch (this) {
        case EQUAL -> NOT_EQUAL;
        case NOT_EQUAL -> EQUAL;
        case LESS -> GREATER_EQUAL;
        case LESS_EQUAL -> GREATER;
        case GREATER -> LESS_EQUAL;
        case GREATER_EQUAL -> LESS;
      };
    }

    /** The sign with its sides exchanged. */
    Sign mirrored() {
      return switch (this) {
        case EQUAL -> EQUAL;
        case NOT_EQUAL -> NOT_EQUAL;
        case LESS -> GREATER;
        case LESS_EQUAL -> GREATER_EQUAL;
        case GREATER -> LESS;
        case GREATER_EQUAL -> LESS_EQUAL;
      };
    }
  }

  default Formula not() {
    return switch (this) {
      case Truth(boolean holds) -> new Truth(!holds);
      case And(List<Formula> parts) -> new Or(parts.stream().map(Formula::not).toList());
      case Or(List<Formula> parts) -> new And(parts.stream().map(Formula::not).toList());
      case Holds(Term term, boolean value) -> new Holds(term, !value);
      case Same(Term left, Term right, Term whole, boolean value) ->
          new Same(left, right, whole, !value);
      case Compare(Term term, Sign sign, Object constant) ->
          new Compare(term, sign.negated(), constant);
      case Sum(Term sum, Sign sign, long constant, Linear linear, Formula otherwise) ->
          new Sum(sum, sign.negated(), constant, linear, otherwise.not());
      case OneOf(Term term, List<@Nullable Object> constants, boolean among) ->
          new OneOf(term, constants, !among);
    };
  }

  /** The terms it speaks about. */
  default Set<Term> terms() {
    Set<Term> found = new LinkedHashSet<>();
    collect(this, found);
    return found;
  }

  private static void collect(Formula formula, Set<Term> found) {
    switch (formula) {
      case Truth _ -> {}
      case And(List<Formula> parts) -> parts.forEach(p -> collect(p, found));
      case Or(List<Formula> parts) -> parts.forEach(p -> collect(p, found));
      case Holds holds -> found.add(holds.term());
      case Same same -> found.addAll(List.of(same.whole(), same.left(), same.right()));
      case Compare compare -> found.add(compare.term());
      case Sum sum -> {
        found.add(sum.sum());
        collect(sum.otherwise(), found);
      }
      case OneOf oneOf -> found.add(oneOf.term());
    }
  }

  /** The condition that the expression states. */
  static Formula of(CelExpr expr) {
    Optional<Object> constant = Terms.constant(expr);
    if (constant.isPresent()) {
      return new Truth(Boolean.TRUE.equals(constant.get()));
    }
    if (expr.getKind() != Kind.CALL) {
      return isTrue(Terms.term(expr));
    }
    List<CelExpr> args = expr.call().args();
    return switch (expr.call().function()) {
      case "_&&_" -> new And(args.stream().map(Formula::of).toList());
      case "_||_" -> new Or(args.stream().map(Formula::of).toList());
      case "!_" -> of(args.getFirst()).not();
      case "_==_" -> compare(args, Sign.EQUAL, expr);
      case "_!=_" -> compare(args, Sign.NOT_EQUAL, expr);
      case "_<_" -> compare(args, Sign.LESS, expr);
      case "_<=_" -> compare(args, Sign.LESS_EQUAL, expr);
      case "_>_" -> compare(args, Sign.GREATER, expr);
      case "_>=_" -> compare(args, Sign.GREATER_EQUAL, expr);
      case "@in" -> in(args, expr);
      case "_?_:_" -> {
        Formula condition = of(args.get(0));
        yield new Or(
            List.of(
                new And(List.of(condition, of(args.get(1)))),
                new And(List.of(condition.not(), of(args.get(2))))));
      }
      default -> isTrue(Terms.term(expr));
    };
  }

  private static Formula isTrue(Term term) {
    return new Holds(term, true);
  }

  private static Formula compare(List<CelExpr> args, Sign sign, CelExpr whole) {
    Optional<Object> left = Terms.constant(args.get(0));
    Optional<Object> right = Terms.constant(args.get(1));
    if (left.isPresent() && right.isPresent()) {
      return isTrue(Terms.term(whole));
    }
    Formula otherwise = uncounted(args, sign, whole, left, right);
    Linear one = Linear.of(args.get(0));
    Linear other = Linear.of(args.get(1));
    Linear all = one == null || other == null ? null : one.minus(other);
    if (one == null || other == null || all == null || all.parts().isEmpty()) {
      return otherwise;
    }
    if ((one.isPlain() && right.isPresent()) || (other.isPlain() && left.isPresent())) {
      return otherwise; // A number compared with a constant says the same without a sum.
    }
    boolean mirrored = all.parts().values().iterator().next() < 0;
    Map<Term, Long> parts = mirrored ? negated(all.parts()) : all.parts();
    boolean single = parts.size() == 1 && parts.containsValue(1L);
    Term sum = single ? parts.keySet().iterator().next() : Term.sum(parts);
    return all.constant() == Long.MIN_VALUE
        ? otherwise
        : new Sum(
            sum,
            mirrored ? sign.mirrored() : sign,
            mirrored ? all.constant() : -all.constant(),
            all,
            otherwise);
  }

  private static Map<Term, Long> negated(Map<Term, Long> parts) {
    Map<Term, Long> all = new LinkedHashMap<>();
    parts.forEach((term, times) -> all.put(term, -times));
    return all;
  }

  /** The comparison without what holds of whole numbers alone. */
  private static Formula uncounted(
      List<CelExpr> args, Sign sign, CelExpr whole, Optional<Object> left, Optional<Object> right) {
    boolean equality = sign == Sign.EQUAL || sign == Sign.NOT_EQUAL;
    if (equality && Terms.isEmptyList(args.get(1))) {
      return empty(args.get(0), sign);
    }
    if (right.isPresent()) {
      return compare(Terms.term(args.get(0)), sign, right.get(), whole);
    }
    if (left.isPresent()) {
      return compare(Terms.term(args.get(1)), sign.mirrored(), left.get(), whole);
    }
    return between(args.get(0), args.get(1), sign, whole);
  }

  /** What equals the empty list has no items; what has none may also be an empty map or text. */
  private static Formula empty(CelExpr list, Sign sign) {
    Formula same =
        new And(
            List.of(
                new Compare(Terms.size(list), Sign.EQUAL, 0L),
                isTrue(Terms.pairWithEmptyList(list))));
    return sign == Sign.EQUAL ? same : same.not();
  }

  private static Formula compare(Term term, Sign sign, Object constant, CelExpr whole) {
    Object value = constant == Terms.NULL ? null : constant;
    boolean ordered = sign != Sign.EQUAL && sign != Sign.NOT_EQUAL;
    if (ordered && (!(value instanceof Number) || term.path().isEmpty())) {
      // Strings have an order too, but the checks know only that of numbers; and what is computed
      // may be NaN, which is neither below nor above anything.
      return isTrue(Terms.term(whole));
    }
    return new Compare(term, sign, value);
  }

  /** Two terms compared with each other: one canonical term for all six signs. */
  private static Formula between(CelExpr left, CelExpr right, Sign sign, CelExpr whole) {
    return switch (sign) {
      case EQUAL, NOT_EQUAL ->
          new Same(
              Terms.term(left), Terms.term(right), Terms.pair(left, right), sign == Sign.EQUAL);
      case LESS, LESS_EQUAL, GREATER, GREATER_EQUAL -> order(left, right, sign, whole);
    };
  }

  /** {@code a < b} as {@code a - b < 0}, with the two terms in one order for all signs. */
  private static Formula order(CelExpr left, CelExpr right, Sign sign, CelExpr whole) {
    Term one = Terms.term(left);
    Term other = Terms.term(right);
    if (one.path().isEmpty() || other.path().isEmpty() || one.equals(other)) {
      return isTrue(Terms.term(whole));
    }
    boolean mirrored = one.text().compareTo(other.text()) > 0;
    Map<Term, Long> parts = new LinkedHashMap<>();
    parts.put(mirrored ? other : one, 1L);
    parts.put(mirrored ? one : other, -1L);
    return new Compare(Term.sum(parts), mirrored ? sign.mirrored() : sign, 0L);
  }

  private static Formula in(List<CelExpr> args, CelExpr whole) {
    if (args.get(1).getKind() != Kind.LIST) {
      return isTrue(Terms.term(whole));
    }
    List<@Nullable Object> constants = new ArrayList<>();
    for (CelExpr item : args.get(1).list().elements()) {
      Optional<Object> constant = Terms.constant(item);
      if (constant.isEmpty()) {
        return isTrue(Terms.term(whole));
      }
      constants.add(constant.get() == Terms.NULL ? null : constant.get());
    }
    if (Terms.constant(args.get(0)).isPresent()) {
      return isTrue(Terms.term(whole));
    }
    return new OneOf(Terms.term(args.get(0)), constants, true);
  }

  /** The formula for a person. */
  default String text() {
    return switch (this) {
      case Truth(boolean holds) -> String.valueOf(holds);
      case And(List<Formula> parts) ->
          parts.stream().map(Formula::text).collect(Collectors.joining(" && ", "(", ")"));
      case Or(List<Formula> parts) ->
          parts.stream().map(Formula::text).collect(Collectors.joining(" || ", "(", ")"));
      case Holds(Term term, boolean value) -> (value ? "" : "!") + term;
      case Same same -> (same.value() ? "" : "!") + same.whole();
      case Compare(Term term, Sign sign, Object constant) -> term + " " + sign + " " + constant;
      case Sum sum -> sum.sum() + " " + sum.sign() + " " + sum.constant();
      case OneOf(Term term, List<@Nullable Object> constants, boolean among) ->
          term + (among ? " in " : " not in ") + constants;
    };
  }

  /** Reads terms and constants from trees. */
  final class Terms {
    /** Stands for null where a value is expected. */
    static final Object NULL = new Object();

    private Terms() {}

    static Optional<Object> constant(CelExpr expr) {
      if (expr.getKind() == Kind.CALL && expr.call().function().equals("-_")) {
        return constant(expr.call().args().getFirst()).flatMap(Terms::negative);
      }
      if (expr.getKind() != Kind.CONSTANT) {
        return Optional.empty();
      }
      CelConstant constant = expr.constant();
      return switch (constant.getKind()) {
        case NULL_VALUE -> Optional.of(NULL);
        case BOOLEAN_VALUE -> Optional.of(constant.booleanValue());
        case INT64_VALUE -> Optional.of(constant.int64Value());
        case DOUBLE_VALUE -> Optional.ofNullable(Domain.plain(constant.doubleValue()));
        case STRING_VALUE -> Optional.of(constant.stringValue());
        default -> Optional.empty();
      };
    }

    private static Optional<Object> negative(Object value) {
      return switch (value) {
        case Long l -> Optional.of(-l);
        case Double d -> Optional.of(-d);
        default -> Optional.empty();
      };
    }

    static Term term(CelExpr expr) {
      if (expr.getKind() == Kind.CALL && expr.call().function().equals("size")) {
        CelExpr of = expr.call().target().orElseGet(() -> expr.call().args().getFirst());
        return size(of);
      }
      return make(print(expr), path(expr), false, expr);
    }

    static boolean isEmptyList(CelExpr expr) {
      return expr.getKind() == Kind.LIST && expr.list().elements().isEmpty();
    }

    static Term size(CelExpr of) {
      List<String> path = path(of);
      return make("size(" + print(of) + ")", path, !path.isEmpty(), of);
    }

    /** The comparison of two expressions, whichever comes first. */
    static Term pair(CelExpr left, CelExpr right) {
      Reading reading = new Reading();
      reading.visit(left);
      reading.visit(right);
      return reading.term(equality(print(left), print(right)), List.of(), false);
    }

    /** Whether the expression equals the empty list. */
    static Term pairWithEmptyList(CelExpr list) {
      return make(equality(print(list), "[]"), List.of(), false, list);
    }

    static String equality(String one, String other) {
      return one.compareTo(other) <= 0 ? one + " == " + other : other + " == " + one;
    }

    private static Term make(String text, List<String> path, boolean size, CelExpr expr) {
      Reading reading = new Reading();
      reading.visit(expr);
      return reading.term(text, path, size);
    }

    /** What an expression reads. */
    private static final class Reading {
      final Set<String> fields = new LinkedHashSet<>();
      boolean all;
      boolean event;
      boolean momentary;
      boolean settled = true;

      void visit(CelExpr expr) {
        Optional<String> field = Syntax.contextField(expr);
        if (field.isPresent()) {
          fields.add(field.get());
          return;
        }
        if (expr.getKind() == Kind.IDENT) {
          switch (expr.ident().name()) {
            case "ctx", "data" -> all = true;
            case "event", "_event", "actor" -> event = true;
            case "now" -> momentary = true;
            case "id", "_name", "_sessionid", "_ioprocessors" -> {}
            default -> settled = false;
          }
        }
        if (expr.getKind() == Kind.CALL && expr.call().function().equals("In")) {
          settled = false;
        }
        Syntax.children(expr, this::visit);
      }

      Term term(String text, List<String> path, boolean size) {
        return Term.plain(text, path, size, fields, all, event, momentary, settled);
      }
    }

    /** The names of a plain path, or nothing. */
    static List<String> path(CelExpr expr) {
      List<String> names = new ArrayList<>();
      CelExpr at = expr;
      while (at.getKind() == Kind.SELECT && !at.select().testOnly()) {
        names.addFirst(at.select().field());
        at = at.select().operand();
      }
      if (at.getKind() != Kind.IDENT || names.isEmpty()) {
        return List.of();
      }
      names.addFirst(at.ident().name());
      return names;
    }

    /** One text for expressions that differ only in spaces and brackets. */
    static String print(CelExpr expr) {
      return switch (expr.getKind()) {
        case CONSTANT ->
            constant(expr).map(Terms::literal).orElseGet(() -> expr.constant().toString());
        case IDENT -> expr.ident().name();
        case SELECT -> {
          String path = print(expr.select().operand()) + "." + expr.select().field();
          yield expr.select().testOnly() ? "has(" + path + ")" : path;
        }
        case CALL -> {
          List<String> parts = new ArrayList<>();
          expr.call().target().ifPresent(t -> parts.add(print(t)));
          expr.call().args().forEach(a -> parts.add(print(a)));
          yield expr.call().function() + "(" + String.join(", ", parts) + ")";
        }
        case LIST ->
            expr.list().elements().stream()
                .map(Terms::print)
                .collect(Collectors.joining(", ", "[", "]"));
        case MAP ->
            expr.map().entries().stream()
                .map(e -> print(e.key()) + ": " + print(e.value()))
                .collect(Collectors.joining(", ", "{", "}"));
        case STRUCT, COMPREHENSION, NOT_SET -> expr.toString();
      };
    }

    private static String literal(Object value) {
      if (value == NULL) {
        return "null";
      }
      return value instanceof String s
          ? "'" + s.replace("\\", "\\\\").replace("'", "\\'") + "'"
          : value.toString();
    }
  }
}
