package dev.signalbox.definition.check;

import dev.signalbox.definition.expression.AbstractExpression;
import dev.signalbox.kernel.EvaluationException;
import dev.signalbox.kernel.Expression;
import dev.signalbox.kernel.Scope;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a run takes for true where a value is unknown: what it knows decides, and where that does
 * not suffice it chooses, and knows it from then on.
 */
final class Judgement {
  private final Knowledge knowledge;
  private final Decisions decisions;
  private final boolean strict;
  private boolean risky;
  private boolean watched;

  Judgement(Knowledge knowledge, Decisions decisions, boolean strict) {
    this.knowledge = knowledge;
    this.decisions = decisions;
    this.strict = strict;
  }

  /**
   * Begins a run.
   *
   * @param watched whether it is asked afterwards if something in it may fail
   */
  void begin(boolean watched) {
    risky = false;
    this.watched = watched;
  }

  /** Whether the run evaluated something that may fail, which in strict mode refuses its step. */
  boolean isRisky() {
    return risky;
  }

  /** Notes that the expression may fail. */
  void risk(Expression expression, Scope scope) {
    risky |=
        watched
            && !risky
            && strict
            && expression instanceof AbstractExpression value
            && value.mayFail(scope);
  }

  Knowledge knowledge() {
    return knowledge;
  }

  boolean isStrict() {
    return strict;
  }

  /** One of so many ways, each of which is tried in a run of its own. */
  int choose(int ways) {
    return decisions.choose(ways);
  }

  /**
   * The truth of a condition whose value is unknown.
   *
   * @throws EvaluationException where the mode lets a condition fail, and this run tries that
   */
  boolean decide(Formula condition, Scope scope, boolean invariant) {
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
      case Formula.Truth _,
          Formula.Holds _,
          Formula.Same _,
          Formula.Compare _,
          Formula.Sum _,
          Formula.OneOf _ ->
          knowledge.learn(condition, scope);
    }
  }

  /**
   * One of two names, or one that the machine itself writes: the same for the same term within the
   * run. An invariant about individuals is broken by one of them; that one has one name in some
   * run, and all others have the other.
   *
   * @param written the names that are written in the machine
   */
  Object individual(@Nullable Term term, List<String> written, Scope scope) {
    boolean settled = term != null && term.settled();
    if (term != null && settled) {
      String named = knowledge.named(term);
      if (named != null) {
        return named;
      }
      Optional<Object> known = knowledge.domain(term, scope).single();
      if (known.isPresent() && written.contains(String.valueOf(known.get()))) {
        return known.get();
      }
    }
    int chosen = decisions.choose(2 + written.size());
    String name = chosen == 0 ? "k1" : chosen == 1 ? "k2" : written.get(chosen - 2);
    if (term != null && settled) {
      knowledge.name(term, name);
    }
    return name;
  }
}
