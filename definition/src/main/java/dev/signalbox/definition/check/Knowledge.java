package dev.signalbox.definition.check;

import dev.signalbox.definition.expression.Unknown;
import dev.signalbox.kernel.Context;
import dev.signalbox.kernel.Event;
import dev.signalbox.kernel.Scope;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
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
  private boolean typed;
  private @Nullable Event event;
  private @Nullable Event cause;
  private final Map<Term, Domain> causeDomains = new LinkedHashMap<>();
  private final List<Formula> causeEither = new ArrayList<>();

  /** Bounds that were worked out since the last change. */
  private final Map<Map<Term, Long>, Domain> bounds = new HashMap<>();

  private @Nullable Context boundsOf;

  /** Whom terms name in this run, for facts that tell individuals apart. */
  private final Map<Term, String> names = new HashMap<>();

  private final List<Term> sums;
  private final Arithmetic arithmetic = new Elimination();

  /**
   * @param sums those of the context that conditions depend on; what is known of them is kept
   */
  Knowledge(Typing typing, List<Term> sums) {
    this.typing = typing;
    this.sums = sums;
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
    typed = false;
    bounds.clear();
    names.clear();
    domains.clear();
    facts.copyTo(domains);
    either.clear();
    event = current;
    cause = current;
    causeDomains.clear();
    causeEither.clear();
  }

  /** The event that began the run came through the door, which holds its data to its type. */
  void holdToType() {
    typed = true;
  }

  /** The event whose declared type its data has, or null. */
  private @Nullable String typedEvent(@Nullable Event current) {
    return typed && current != null && current == cause ? current.name() : null;
  }

  /** Forgets what was known about the event when another one is processed. */
  void follow(@Nullable Event current) {
    if (current == event) {
      return;
    }
    event = current;
    bounds.clear();
    domains.keySet().removeIf(Term::event);
    either.removeIf(f -> f.terms().stream().anyMatch(Term::event));
  }

  /** Forgets what was known about a field that gets a new value. */
  void forget(String field) {
    names.keySet().removeIf(t -> t.reads(field));
    if (domains.isEmpty() && either.isEmpty()) {
      return;
    }
    bounds.clear();
    domains.keySet().removeIf(t -> t.reads(field));
    either.removeIf(f -> f.terms().stream().anyMatch(t -> t.reads(field)));
  }

  /**
   * Puts down what is known about a term, also for the record of the event that caused the step.
   */
  private void put(Term term, Domain domain) {
    Domain before = domains.put(term, domain);
    if (term.isSum() || domain.isWhole() || (before != null && before.isWhole())) {
      bounds.clear();
    }
    if (event == cause) {
      causeDomains.put(term, domain);
    }
  }

  /** Whether the context itself shows the value of the field. */
  boolean isSeen(Term field, Scope scope) {
    int slot = scope.context().layout().index(field.path().get(1));
    Object value = slot < 0 ? Context.ABSENT : scope.context().slot(slot);
    return value != Context.ABSENT && value != Unknown.VALUE;
  }

  /** Whether a fact was read from the field, so that it has a value. */
  boolean isRead(String field) {
    return domains.keySet().stream()
        .anyMatch(t -> t.path().size() >= 2 && t.fields().contains(field));
  }

  /** Whether the sum adds whole numbers only. */
  boolean isWhole(Linear linear, Scope scope) {
    return linear.isWhole(term -> base(term, scope.context()).isWhole());
  }

  /** The values that the sum can have. */
  Domain domain(Linear linear, Scope scope) {
    if (linear.parts().isEmpty()) {
      return Domain.between(linear.constant(), linear.constant());
    }
    Domain domain =
        linear.parts().size() == 1 && linear.parts().containsValue(1L)
            ? domain(linear.parts().keySet().iterator().next(), scope)
            : summed(Term.sum(linear.parts()), scope.context());
    return domain.plus(linear.constant());
  }

  /**
   * Gives the field the value of the sum. What was known of the field before is still known where
   * the sum tells what it was: after {@code a = a - n} the old {@code a} is {@code a + n}.
   */
  void assign(Term field, Linear linear, Scope scope) {
    String name = field.path().get(1);
    Map<Term, Long> rest = new LinkedHashMap<>(linear.parts());
    Long times = rest.remove(field);
    boolean readsItself = rest.keySet().stream().anyMatch(t -> t.reads(name));
    if (times != null && times == 1 && !readsItself) {
      shift(field, name, rest, linear.constant(), scope);
      return;
    }
    forget(name);
    if (times == null && !readsItself && !rest.isEmpty()) {
      Map<Term, Long> parts = new LinkedHashMap<>();
      rest.forEach((term, n) -> parts.put(term, -n));
      parts.put(field, 1L);
      bounds.clear();
      putSum(parts, linear.constant(), linear.constant(), domains);
    }
  }

  /** Adds items to the list. */
  void lengthen(Term list, Term size, int items, Scope scope) {
    shift(size, list.path().get(1), Map.of(), items, scope);
  }

  /** A number becomes larger by a sum that does not read it. */
  private void shift(Term number, String name, Map<Term, Long> by, long constant, Scope scope) {
    Map<Term, Domain> moved = new LinkedHashMap<>();
    Domain before = base(number, scope.context());
    domains.forEach((term, domain) -> {
      Long times = term.parts().get(number);
      boolean others =
          term.parts().keySet().stream().allMatch(t -> t.equals(number) || !t.reads(name));
      if (times != null && others && domain.isWhole()) {
        moved(term.parts(), times, domain, by, constant, moved);
      }
    });
    if (before.isWhole() && !by.isEmpty()) {
      moved(Map.of(number, 1L), 1, before, by, constant, moved);
    }
    forget(name);
    bounds.clear();
    domains.putAll(moved);
  }

  private static void moved(
      Map<Term, Long> parts,
      long times,
      Domain domain,
      Map<Term, Long> by,
      long constant,
      Map<Term, Domain> moved) {
    try {
      Map<Term, Long> now = new LinkedHashMap<>(parts);
      for (Map.Entry<Term, Long> part : by.entrySet()) {
        long more = Math.negateExact(Math.multiplyExact(times, part.getValue()));
        now.merge(part.getKey(), more, Math::addExact);
      }
      now.values().removeIf(n -> n == 0);
      long more = Math.multiplyExact(times, constant);
      putSum(now, Domain.sum(domain.least(), more), Domain.sum(domain.most(), more), moved);
    } catch (ArithmeticException e) {
      return; // Too large to be followed.
    }
  }

  /** Puts down between which bounds a sum lies, in the one form that all its writings have. */
  private static void putSum(
      Map<Term, Long> parts, long least, long most, Map<Term, Domain> domains) {
    if (parts.isEmpty() || (least == Long.MIN_VALUE && most == Long.MAX_VALUE)) {
      return;
    }
    Map<Term, Long> ordered = new TreeMap<>(Comparator.comparing(Term::text));
    ordered.putAll(parts);
    if (ordered.values().iterator().next() < 0) {
      Map<Term, Long> mirrored = new LinkedHashMap<>();
      ordered.forEach((term, times) -> mirrored.put(term, -times));
      put(mirrored, negated(most), negated(least), domains);
    } else {
      put(ordered, least, most, domains);
    }
  }

  private static void put(Map<Term, Long> parts, long least, long most, Map<Term, Domain> domains) {
    boolean single = parts.size() == 1 && parts.containsValue(1L);
    Term term = single ? parts.keySet().iterator().next() : Term.sum(parts);
    Domain known = domains.get(term);
    Domain domain = Domain.between(least, most);
    domains.put(term, known == null ? domain : known.and(domain));
  }

  /** The bound on the other side of zero; no bound stays none. */
  private static long negated(long bound) {
    return bound == Long.MIN_VALUE
        ? Long.MAX_VALUE
        : bound == Long.MAX_VALUE ? Long.MIN_VALUE : -bound;
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
        case Formula.Sum sum -> {
          return decided(sum.read(t -> base(t, scope.context()).isWhole()), scope);
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
      case Formula.Sum sum -> add(sum.read(t -> base(t, scope.context()).isWhole()), scope);
      case Formula.OneOf oneOf -> restrict(oneOf.term(), oneOf, scope);
    }
  }

  private void restrict(Term term, Formula by, Scope scope) {
    if (term.settled()) {
      new Solver(t -> domain(t, scope))
          .solve(List.of(by))
          .ifPresent(found -> put(term, found.getOrDefault(term, Domain.ANYTHING)));
      if (term.isSum()) {
        narrow(term, domain(term, scope), scope);
      }
    }
  }

  /** What a bound on a sum says about each of its numbers. */
  private void narrow(Term sum, Domain domain, Scope scope) {
    for (Map.Entry<Term, Long> part : sum.parts().entrySet()) {
      Term term = part.getKey();
      Domain before = base(term, scope.context());
      if (!term.settled() || Math.abs(part.getValue()) != 1) {
        continue;
      }
      if (!domain.isWhole() || !before.isWhole()) {
        roughly(sum, term, before, domain, scope);
        continue;
      }
      Map<Term, Long> others = new LinkedHashMap<>(sum.parts());
      others.remove(term);
      Domain rest = added(others, t -> base(t, scope.context()));
      // The part is the sum less the rest, or the rest less the sum.
      Domain now = before.and(part.getValue() > 0 ? less(domain, rest) : less(rest, domain));
      if (!now.equals(before)) {
        put(term, now);
      }
    }
  }

  private static Domain less(Domain one, Domain other) {
    return Domain.between(
        difference(one.least(), other.most()), difference(one.most(), other.least()));
  }

  /** One bound less another; where there is none of either there is none. */
  private static long difference(long bound, long other) {
    if (bound == Long.MIN_VALUE || bound == Long.MAX_VALUE) {
      return bound;
    }
    return other == Long.MIN_VALUE
        ? Long.MAX_VALUE
        : other == Long.MAX_VALUE ? Long.MIN_VALUE : Domain.sum(bound, -other);
  }

  /** What it says of numbers that may have a fraction that one is below the other. */
  private void roughly(Term sum, Term term, Domain before, Domain difference, Scope scope) {
    if (!sum.isDifference()) {
      return;
    }
    for (Map.Entry<Term, Long> part : sum.parts().entrySet()) {
      if (!part.getKey().equals(term)) {
        Domain other = base(part.getKey(), scope.context());
        boolean minus = part.getValue() < 0;
        double low = minus && difference.low() >= 0 ? other.low() : Double.NEGATIVE_INFINITY;
        double high = minus && difference.high() <= 0 ? other.high() : Double.POSITIVE_INFINITY;
        if (!minus && difference.high() <= 0) {
          low = other.low();
        }
        if (!minus && difference.low() >= 0) {
          high = other.high();
        }
        if (low > before.low() || high < before.high()) {
          put(term, before.and(Domain.interval(low, high)));
        }
      }
    }
  }

  /** Whom the term names in this run, or null when nobody has said yet. */
  @Nullable String named(Term term) {
    return names.get(term);
  }

  /** The term names somebody; whoever plays the step gives it that name. */
  void name(Term term, String name) {
    names.put(term, name);
    if (event == cause && !causeDomains.containsKey(term)) {
      causeDomains.put(term, Domain.exactly(name));
    }
  }

  void learn(Term term, Domain domain) {
    if (term.settled() && domain.isRestricted()) {
      put(term, domain);
    }
  }

  /** The values the term can have, as far as anything says. */
  Domain domain(Term term, Scope scope) {
    if (term.text().startsWith("In(")) {
      Matcher in = IN.matcher(term.text());
      if (in.matches()) {
        return Domain.exactly(scope.in(in.group(1)));
      }
    }
    if (term.isSum()) {
      return summed(term, scope.context());
    }
    Domain plain = base(term, scope.context());
    return plain.isWhole() && plain.single().isEmpty() && isInSum(term)
        ? plain.and(eliminated(Map.of(term, 1L), scope.context()))
        : plain;
  }

  private boolean isInSum(Term term) {
    for (Term known : domains.keySet()) {
      if (known.parts().containsKey(term)) {
        return true;
      }
    }
    return false;
  }

  /** What the context, a fact or a type says of the term by itself. */
  private Domain base(Term term, Context context) {
    Domain seen = seen(term, context);
    if (seen != null) {
      return seen;
    }
    Domain known = domains.get(term);
    return known != null ? known : typing.domain(term, typedEvent(event));
  }

  private Domain summed(Term sum, Context context) {
    Domain known = domains.get(sum);
    Domain plain = added(sum.parts(), term -> base(term, context));
    if (!plain.isWhole()) {
      return known == null ? plain : plain.and(known);
    }
    boolean related = sum.parts().keySet().stream().anyMatch(this::isInSum);
    Domain all = related ? plain.and(eliminated(sum.parts(), context)) : plain;
    return known == null ? all : all.and(known);
  }

  /** The bounds of a sum that follow from everything that is known of whole numbers. */
  private Domain eliminated(Map<Term, Long> sum, Context context) {
    if (context != boundsOf) {
      bounds.clear();
      boundsOf = context;
    }
    Domain known = bounds.get(sum);
    if (known == null) {
      known = eliminate(sum, context);
      bounds.put(sum, known);
    }
    return known;
  }

  private Domain eliminate(Map<Term, Long> sum, Context context) {
    List<Arithmetic.Bounded> facts = new ArrayList<>();
    Set<Term> terms = new LinkedHashSet<>(sum.keySet());
    domains.forEach((term, domain) -> {
      if (term.isSum() && domain.isWhole()) {
        facts.add(new Arithmetic.Bounded(term.parts(), domain.least(), domain.most()));
        terms.addAll(term.parts().keySet());
      }
    });
    for (Term term : terms) {
      Domain domain = base(term, context);
      facts.add(new Arithmetic.Bounded(Map.of(term, 1L), domain.least(), domain.most()));
    }
    Arithmetic.Bounded bounds = arithmetic.bounds(sum, facts);
    return Domain.between(bounds.least(), bounds.most());
  }

  /** The sum of numbers of which each by itself is known as far as it is. */
  static Domain added(Map<Term, Long> parts, Function<Term, Domain> of) {
    boolean difference = parts.size() == 2 && parts.containsValue(1L) && parts.containsValue(-1L);
    if (difference && parts.keySet().stream().anyMatch(t -> !of.apply(t).isWhole())) {
      return roughly(parts, of);
    }
    long least = 0;
    long most = 0;
    for (Map.Entry<Term, Long> part : parts.entrySet()) {
      Domain domain = of.apply(part.getKey());
      long times = part.getValue();
      long from = times(times > 0 ? domain.least() : domain.most(), times);
      long to = times(times > 0 ? domain.most() : domain.least(), times);
      least =
          from == Long.MIN_VALUE || least == Long.MIN_VALUE
              ? Long.MIN_VALUE
              : Domain.sum(least, from);
      most = to == Long.MAX_VALUE || most == Long.MAX_VALUE ? Long.MAX_VALUE : Domain.sum(most, to);
    }
    return Domain.between(least, most);
  }

  /** A bound times a number; no bound stays none, on the other side for a negative number. */
  private static long times(long bound, long times) {
    boolean none = bound == Long.MIN_VALUE || bound == Long.MAX_VALUE;
    long high = none ? 0 : Math.multiplyHigh(bound, times);
    long low = none ? 0 : bound * times;
    if (none || high != low >> 63) {
      return bound < 0 == times > 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
    }
    return low;
  }

  /** How two numbers compare that may have a fraction. */
  private static Domain roughly(Map<Term, Long> parts, Function<Term, Domain> of) {
    double low = 0;
    double high = 0;
    for (Map.Entry<Term, Long> part : parts.entrySet()) {
      Domain domain = of.apply(part.getKey());
      low += part.getValue() > 0 ? domain.low() : -domain.high();
      high += part.getValue() > 0 ? domain.high() : -domain.low();
    }
    return Domain.interval(
        Double.isNaN(low) ? Double.NEGATIVE_INFINITY : low,
        Double.isNaN(high) ? Double.POSITIVE_INFINITY : high);
  }

  /** The values of a sum of numbers of the context, as far as facts say; null when nothing. */
  static @Nullable Domain summed(Term sum, Context context, Facts facts) {
    Domain known = facts.about(sum);
    for (Term part : sum.parts().keySet()) {
      Domain number = number(part, context, facts);
      if (number == null || !number.isWhole()) {
        return known != null && known.isWhole() ? known : null;
      }
    }
    Domain plain = added(sum.parts(), t -> orAnything(number(t, context, facts)));
    return known == null ? plain : plain.and(known);
  }

  private static Domain orAnything(@Nullable Domain domain) {
    return domain == null ? Domain.ANYTHING : domain;
  }

  private static @Nullable Domain number(Term term, Context context, Facts facts) {
    Domain seen = seen(term, context);
    return seen == null ? facts.about(term) : seen;
  }

  /** The exact value of a term over parts of the context that are known. */
  static @Nullable Domain seen(Term term, Context context) {
    if (term.isSum()) {
      boolean all = term.parts().keySet().stream().allMatch(t -> seen(t, context) != null);
      return all ? added(term.parts(), t -> orAnything(seen(t, context))) : null;
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
    for (Term sum : sums) {
      Domain domain = summed(sum, after);
      if (domain.isWhole() && isOpen(sum, after) && !saysNothing(sum, domain, after)) {
        kept.put(sum, domain);
      }
    }
    domains.forEach((term, domain) -> {
      if (!term.event()
          && !term.momentary()
          && term.settled()
          && !(term.isSum() && domain.isWhole())
          && isOpen(term, after)
          && !saysNothing(term, domain, after)) {
        kept.put(term, domain);
      }
    });
    return Facts.of(kept);
  }

  /** Whether the fact follows from the declared types or from other facts. */
  private boolean saysNothing(Term term, Domain domain, Context after) {
    if (term.isSum()) {
      Domain plain = added(term.parts(), t -> domain(t, after));
      return plain.isWhole() == domain.isWhole() && plain.isWithin(domain);
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
