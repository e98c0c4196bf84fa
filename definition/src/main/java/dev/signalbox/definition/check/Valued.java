package dev.signalbox.definition.check;

import dev.cel.common.ast.CelExpr;
import dev.signalbox.definition.expression.AbstractExpression;
import dev.signalbox.definition.expression.Unknown;
import dev.signalbox.kernel.EvaluationException;
import dev.signalbox.kernel.Expression;
import dev.signalbox.kernel.Scope;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A value. A conditional expression keeps its condition and its two sides, so that a run can take
 * one of them; a list keeps how many items it has at least, whatever else is unknown about it.
 */
final class Valued implements Expression {
  private static final Set<String> CONDITIONS =
      Set.of("_&&_", "_||_", "!_", "_==_", "_!=_", "_<_", "_<=_", "_>_", "_>=_", "@in", "has");

  private final Judgement judgement;
  private final Expression whole;
  private final @Nullable Term term;
  private final @Nullable Formula condition;
  private final @Nullable Valued then;
  private final @Nullable Valued otherwise;
  private final List<CelExpr> items;
  private final @Nullable Change change;
  private final @Nullable Linear linear;
  private final @Nullable Formula truth;
  private final boolean filters;

  /** The value, and the side of a conditional that the run takes. */
  record Resolved(@Nullable Object value, Valued side) {}

  private Valued(
      Judgement judgement,
      Expression whole,
      @Nullable Term term,
      @Nullable Formula condition,
      @Nullable Valued then,
      @Nullable Valued otherwise,
      @Nullable CelExpr tree) {
    this.judgement = judgement;
    this.whole = whole;
    this.term = term;
    this.condition = condition;
    this.then = then;
    this.otherwise = otherwise;
    this.items = tree == null ? List.of() : appended(tree);
    this.change = tree == null ? null : Change.of(tree);
    this.linear = tree == null ? null : Linear.of(tree);
    this.truth = tree != null && isCondition(tree) ? Formula.of(tree) : null;
    this.filters =
        tree != null
            && tree.getKind() == CelExpr.ExprKind.Kind.CALL
            && tree.call().function().equals("filter");
  }

  /** A value that is either of two, by the condition. */
  static Valued conditional(
      Judgement judgement,
      Expression whole,
      Term term,
      Formula condition,
      Valued then,
      Valued otherwise) {
    return new Valued(judgement, whole, term, condition, then, otherwise, null);
  }

  /**
   * Any other value.
   *
   * @param tree null for what could not be parsed
   */
  static Valued of(Judgement judgement, Expression whole, @Nullable CelExpr tree) {
    Term term = tree == null ? null : Formula.Terms.term(tree);
    return new Valued(judgement, whole, term, null, null, null, tree);
  }

  @Nullable Term term() {
    return term;
  }

  /** The value as a sum of numbers; null for one that is none. */
  @Nullable Linear linear() {
    return linear;
  }

  /** How the text comes from another by adding something; null for one that does not. */
  @Nullable Change change() {
    return change;
  }

  /** How many items of the list are written out. */
  int size() {
    return items.size();
  }

  /** Whether the value is the list with the items written out added to it. */
  boolean growsOnly(Term list) {
    return term != null
        && !items.isEmpty()
        && ((term.text().startsWith("_+_(" + list.text() + ", [") && term.text().endsWith("])"))
            || (term.text().startsWith("_+_([")
                && term.text().endsWith("], " + list.text() + ")")));
  }

  /** What is not in the list now, and will not be in it when it gets this value. */
  Set<Term> absent(Term list) {
    if (term == null || !term.reads(list.path().get(1))) {
      return Set.of();
    }
    if (filters && term.text().startsWith("filter(" + list.text() + ",")) {
      return judgement.knowledge().absent(list, List.of());
    }
    return growsOnly(list)
        ? judgement.knowledge().absent(list, items.stream().map(Formula.Terms::print).toList())
        : Set.of();
  }

  @Override
  public @Nullable Object evaluate(Scope scope) {
    return resolve(scope).value();
  }

  private boolean mayFail(Scope scope) {
    return whole instanceof AbstractExpression expression && expression.mayFail(scope);
  }

  /**
   * The value, and the side of a conditional that this run takes.
   *
   * @throws EvaluationException where the mode lets a value fail, and this run tries that
   */
  Resolved resolve(Scope scope) {
    judgement.knowledge().follow(scope.event());
    Object value = whole.evaluate(scope);
    if (!judgement.isStrict() && mayFail(scope) && judgement.choose(2) == 1) {
      throw new EvaluationException("the value may not exist");
    }
    if (value != Unknown.VALUE) {
      return new Resolved(value, this);
    }
    judgement.risk(whole, scope);
    if (condition != null && then != null && otherwise != null) {
      return (judgement.decide(condition, scope, false) ? then : otherwise).resolve(scope);
    }
    if (truth != null) {
      return new Resolved(judgement.decide(truth, scope, false), this);
    }
    if (term != null && term.isPath()) {
      return new Resolved(
          judgement.knowledge().domain(term, scope).single().orElse(Unknown.VALUE), this);
    }
    return new Resolved(value, this);
  }

  /** The items that a sum of lists writes out. */
  private static List<CelExpr> appended(CelExpr expr) {
    if (expr.getKind() == CelExpr.ExprKind.Kind.LIST) {
      return expr.list().elements();
    }
    if (expr.getKind() == CelExpr.ExprKind.Kind.CALL && expr.call().function().equals("_+_")) {
      return expr.call().args().stream().flatMap(a -> appended(a).stream()).toList();
    }
    return List.of();
  }

  /** Whether the value is true or false whatever it reads. */
  private static boolean isCondition(CelExpr expr) {
    return expr.getKind() == CelExpr.ExprKind.Kind.CALL
        && CONDITIONS.contains(expr.call().function());
  }
}
