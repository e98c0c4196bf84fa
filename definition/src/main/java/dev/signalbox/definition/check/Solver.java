package dev.signalbox.definition.check;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether conditions can hold together, term by term. It never says no wrongly: where two
 * terms depend on each other in a way it does not see, or the cases become too many, it says yes.
 */
final class Solver {
  private static final int MOST_CASES = 512;

  private final Function<Term, Domain> start;
  private int cases;

  /**
   * @param start the values a term can have before any condition
   */
  Solver(Function<Term, Domain> start) {
    this.start = start;
  }

  boolean canHold(List<Formula> together) {
    return solve(together).isPresent();
  }

  /** The values left for each term in the first case that can hold; empty when none can. */
  Optional<Map<Term, Domain>> solve(List<Formula> together) {
    cases = 0;
    return solve(new ArrayDeque<>(together), new HashMap<>());
  }

  private Optional<Map<Term, Domain>> solve(Deque<Formula> open, Map<Term, Domain> domains) {
    Deque<List<Formula>> choices = new ArrayDeque<>();
    while (!open.isEmpty()) {
      switch (open.pop()) {
        case Formula.Truth(boolean holds) -> {
          if (!holds) {
            return Optional.empty();
          }
        }
        case Formula.And(List<Formula> parts) -> parts.forEach(open::push);
        case Formula.Or(List<Formula> parts) -> choices.add(parts);
        case Formula.Holds holds -> {
          if (!restrict(holds.term(), holds, domains)) {
            return Optional.empty();
          }
        }
        case Formula.Same same -> {
          if (!restrict(same, domains)) {
            return Optional.empty();
          }
        }
        case Formula.Compare compare -> {
          if (!restrict(compare.term(), compare, domains)) {
            return Optional.empty();
          }
        }
        case Formula.Sum sum ->
            open.push(sum.read(t -> domains.computeIfAbsent(t, start).isWhole()));
        case Formula.OneOf oneOf -> {
          if (!restrict(oneOf.term(), oneOf, domains)) {
            return Optional.empty();
          }
        }
      }
    }
    if (choices.isEmpty()) {
      return Optional.of(domains);
    }
    List<Formula> choice = choices.pop();
    for (Formula part : choice) {
      if (++cases > MOST_CASES) {
        return Optional.of(domains);
      }
      Deque<Formula> rest = new ArrayDeque<>();
      rest.push(part);
      choices.forEach(c -> rest.add(new Formula.Or(c)));
      Optional<Map<Term, Domain>> found = solve(rest, new HashMap<>(domains));
      if (found.isPresent()) {
        return found;
      }
    }
    return Optional.empty();
  }

  /** What is the same has only the values that both can have. */
  private boolean restrict(Formula.Same same, Map<Term, Domain> domains) {
    Formula whole = new Formula.Holds(same.whole(), same.value());
    if (!restrict(same.whole(), whole, domains)) {
      return false;
    }
    Domain left = domains.computeIfAbsent(same.left(), start);
    Domain right = domains.computeIfAbsent(same.right(), start);
    if (!same.value()) {
      Optional<Object> one = left.single();
      return one.isEmpty() || !one.equals(right.single());
    }
    Domain both = left.and(right);
    domains.put(same.left(), both);
    domains.put(same.right(), both);
    return !both.isEmpty();
  }

  private boolean restrict(Term term, Formula by, Map<Term, Domain> domains) {
    Domain before = domains.computeIfAbsent(term, start);
    Domain after =
        switch (by) {
          case Formula.Holds(Term _, boolean value) -> before.among(Set.of(value));
          case Formula.Compare(Term _, Formula.Sign sign, Object constant) ->
              compared(before, sign, constant);
          case Formula.OneOf(Term _, List<@Nullable Object> constants, boolean among) -> {
            Set<@Nullable Object> set = new LinkedHashSet<>(constants);
            yield among ? before.among(set) : before.without(set);
          }
          case Formula.Truth _, Formula.And _, Formula.Or _, Formula.Same _, Formula.Sum _ ->
              before;
        };
    domains.put(term, after);
    return !after.isEmpty();
  }

  static Domain compared(Domain domain, Formula.Sign sign, @Nullable Object constant) {
    Set<@Nullable Object> one = new LinkedHashSet<>();
    one.add(constant);
    return switch (sign) {
      case EQUAL -> domain.among(one);
      case NOT_EQUAL -> domain.without(one);
      case LESS, LESS_EQUAL, GREATER, GREATER_EQUAL ->
          constant instanceof Number n ? domain.ordered(sign, n) : domain;
    };
  }
}
