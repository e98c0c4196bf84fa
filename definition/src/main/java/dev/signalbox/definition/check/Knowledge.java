package dev.signalbox.definition.check;

import dev.signalbox.definition.expression.Unknown;
import dev.signalbox.kernel.Context;
import dev.signalbox.kernel.Event;
import dev.signalbox.kernel.Scope;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What one run of a step knows about the values it could not see: the facts it began with and every
 * condition it has decided since. It keeps a run from deciding the same thing in two ways, and it
 * is what the next state still knows afterwards.
 */
final class Knowledge {
  /** A question about one state and nothing else. */
  private static final Pattern IN = Pattern.compile("In\\('([^']*)'\\)");

  private final Typing typing;
  private final Map<Term, Domain> domains = new LinkedHashMap<>();
  private final List<Formula> either = new ArrayList<>();
  private boolean starting;
  private @Nullable Event event;
  private @Nullable Event cause;
  private final Map<Term, Domain> causeDomains = new LinkedHashMap<>();
  private final List<Formula> causeEither = new ArrayList<>();

  Knowledge(Typing typing) {
    this.typing = typing;
  }

  /** Begins the run of a start. */
  void beginStart() {
    begin(Facts.NONE, null);
    starting = true;
  }

  /** Whether this is the run of a start. */
  boolean isStarting() {
    return starting;
  }

  /** Begins a run. */
  void begin(Facts facts, @Nullable Event current) {
    starting = false;
    domains.clear();
    facts.copyTo(domains);
    either.clear();
    event = current;
    cause = current;
    causeDomains.clear();
    causeEither.clear();
  }

  /** Forgets what was known about the event when another one is processed. */
  void follow(@Nullable Event current) {
    if (current == event) {
      return;
    }
    event = current;
    domains.keySet().removeIf(Term::event);
    either.removeIf(f -> f.terms().stream().anyMatch(Term::event));
  }

  /** Forgets what was known about a field that gets a new value. */
  void forget(String field) {
    if (domains.isEmpty() && either.isEmpty()) {
      return;
    }
    domains.keySet().removeIf(t -> t.reads(field));
    either.removeIf(f -> f.terms().stream().anyMatch(t -> t.reads(field)));
  }

  /**
   * Puts down what is known about a term, also for the record of the event that caused the step.
   */
  private void put(Term term, Domain domain) {
    domains.put(term, domain);
    if (event == cause) {
      causeDomains.put(term, domain);
    }
  }

  /** Keeps what is known about how a number compares with others when a constant is added to it. */
  void add(Term number, long constant) {
    Map<Term, Domain> moved = new LinkedHashMap<>();
    String name = number.path().get(1);
    domains.forEach((term, domain) -> {
      Term of = term.of();
      Term minus = term.minus();
      if (of == null || minus == null || !domain.isWhole()) {
        return;
      }
      if (of.equals(number) && !minus.reads(name)) {
        moved.put(term, domain.plus(constant));
      } else if (minus.equals(number) && !of.reads(name)) {
        moved.put(term, domain.plus(-constant));
      }
    });
    forget(name);
    domains.putAll(moved);
  }

  /** The terms that say something is not in the list, and still say so with these items added. */
  Set<Term> absent(Term list, List<String> added) {
    Set<Term> found = new LinkedHashSet<>();
    String end = ", " + list.text() + ")";
    for (Map.Entry<Term, Domain> known : domains.entrySet()) {
      String text = known.getKey().text();
      if (text.startsWith("@in(") && text.endsWith(end) && !known.getValue().allows(true)) {
        String item = text.substring(4, text.length() - end.length());
        if (added.stream().allMatch(a -> areDifferent(a, item))) {
          found.add(known.getKey());
        }
      }
    }
    return found;
  }

  private boolean areDifferent(String one, String other) {
    String equality = Formula.Terms.equality(one, other);
    for (Map.Entry<Term, Domain> known : domains.entrySet()) {
      if (known.getKey().text().equals(equality)) {
        return !known.getValue().allows(true);
      }
    }
    return false;
  }

  /** Whether the condition must hold, must not, or may go either way (empty). */
  Optional<Boolean> decided(Formula condition, Scope scope) {
    if (either.isEmpty()) {
      switch (condition) {
        case Formula.Holds(Term term, boolean value) -> {
          return one(domain(term, scope), Domain.exactly(value), Domain.exactly(!value));
        }
        case Formula.Compare(Term term, Formula.Sign sign, Object constant) -> {
          Domain now = domain(term, scope);
          return one(
              now,
              Solver.compared(now, sign, constant),
              Solver.compared(now, sign.negated(), constant));
        }
        case Formula.Truth _, Formula.And _, Formula.Or _, Formula.Same _, Formula.OneOf _ -> {}
      }
    }
    Solver solver = new Solver(term -> domain(term, scope));
    if (!solver.canHold(with(condition))) {
      return Optional.of(false);
    }
    return solver.canHold(with(condition.not())) ? Optional.empty() : Optional.of(true);
  }

  /** The answer for a single term, without a search. */
  private static Optional<Boolean> one(Domain now, Domain yes, Domain no) {
    if (now.and(yes).isEmpty()) {
      return Optional.of(false);
    }
    return now.and(no).isEmpty() ? Optional.of(true) : Optional.empty();
  }

  private List<Formula> with(Formula condition) {
    if (either.isEmpty()) {
      return List.of(condition);
    }
    List<Formula> all = new ArrayList<>(either);
    all.add(condition);
    return all;
  }

  /** Adds a condition that holds, and what follows from it where only one alternative is left. */
  void learn(Formula condition, Scope scope) {
    add(condition, scope);
    if (either.isEmpty() || condition instanceof Formula.Or) {
      return;
    }
    for (Formula alternative : List.copyOf(either)) {
      if (alternative instanceof Formula.Or(List<Formula> parts)) {
        List<Formula> open = parts.stream().filter(part -> isPossible(part, scope)).toList();
        if (open.size() == 1 && either.remove(alternative)) {
          learn(open.getFirst(), scope);
        }
      }
    }
  }

  /** Whether the condition can hold, by what is known of its terms alone. */
  private boolean isPossible(Formula condition, Scope scope) {
    return new Solver(term -> domain(term, scope)).canHold(List.of(condition));
  }

  private void add(Formula condition, Scope scope) {
    switch (condition) {
      case Formula.Truth _ -> {}
      case Formula.And(List<Formula> parts) -> parts.forEach(p -> learn(p, scope));
      case Formula.Or or -> {
        List<Formula> open =
            or.parts().stream()
                .filter(p -> !Objects.equals(decided(p, scope), Optional.of(false)))
                .toList();
        if (open.size() == 1) {
          learn(open.getFirst(), scope);
        } else if (or.terms().stream().allMatch(Term::settled)) {
          either.add(or);
          if (event == cause) {
            causeEither.add(or);
          }
        }
      }
      case Formula.Holds holds -> restrict(holds.term(), holds, scope);
      case Formula.Same same -> {
        restrict(same.whole(), same, scope);
        restrict(same.left(), same, scope);
        restrict(same.right(), same, scope);
      }
      case Formula.Compare compare -> restrict(compare.term(), compare, scope);
      case Formula.OneOf oneOf -> restrict(oneOf.term(), oneOf, scope);
    }
  }

  private void restrict(Term term, Formula by, Scope scope) {
    if (term.settled()) {
      new Solver(t -> domain(t, scope))
          .solve(List.of(by))
          .ifPresent(found -> put(term, found.getOrDefault(term, Domain.ANYTHING)));
      Term of = term.of();
      Term minus = term.minus();
      if (of != null && minus != null) {
        narrow(of, minus, domain(term, scope), scope);
      }
    }
  }

  /** What a bound on the difference of two numbers says about each of them. */
  private void narrow(Term of, Term minus, Domain difference, Scope scope) {
    Domain left = domain(of, scope);
    Domain right = domain(minus, scope);
    bound(of, left, right.low() + difference.low(), right.high() + difference.high());
    bound(minus, right, left.low() - difference.high(), left.high() - difference.low());
  }

  private void bound(Term term, Domain before, double low, double high) {
    boolean narrower = low > before.low() || high < before.high();
    if (term.settled() && narrower && !Double.isNaN(low) && !Double.isNaN(high)) {
      put(term, before.and(Domain.interval(low, high, before.isWhole())));
    }
  }

  void learn(Term term, Domain domain) {
    if (term.settled() && domain.isRestricted()) {
      put(term, domain);
    }
  }

  /** The values the term can have, as far as anything says. */
  Domain domain(Term term, Scope scope) {
    Matcher in = IN.matcher(term.text());
    if (in.matches()) {
      return Domain.exactly(scope.in(in.group(1)));
    }
    Term of = term.of();
    Term minus = term.minus();
    if (of != null && minus != null) {
      Domain difference = difference(domain(of, scope), domain(minus, scope));
      Domain known = domains.get(term);
      return known == null ? difference : difference.and(known);
    }
    Domain seen = seen(term, scope.context());
    if (seen != null) {
      return seen;
    }
    Domain known = domains.get(term);
    Event current = scope.event();
    return known != null ? known : typing.domain(term, current == null ? null : current.name());
  }

  private static Domain difference(Domain of, Domain minus) {
    double low = of.low() - minus.high();
    double high = of.high() - minus.low();
    return Domain.interval(
        Double.isNaN(low) ? Double.NEGATIVE_INFINITY : low,
        Double.isNaN(high) ? Double.POSITIVE_INFINITY : high,
        of.isWhole() && minus.isWhole());
  }

  /** How far two numbers of the context are apart, as far as anything says; null when nothing. */
  static @Nullable Domain apart(Term difference, Context context, Facts facts) {
    Domain known = facts.about(difference);
    Term of = difference.of();
    Term minus = difference.minus();
    Domain left = of == null ? null : number(of, context, facts);
    Domain right = minus == null ? null : number(minus, context, facts);
    if (left == null || right == null || !left.isWhole() || !right.isWhole()) {
      return known != null && known.isWhole() ? known : null;
    }
    Domain apart = difference(left, right);
    return known == null ? apart : apart.and(known);
  }

  private static @Nullable Domain number(Term term, Context context, Facts facts) {
    Domain seen = seen(term, context);
    return seen == null ? facts.about(term) : seen;
  }

  /** The exact value of a term over parts of the context that are known. */
  static @Nullable Domain seen(Term term, Context context) {
    Term of = term.of();
    Term minus = term.minus();
    if (of != null && minus != null) {
      Domain left = seen(of, context);
      Domain right = seen(minus, context);
      return left == null || right == null ? null : difference(left, right);
    }
    if (term.path().size() < 2 || !isContext(term.path().getFirst())) {
      return null;
    }
    int slot = context.layout().index(term.path().get(1));
    Object value = slot < 0 ? Context.ABSENT : context.slot(slot);
    for (String name : term.path().subList(2, term.path().size())) {
      value =
          value instanceof Map<?, ?> map && map.containsKey(name) ? map.get(name) : absent(value);
    }
    if (value == Context.ABSENT || value == Unknown.VALUE) {
      return null;
    }
    if (!term.size()) {
      return value instanceof List || value instanceof Map ? null : Domain.exactly(value);
    }
    return switch (value) {
      case List<?> list -> Domain.exactly((long) list.size());
      case Map<?, ?> map -> Domain.exactly((long) map.size());
      case null, default -> null;
    };
  }

  private static Object absent(@Nullable Object value) {
    return value == Unknown.VALUE ? Unknown.VALUE : Context.ABSENT;
  }

  private static boolean isContext(String name) {
    return name.equals("ctx") || name.equals("data");
  }

  /** What stays true after the step: facts about the context only. */
  Facts settle(Context after) {
    if (domains.isEmpty()) {
      return Facts.NONE;
    }
    Map<Term, Domain> kept = new LinkedHashMap<>();
    domains.forEach((term, domain) -> {
      if (!term.event()
          && !term.momentary()
          && term.settled()
          && isOpen(term, after)
          && !saysNothing(term, domain, after)) {
        kept.put(term, domain);
      }
    });
    return Facts.of(kept);
  }

  /** Whether the fact follows from the declared types or from other facts. */
  private boolean saysNothing(Term term, Domain domain, Context after) {
    Term of = term.of();
    Term minus = term.minus();
    if (of != null && minus != null) {
      return difference(domain(of, after), domain(minus, after)).isWithin(domain);
    }
    return domain.equals(typing.domain(term, null));
  }

  private Domain domain(Term term, Context context) {
    Domain seen = seen(term, context);
    Domain known = seen == null ? domains.get(term) : seen;
    return known == null ? typing.domain(term, null) : known;
  }

  /** Whether a fact about the term says more than the context itself. */
  private static boolean isOpen(Term term, Context context) {
    if (term.wholeContext() || term.fields().isEmpty()) {
      return !term.fields().isEmpty() || term.wholeContext();
    }
    for (String field : term.fields()) {
      int slot = context.layout().index(field);
      if (slot >= 0 && hasUnknown(context.slot(slot))) {
        return true;
      }
    }
    return false;
  }

  static boolean hasUnknown(@Nullable Object value) {
    return switch (value) {
      case Unknown _ -> true;
      case List<?> list -> list.stream().anyMatch(Knowledge::hasUnknown);
      case Map<?, ?> map -> map.values().stream().anyMatch(Knowledge::hasUnknown);
      case null, default -> false;
    };
  }

  /** What was decided about the event that caused the step. */
  Cause cause() {
    return new Cause(Map.copyOf(causeDomains), List.copyOf(causeEither));
  }

  /**
   * The conditions on the data of one event.
   *
   * @param domains for each term, the values it may have
   * @param either further conditions, each of which holds
   */
  record Cause(Map<Term, Domain> domains, List<Formula> either) {
    static final Cause NONE = new Cause(Map.of(), List.of());
  }
}
