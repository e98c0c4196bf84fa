package dev.signalbox.definition.check;

import dev.signalbox.kernel.Context;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What is known about terms whose values are not: for each the values it can have. Immutable. */
final class Facts {
  static final Facts NONE = new Facts(Map.of());

  private final Map<Term, Domain> domains;
  private final int hash;

  private Facts(Map<Term, Domain> domains) {
    this.domains = domains;
    this.hash = domains.hashCode();
  }

  static Facts of(Map<Term, Domain> domains) {
    return domains.isEmpty() ? NONE : new Facts(new LinkedHashMap<>(domains));
  }

  @Nullable Domain about(Term term) {
    return domains.get(term);
  }

  void copyTo(Map<Term, Domain> map) {
    if (!domains.isEmpty()) {
      map.putAll(domains);
    }
  }

  Map<Term, Domain> asMap() {
    return new LinkedHashMap<>(domains);
  }

  boolean isEmpty() {
    return domains.isEmpty();
  }

  /** Whether all of these follow from other facts and what is known of the context. */
  boolean follow(Facts others, Context context) {
    for (Map.Entry<Term, Domain> fact : domains.entrySet()) {
      Domain other = others.domains.get(fact.getKey());
      if (other == null) {
        other =
            fact.getKey().isSum()
                ? Knowledge.summed(fact.getKey(), context, others)
                : Knowledge.seen(fact.getKey(), context);
      }
      if (other == null || !other.isPartOf(fact.getValue())) {
        return false;
      }
    }
    return true;
  }

  /** Only the facts about terms that pass. */
  Facts keep(Predicate<Term> test) {
    if (domains.keySet().stream().allMatch(test)) {
      return this;
    }
    Map<Term, Domain> kept = new LinkedHashMap<>(domains);
    kept.keySet().removeIf(test.negate());
    return of(kept);
  }

  /** The facts that both have. */
  Facts common(Facts other) {
    Map<Term, Domain> kept = new LinkedHashMap<>(domains);
    kept.entrySet().removeIf(e -> !Objects.equals(other.domains.get(e.getKey()), e.getValue()));
    return of(kept);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other || (other instanceof Facts that && domains.equals(that.domains));
  }

  @Override
  public int hashCode() {
    return hash;
  }

  @Override
  public String toString() {
    return domains.toString();
  }
}
