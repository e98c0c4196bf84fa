package dev.signalbox.definition.check;

import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The values a term can still have. Immutable. Numbers are an interval with holes, everything else
 * a set of allowed or excluded values.
 */
final class Domain {
  /** An empty set that can be asked about null. */
  private static final Set<@Nullable Object> NO_HOLES = Collections.unmodifiableSet(new HashSet<>());

  /** No restriction at all. */
  static final Domain ANYTHING =
      new Domain(null, NO_HOLES, false, false, Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY);

  static final Domain BOOLEAN = ANYTHING.among(Set.of(true, false));
  static final Domain WHOLE = new Domain(
      null, NO_HOLES, true, true, Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY);
  static final Domain SIZE = new Domain(null, NO_HOLES, true, true, 0, Double.POSITIVE_INFINITY);

  private final @Nullable Set<@Nullable Object> only;
  private final Set<@Nullable Object> not;
  private final boolean number;
  private final boolean whole;
  private final double low;
  private final double high;

  private Domain(
      @Nullable Set<@Nullable Object> only,
      Set<@Nullable Object> not,
      boolean number,
      boolean whole,
      double low,
      double high) {
    this.only = only;
    this.not = not;
    this.number = number;
    this.whole = whole;
    this.low = low;
    this.high = high;
  }

  /** A whole double as a long, so that equal numbers are equal values. */
  static @Nullable Object plain(@Nullable Object value) {
    if (value instanceof Double d && d == Math.rint(d) && Math.abs(d) < 1e15) {
      return d.longValue();
    }
    return value;
  }

  static Domain exactly(@Nullable Object value) {
    Set<@Nullable Object> one = new LinkedHashSet<>();
    one.add(plain(value));
    return ANYTHING.among(one);
  }

  /** Only the values that are also among these. */
  Domain among(Set<? extends @Nullable Object> values) {
    Set<@Nullable Object> kept = new LinkedHashSet<>();
    for (Object value : values) {
      Object plain = plain(value);
      if (allows(plain)) {
        kept.add(plain);
      }
    }
    return new Domain(kept, not, number, whole, low, high);
  }

  /** Only the values that the other domain has too. */
  Domain and(Domain other) {
    Set<@Nullable Object> holes = new LinkedHashSet<>(not);
    holes.addAll(other.not);
    Domain joined =
        new Domain(
            only,
            holes,
            number || other.number,
            whole || other.whole,
            Math.max(low, other.low),
            Math.min(high, other.high));
    return other.only == null ? joined : joined.among(other.only);
  }

  Domain without(Set<? extends @Nullable Object> values) {
    Set<@Nullable Object> holes = new LinkedHashSet<>(not);
    values.forEach(v -> holes.add(plain(v)));
    return new Domain(only, holes, number, whole, low, high);
  }

  /** Only the values that compare so with the number. */
  Domain ordered(Formula.Sign sign, double bound) {
    double from = low;
    double to = high;
    switch (sign) {
      case LESS -> to = Math.min(to, whole ? Math.ceil(bound) - 1 : Math.nextDown(bound));
      case LESS_EQUAL -> to = Math.min(to, bound);
      case GREATER -> from = Math.max(from, whole ? Math.floor(bound) + 1 : Math.nextUp(bound));
      case GREATER_EQUAL -> from = Math.max(from, bound);
      case EQUAL, NOT_EQUAL -> throw new IllegalArgumentException("not an order");
    }
    return new Domain(only, not, true, whole, from, to);
  }

  boolean allows(@Nullable Object value) {
    if ((only != null && !only.contains(value)) || not.contains(value)) {
      return false;
    }
    if (value instanceof Number n) {
      double d = n.doubleValue();
      return d >= low && d <= high && (!whole || d == Math.rint(d));
    }
    return !number;
  }

  boolean isEmpty() {
    if (only != null) {
      return only.stream().noneMatch(this::allows);
    }
    if (!number) {
      return false;
    }
    double from = whole ? Math.ceil(low) : low;
    double to = whole ? Math.floor(high) : high;
    if (from > to) {
      return true;
    }
    if (!whole || to - from > not.size()) {
      return from == to && not.contains(plain(from));
    }
    for (double d = from; d <= to; d++) {
      if (!not.contains(plain(d))) {
        return false;
      }
    }
    return true;
  }

  /** The one value that is left, if there is only one. */
  Optional<Object> single() {
    if (only == null) {
      boolean point = number && low == high && allows(plain(low));
      return point ? Optional.ofNullable(plain(low)) : Optional.empty();
    }
    Object found = null;
    int count = 0;
    for (Object value : only) {
      if (allows(value)) {
        found = value;
        count++;
      }
    }
    return count == 1 ? Optional.ofNullable(found) : Optional.empty();
  }

  /** The least number it can be; minus infinity when nothing says, or it need not be a number. */
  double low() {
    if (only == null) {
      return number ? (whole ? Math.ceil(low) : low) : Double.NEGATIVE_INFINITY;
    }
    return only.stream()
        .filter(this::allows)
        .mapToDouble(v -> v instanceof Number n ? n.doubleValue() : Double.NEGATIVE_INFINITY)
        .min()
        .orElse(Double.NEGATIVE_INFINITY);
  }

  /** The greatest number it can be; infinity when nothing says, or it need not be a number. */
  double high() {
    if (only == null) {
      return number ? (whole ? Math.floor(high) : high) : Double.POSITIVE_INFINITY;
    }
    return only.stream()
        .filter(this::allows)
        .mapToDouble(v -> v instanceof Number n ? n.doubleValue() : Double.POSITIVE_INFINITY)
        .max()
        .orElse(Double.POSITIVE_INFINITY);
  }

  /** The whole numbers of the interval. */
  static Domain between(double low, double high) {
    return new Domain(null, NO_HOLES, true, true, low, high);
  }

  /** The values a whole number has after the constant was added to it. */
  Domain plus(long constant) {
    return between(low() + constant, high() + constant);
  }

  boolean isWhole() {
    return whole || (only != null && only.stream().allMatch(v -> v instanceof Long));
  }

  /** The numbers of an interval. */
  static Domain interval(double low, double high, boolean whole) {
    return new Domain(null, NO_HOLES, true, whole, low, high);
  }

  /** Whether the other domain has every value of this one, as far as can be told. */
  boolean isPartOf(Domain other) {
    if (equals(other)) {
      return true;
    }
    if (only != null) {
      return only.stream().filter(this::allows).allMatch(other::allows);
    }
    return number
        && other.only == null
        && isWithin(other)
        && (isWhole() || !other.whole)
        && other.not.stream().noneMatch(this::allows);
  }

  /** Whether every number of this domain lies between the bounds of the other. */
  boolean isWithin(Domain other) {
    return low() >= other.low() && high() <= other.high();
  }

  /** Whether the domain says more than nothing. */
  boolean isRestricted() {
    return only != null || number || !not.isEmpty();
  }

  /**
   * Some value of the domain, the plainest there is.
   *
   * @param fallback for a domain that only excludes values
   */
  @Nullable Object pick(@Nullable Object fallback) {
    if (only != null) {
      for (Object value : only) {
        if (allows(value)) {
          return value;
        }
      }
      return fallback;
    }
    if (number) {
      return pickNumber();
    }
    if (allows(plain(fallback))) {
      return fallback;
    }
    return fallback instanceof Boolean b ? (Object) !b : "other";
  }

  private @Nullable Object pickNumber() {
    double start = low > 0 ? low : high < 0 ? high : 0;
    if (whole) {
      start = low > 0 ? Math.ceil(start) : Math.floor(start);
    }
    for (double step = 0; step <= not.size() + 1.0; step++) {
      for (double candidate : new double[] {start + step, start - step}) {
        Object value = plain(candidate);
        if (allows(value)) {
          return value;
        }
      }
    }
    return plain((Math.max(low, -1e9) + Math.min(high, 1e9)) / 2);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Domain that
        && Objects.equals(only, that.only)
        && not.equals(that.not)
        && number == that.number
        && whole == that.whole
        && low == that.low
        && high == that.high;
  }

  @Override
  public int hashCode() {
    return Objects.hash(only, not, low, high);
  }

  @Override
  public String toString() {
    return only != null ? only.toString() : number ? low + ".." + high : "not " + not;
  }
}
