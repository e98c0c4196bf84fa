package dev.signalbox.definition.check;

import dev.cel.common.ast.CelExpr;
import dev.signalbox.definition.expression.AbstractExpression;
import dev.signalbox.definition.expression.Unknown;
import dev.signalbox.kernel.Context;
import dev.signalbox.kernel.EvaluationException;
import dev.signalbox.kernel.Expression;
import dev.signalbox.kernel.ExpressionCompiler;
import dev.signalbox.kernel.Scope;
import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.Operand;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Compiles the expressions of an {@link AbstractMachine}. Where an expression's value is unknown, a
 * condition becomes a choice point of the current run, unless what the run knows decides it; and a
 * value that the kernel must have (a list, a delay, a name) becomes a stand-in.
 */
final class ExplorationCompiler implements ExpressionCompiler {
  /** The delay of a timer whose delay is unknown; nothing is concluded from it. */
  static final long UNKNOWN_DELAY = 987_654_321_987L;

  /** How the expression of a receiver begins that is an instance, by whatever id. */
  private static final String TO_INSTANCE = "'#_scxml_' + ";

  /** The receiver of a message that goes somewhere unknown. */
  private static final String ELSEWHERE = "#_scxml_(unknown)";

  private final AbstractMachine abstractMachine;
  private final ExpressionCompiler values;
  private final Syntax syntax;
  private final Relevance relevance;
  private final boolean strict;
  private final Decisions decisions;
  private final Knowledge knowledge;
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
      List<String> eventNames) {
    this.abstractMachine = abstractMachine;
    this.values = values;
    this.syntax = syntax;
    this.relevance = relevance;
    this.strict = strict;
    this.decisions = decisions;
    this.knowledge = knowledge;
    this.eventNames = eventNames;
    content.uses().forEach(u -> uses.put(u.expr(), u));
  }

  /** Begins a run of a step. */
  void begin() {
    blurred.clear();
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
      return new Assigning(assignment, assigned(assignment, site));
    }
    Optional<CelExpr> tree = syntax.parse(source.text());
    Content.Use use = uses.get(source);
    if (site.use() == Use.CONDITION) {
      return new Deciding(
          values.compile(source, site),
          tree.map(Formula::of).orElseGet(() -> opaque(source)),
          use != null && use.role() == Content.Role.INVARIANT);
    }
    if (use != null && !relevance.matters(use)) {
      return _ -> Unknown.VALUE;
    }
    Valued valued = valued(source, site, tree);
    return use == null ? valued : new Standing(valued, use, relevance.isKey(source));
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
    Term term = tree.map(Formula.Terms::term).orElse(null);
    if (tree.isPresent() && isConditional(tree.get())) {
      List<CelExpr> args = tree.get().call().args();
      return new Valued(
          whole,
          term,
          Formula.of(args.get(0)),
          part(args.get(1), site),
          part(args.get(2), site),
          null);
    }
    return new Valued(whole, term, null, null, null, tree.orElse(null));
  }

  private Valued part(CelExpr part, Site site) throws SyntaxException {
    return valued(Operand.expr(Syntax.text(part)), site, Optional.of(part));
  }

  private static boolean isConditional(CelExpr expr) {
    return expr.getKind() == CelExpr.ExprKind.Kind.CALL && expr.call().function().equals("_?_:_");
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

  private static final Set<String> CONDITIONS =
      Set.of("_&&_", "_||_", "!_", "_==_", "_!=_", "_<_", "_<=_", "_>_", "_>=_", "@in", "has");

  private static Formula opaque(Operand.Expr source) {
    return new Formula.Holds(
        Term.plain(source.text(), List.of(), false, Set.of(), true, true, true, false), true);
  }

  /**
   * The truth of a condition whose value is unknown.
   *
   * @throws EvaluationException where the mode lets a condition fail, and this run tries that
   */
  private boolean decide(Formula condition, Scope scope, boolean invariant) {
    Optional<Boolean> known = knowledge.decided(condition, scope);
    if (known.isPresent()) {
      return known.get();
    }
    int option = decisions.choose(strict ? 2 : 3);
    if (option == 2) {
      throw new EvaluationException("the condition may have no value");
    }
    boolean holds = option == 0;
    Formula learned = holds ? condition : condition.not();
    if (invariant && knowledge.isStarting()) {
      learnApart(learned, scope);
    } else {
      knowledge.learn(learned, scope);
    }
    return holds;
  }

  /**
   * Adds a condition that holds, each way in which its alternatives can hold in a run of its own.
   * What is known of a state are facts about single terms, and what a start is held to is all that
   * ties the fields to one another that it gives.
   */
  private void learnApart(Formula condition, Scope scope) {
    switch (condition) {
      case Formula.And(List<Formula> parts) -> parts.forEach(part -> learnApart(part, scope));
      case Formula.Or(List<Formula> parts) -> {
        List<Formula> open =
            parts.stream()
                .filter(p -> !knowledge.decided(p, scope).equals(Optional.of(false)))
                .toList();
        int chosen = decisions.choose(open.size());
        for (int i = 0; i < chosen; i++) {
          learnApart(open.get(i).not(), scope);
        }
        if (!open.isEmpty()) {
          learnApart(open.get(chosen), scope);
        }
      }
      case Formula.Truth _, Formula.Holds _, Formula.Same _, Formula.Compare _, Formula.OneOf _ ->
          knowledge.learn(condition, scope);
    }
  }

  /** A condition. */
  private final class Deciding implements Expression {
    private final Expression inner;
    private final Formula formula;
    private final boolean invariant;

    Deciding(Expression inner, Formula formula, boolean invariant) {
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
      knowledge.follow(scope.event());
      return switch (inner.evaluate(scope)) {
        case Boolean b -> b;
        case Unknown _ -> decide(formula, scope, invariant);
        case null, default -> throw new EvaluationException("expected true or false");
      };
    }

    @Override
    public String explain(Scope scope) {
      return "";
    }
  }

  /**
   * A value. A conditional expression keeps its condition and its two sides, so that a run can take
   * one of them; a list keeps how many items it has at least, whatever else is unknown about it.
   */
  private final class Valued implements Expression {
    final Expression whole;
    final @Nullable Term term;
    final @Nullable Formula condition;
    final @Nullable Valued then;
    final @Nullable Valued otherwise;
    final List<CelExpr> items;
    final @Nullable Change change;
    final @Nullable Formula truth;
    final boolean filters;

    Valued(
        Expression whole,
        @Nullable Term term,
        @Nullable Formula condition,
        @Nullable Valued then,
        @Nullable Valued otherwise,
        @Nullable CelExpr tree) {
      this.whole = whole;
      this.term = term;
      this.condition = condition;
      this.then = then;
      this.otherwise = otherwise;
      this.items = tree == null ? List.of() : appended(tree);
      this.change = tree == null ? null : Change.of(tree);
      this.truth = tree != null && isCondition(tree) ? Formula.of(tree) : null;
      this.filters =
          tree != null
              && tree.getKind() == CelExpr.ExprKind.Kind.CALL
              && tree.call().function().equals("filter");
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
        return knowledge.absent(list, List.of());
      }
      return growsOnly(list)
          ? knowledge.absent(list, items.stream().map(Formula.Terms::print).toList())
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
      knowledge.follow(scope.event());
      Object value = whole.evaluate(scope);
      if (!strict && mayFail(scope) && decisions.choose(2) == 1) {
        throw new EvaluationException("the value may not exist");
      }
      if (value != Unknown.VALUE) {
        return new Resolved(value, this);
      }
      if (condition != null && then != null && otherwise != null) {
        return (decide(condition, scope, false) ? then : otherwise).resolve(scope);
      }
      if (truth != null) {
        return new Resolved(decide(truth, scope, false), this);
      }
      if (term != null && term.isPath()) {
        return new Resolved(knowledge.domain(term, scope).single().orElse(Unknown.VALUE), this);
      }
      return new Resolved(value, this);
    }
  }

  private record Resolved(@Nullable Object value, Valued side) {}

  /** An assignment: tells the run what it no longer knows, and what it knows instead. */
  private final class Assigning implements Expression {
    private final AbstractMachine.Assignment assignment;
    private final @Nullable Valued value;
    private final Term field;
    private final Term size;

    Assigning(AbstractMachine.Assignment assignment, @Nullable Valued value) {
      this.assignment = assignment;
      this.value = value;
      this.field = Term.field(contextName(), assignment.field());
      this.size = field.length();
    }

    @Override
    public @Nullable Object evaluate(Scope scope) {
      String name = assignment.field();
      Resolved resolved = value == null ? null : value.resolve(scope);
      Object result = resolved == null ? literal() : resolved.value();
      boolean whole = assignment.location().equals(name);
      if (result == Unknown.VALUE && whole && relevance.namesIndividuals(name)) {
        result = individual(resolved == null ? null : resolved.side().term, scope);
      }
      if (!whole) {
        result = placed(scope.context(), result);
      }
      Domain domain = null;
      Domain length = null;
      if (result == Unknown.VALUE && whole && resolved != null) {
        Valued side = resolved.side();
        Term copied = side.term;
        if (copied != null && copied.isPath()) {
          domain = knowledge.domain(copied, scope);
          length = knowledge.domain(copied.length(), scope);
        } else if (side.change != null) {
          domain = side.change.domain(t -> knowledge.domain(t, scope));
        } else if (side.growsOnly(field)) {
          length = knowledge.domain(size, scope).plus(side.items.size());
        } else if (!side.items.isEmpty()) {
          length = Domain.SIZE.ordered(Formula.Sign.GREATER_EQUAL, side.items.size());
        }
      }
      if (Knowledge.hasUnknown(result) && !copiesItself()) {
        blurred.add(name);
      }
      if (!copiesItself()) {
        Change change = resolved == null || !whole ? null : resolved.side().change;
        if (change != null && !change.text() && change.term().equals(field)) {
          knowledge.add(field, change.added());
        } else {
          Set<Term> absent = resolved == null || !whole ? Set.of() : resolved.side().absent(field);
          if (resolved != null && whole && resolved.side().growsOnly(field)) {
            knowledge.add(size, resolved.side().items.size());
          } else {
            knowledge.forget(name);
          }
          absent.forEach(t -> knowledge.learn(t, Domain.exactly(false)));
        }
      }
      if (domain != null) {
        knowledge.learn(field, domain);
      }
      if (length != null && !length.equals(Domain.SIZE)) {
        knowledge.learn(size, length);
      }
      return result;
    }

    private boolean copiesItself() {
      return value != null && value.term != null && value.term.equals(field);
    }

    private @Nullable Object literal() {
      return assignment.value() instanceof Operand.Literal(Object literal) ? literal : null;
    }

    /** The field's value with the part at the path changed, as the kernel would. */
    private @Nullable Object placed(Context context, @Nullable Object part) {
      String[] path = assignment.location().split("\\.", -1);
      int slot = context.layout().index(path[0]);
      return placed(slot < 0 ? Context.ABSENT : context.slot(slot), path, 1, part);
    }

    private static @Nullable Object placed(
        @Nullable Object now, String[] path, int depth, @Nullable Object part) {
      if (depth == path.length) {
        return part;
      }
      if (now == Unknown.VALUE) {
        return Unknown.VALUE;
      }
      if (!(now instanceof Map<?, ?> map)) {
        throw new EvaluationException("expected a map to change a part of");
      }
      Map<Object, @Nullable Object> copy = new LinkedHashMap<>(map);
      copy.put(path[depth], placed(map.get(path[depth]), path, depth + 1, part));
      return Collections.unmodifiableMap(copy);
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

  /** One of two names, the same for the same term within the run. */
  private Object individual(@Nullable Term term, Scope scope) {
    if (term != null && term.settled()) {
      Domain domain = knowledge.domain(term, scope);
      Optional<Object> known = domain.single();
      if (known.isPresent()) {
        return known.get();
      }
    }
    String name = decisions.choose(2) == 0 ? "k1" : "k2";
    if (term != null) {
      knowledge.learn(term, Domain.exactly(name));
    }
    return name;
  }

  /** A value that the kernel must have in a certain form. */
  private final class Standing implements Expression {
    private final Valued inner;
    private final Content.Use use;
    private final boolean key;

    Standing(Valued inner, Content.Use use, boolean key) {
      this.inner = inner;
      this.use = use;
      this.key = key;
    }

    @Override
    public @Nullable Object evaluate(Scope scope) {
      Object value = inner.evaluate(scope);
      if (value != Unknown.VALUE) {
        return value;
      }
      return switch (use.role()) {
        case LIST -> list();
        case DELAY -> UNKNOWN_DELAY;
        case NAME -> name();
        case VALUE -> key ? individual(inner.term, scope) : value;
        case GUARD, BRANCH, INVARIANT -> value;
      };
    }

    private List<Object> list() {
      if (use.action() instanceof Action.Foreach loop && onlyTellsOthers(loop)) {
        return decisions.choose(2) == 0 ? List.of() : List.of(Unknown.VALUE);
      }
      notes.add(
          "a loop over a list that is not known was tried with no, one and two items: "
              + use.expr().text());
      List<Object> items = new ArrayList<>();
      for (int i = decisions.choose(3); i > 0; i--) {
        items.add(Unknown.VALUE);
      }
      return items;
    }

    /**
     * Whether nothing of this machine changes however often the loop goes round: it sends to others
     * at once, and does nothing else. What it sends to itself after all may come from elsewhere
     * just as well.
     */
    private boolean onlyTellsOthers(Action.Foreach loop) {
      return strict
          && loop.body().stream()
              .allMatch(action ->
                  action instanceof Action.Send send
                      && send.target() instanceof Operand.Expr(String target)
                      && target.startsWith(TO_INSTANCE)
                      && send.type() == null
                      && send.delay() == null
                      && send.id() == null
                      && send.idLocation() == null);
    }

    private Object name() {
      return switch (use.action()) {
        case Action.Raise _ -> eventName();
        case Action.Send send ->
            use.expr() == send.event()
                ? eventName()
                : use.expr() == send.target() ? target() : "scxml";
        case null, default -> "(unknown)";
      };
    }

    /** In strict mode whatever it sends to itself may come from elsewhere just as well. */
    private String target() {
      if (strict) {
        return ELSEWHERE;
      }
      notes.add(
          "a target that is not known was tried as nobody's and as the sender's own: "
              + use.expr().text());
      return decisions.choose(2) == 0 ? ELSEWHERE : "#_scxml_" + Explorer.INSTANCE;
    }

    private String eventName() {
      return eventNames.get(decisions.choose(eventNames.size()));
    }
  }
}
