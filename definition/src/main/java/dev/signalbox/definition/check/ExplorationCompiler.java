package dev.signalbox.definition.check;

import dev.cel.common.ast.CelExpr;
import dev.signalbox.definition.expression.Unknown;
import dev.signalbox.kernel.EvaluationException;
import dev.signalbox.kernel.Expression;
import dev.signalbox.kernel.ExpressionCompiler;
import dev.signalbox.kernel.Scope;
import dev.signalbox.kernel.machine.Operand;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Compiles the expressions of an {@link AbstractMachine}. Where an expression's value is unknown, a
 * condition becomes a choice point of the current run, unless what the run knows decides it; and a
 * value that the kernel must have (a list, a delay, a name) becomes a stand-in.
 */
final class ExplorationCompiler implements ExpressionCompiler {
  private final AbstractMachine abstractMachine;
  private final ExpressionCompiler values;
  private final Syntax syntax;
  private final Relevance relevance;
  private final boolean strict;
  private final Judgement judgement;
  private final Totality totality;
  private final IdentityHashMap<Operand.Expr, Content.Use> uses = new IdentityHashMap<>();
  private final List<String> eventNames;

  private final Set<String> blurred = new HashSet<>();
  private final Set<String> notes = new LinkedHashSet<>();

  /**
   * @param values compiles expressions that may see {@link Unknown#VALUE}
   * @param eventNames the events a send with a computed name may mean
   */
  ExplorationCompiler(
      AbstractMachine abstractMachine,
      Content content,
      ExpressionCompiler values,
      Syntax syntax,
      Relevance relevance,
      boolean strict,
      Decisions decisions,
      Knowledge knowledge,
      Totality totality,
      List<String> eventNames) {
    this.totality = totality;
    this.abstractMachine = abstractMachine;
    this.values = values;
    this.syntax = syntax;
    this.relevance = relevance;
    this.strict = strict;
    this.judgement = new Judgement(knowledge, decisions, strict);
    this.eventNames = eventNames;
    content.uses().forEach(u -> uses.put(u.expr(), u));
  }

  /**
   * Begins a run of a step.
   *
   * @param watched whether it is asked afterwards if something in it may fail
   */
  void begin(boolean watched) {
    blurred.clear();
    judgement.begin(watched);
  }

  /** Whether this run read something that may not be there, and then refuses its step. */
  boolean isRisky() {
    return judgement.isRisky();
  }

  /** The fields that got an unknown value in this run, though they may have kept their own. */
  Set<String> blurred() {
    return Collections.unmodifiableSet(blurred);
  }

  /** What the exploration did not see exactly. */
  Set<String> notes() {
    return Collections.unmodifiableSet(notes);
  }

  @Override
  public Expression compile(Operand.Expr source, Site site) throws SyntaxException {
    AbstractMachine.Assignment assignment = abstractMachine.assignment(source);
    if (assignment != null) {
      if (!relevance.isRelevant(assignment.field())) {
        boolean same =
            assignment.value() instanceof Operand.Expr(String text)
                && text.strip().equals(contextName() + "." + assignment.location());
        return same ? _ -> Unknown.VALUE : new Blurring(assignment.field());
      }
      return new Assigning(
          assignment,
          assigned(assignment, site),
          Term.field(contextName(), assignment.field()),
          relevance.namesIndividuals(assignment.field()) ? relevance.names() : null,
          judgement,
          blurred::add);
    }
    Optional<CelExpr> tree = syntax.parse(source.text());
    Content.Use use = uses.get(source);
    if (site.use() == Use.CONDITION) {
      return new Deciding(
          values.compile(source, site),
          tree.map(Formula::of).orElseGet(() -> opaque(source)),
          tree.orElse(null),
          use != null && use.role() == Content.Role.INVARIANT);
    }
    if (use != null && !relevance.matters(use)) {
      return _ -> Unknown.VALUE;
    }
    Valued valued = valued(source, site, tree);
    return use == null
        ? valued
        : new StandIn(
            valued,
            use,
            relevance.isKey(source) ? relevance.names() : null,
            judgement,
            eventNames,
            notes::add);
  }

  private String contextName() {
    return strict ? "ctx" : "data";
  }

  private @Nullable Valued assigned(AbstractMachine.Assignment assignment, Site site)
      throws SyntaxException {
    return assignment.value() instanceof Operand.Expr expr
        ? valued(expr, site, syntax.parse(expr.text()))
        : null;
  }

  private Valued valued(Operand.Expr source, Site site, Optional<CelExpr> tree)
      throws SyntaxException {
    Expression whole = values.compile(source, site);
    if (tree.isPresent() && isConditional(tree.get())) {
      List<CelExpr> args = tree.get().call().args();
      return Valued.conditional(
          judgement,
          whole,
          Formula.Terms.term(tree.get()),
          Formula.of(args.get(0)),
          part(args.get(1), site),
          part(args.get(2), site));
    }
    return Valued.of(judgement, whole, tree.orElse(null));
  }

  private Valued part(CelExpr part, Site site) throws SyntaxException {
    return valued(Operand.expr(Syntax.text(part)), site, Optional.of(part));
  }

  private static boolean isConditional(CelExpr expr) {
    return expr.getKind() == CelExpr.ExprKind.Kind.CALL && expr.call().function().equals("_?_:_");
  }

  private static Formula opaque(Operand.Expr source) {
    return new Formula.Holds(
        Term.plain(source.text(), List.of(), false, Set.of(), true, true, true, false), true);
  }

  /** A condition. */
  private final class Deciding implements Expression {
    private final Expression inner;
    private final Formula formula;
    private final @Nullable CelExpr tree;
    private final boolean invariant;

    Deciding(Expression inner, Formula formula, @Nullable CelExpr tree, boolean invariant) {
      this.tree = tree;
      this.inner = inner;
      this.formula = formula;
      this.invariant = invariant;
    }

    @Override
    public @Nullable Object evaluate(Scope scope) {
      return test(scope);
    }

    @Override
    public boolean test(Scope scope) {
      judgement.knowledge().follow(scope.event());
      return switch (inner.evaluate(scope)) {
        case Boolean b -> b;
        case Unknown _ -> {
          judgement.risk(inner, scope);
          boolean mayFail = invariant && strict && (tree == null || totality.mayFail(tree, scope));
          boolean holds = judgement.decide(formula, scope, invariant);
          if (holds && mayFail && judgement.choose(2) == 1) {
            throw new EvaluationException("the condition may have no value");
          }
          yield holds;
        }
        case null, default -> throw new EvaluationException("expected true or false");
      };
    }

    @Override
    public String explain(Scope scope) {
      return "";
    }
  }

  /** An assignment to a field whose value makes no difference; only that it happens may. */
  private final class Blurring implements Expression {
    private final String field;

    Blurring(String field) {
      this.field = field;
    }

    @Override
    public Object evaluate(Scope scope) {
      blurred.add(field);
      return Unknown.VALUE;
    }
  }
}
