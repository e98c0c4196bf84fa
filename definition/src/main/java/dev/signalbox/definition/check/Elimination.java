package dev.signalbox.definition.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Bounds a sum by eliminating its numbers one by one (Fourier and Motzkin). Where the inequalities
 * become too many or their numbers too large, some are left out, so that the bounds are wider than
 * they might be and never wrong. An example: from {@code a + b = 10} and {@code b >= 3} follows
 * {@code a <= 7}.
 */
final class Elimination implements Arithmetic {
  private static final int MOST_ROWS = 160;

  /** The sum of the parts is at most so much; the sum itself is the part without a term. */
  private record Row(Map<Term, Long> parts, long whole, long most) {}

  @Override
  public Bounded bounds(Map<Term, Long> sum, List<Bounded> facts) {
    List<Row> rows = new ArrayList<>();
    rows.add(new Row(negated(sum), 1, 0));
    rows.add(new Row(sum, -1, 0));
    Set<Term> open = new LinkedHashSet<>(sum.keySet());
    for (Bounded fact : connected(facts, open)) {
      if (fact.most() != Long.MAX_VALUE) {
        rows.add(new Row(fact.parts(), 0, fact.most()));
      }
      if (fact.least() != Long.MIN_VALUE) {
        rows.add(new Row(negated(fact.parts()), 0, -fact.least()));
      }
    }
    for (Term term : open) {
      rows = without(term, rows);
    }
    long least = Long.MIN_VALUE;
    long most = Long.MAX_VALUE;
    for (Row row : rows) {
      if (row.whole() > 0) {
        most = Math.min(most, Math.floorDiv(row.most(), row.whole()));
      } else if (row.whole() < 0) {
        least = Math.max(least, Math.ceilDiv(row.most(), row.whole()));
      }
    }
    return new Bounded(sum, least, most);
  }

  /** The facts that can say something about the terms; their own terms are added to these. */
  private static List<Bounded> connected(List<Bounded> facts, Set<Term> terms) {
    List<Bounded> found = new ArrayList<>();
    boolean more = true;
    while (more) {
      more = false;
      for (Bounded fact : facts) {
        if (!found.contains(fact) && fact.parts().keySet().stream().anyMatch(terms::contains)) {
          found.add(fact);
          more |= terms.addAll(fact.parts().keySet());
        }
      }
    }
    return found;
  }

  private static Map<Term, Long> negated(Map<Term, Long> parts) {
    Map<Term, Long> all = new HashMap<>();
    parts.forEach((term, times) -> all.put(term, -times));
    return all;
  }

  private static List<Row> without(Term term, List<Row> rows) {
    List<Row> above = new ArrayList<>();
    List<Row> below = new ArrayList<>();
    List<Row> rest = new ArrayList<>();
    for (Row row : rows) {
      long times = row.parts().getOrDefault(term, 0L);
      (times > 0 ? above : times < 0 ? below : rest).add(row);
    }
    Set<Row> made = new LinkedHashSet<>(rest);
    for (Row upper : above) {
      for (Row lower : below) {
        if (made.size() >= MOST_ROWS) {
          return List.copyOf(made);
        }
        combine(term, upper, lower, made);
      }
    }
    return List.copyOf(made);
  }

  private static void combine(Term term, Row upper, Row lower, Set<Row> made) {
    try {
      long up = upper.parts().getOrDefault(term, 0L);
      long down = Math.negateExact(lower.parts().getOrDefault(term, 0L));
      Map<Term, Long> parts = new HashMap<>();
      for (Map.Entry<Term, Long> part : upper.parts().entrySet()) {
        parts.put(part.getKey(), Math.multiplyExact(part.getValue(), down));
      }
      for (Map.Entry<Term, Long> part : lower.parts().entrySet()) {
        long times = Math.multiplyExact(part.getValue(), up);
        parts.merge(part.getKey(), times, Math::addExact);
      }
      parts.values().removeIf(times -> times == 0);
      long whole =
          Math.addExact(
              Math.multiplyExact(upper.whole(), down), Math.multiplyExact(lower.whole(), up));
      long most =
          Math.addExact(
              Math.multiplyExact(upper.most(), down), Math.multiplyExact(lower.most(), up));
      made.add(new Row(parts, whole, most));
    } catch (ArithmeticException e) {
      // Too large to be of use; without it the bounds are only wider.
      return;
    }
  }
}
