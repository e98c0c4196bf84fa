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
 *
 * <p>Whole numbers have exact bounds. Of numbers that may have a fraction the bounds are doubles,
 * as CEL compares a double with a whole number; near the bounds beyond 2^53, where several whole
 * numbers are one double, it holds more values than there are, never fewer. NaN is no value of a
 * term: JSON has none, and of a term that is computed no order is kept.
 */
final class Domain {
  /** Up to here every whole number is a double. */
  private static final long EXACT = 1L << 53;

  /** An empty set that can be asked about null. */
  private static final Set<@Nullable Object> NO_HOLES =
      Collections.unmodifiableSet(new HashSet<>());

  /** No restriction at all. */
  static final Domain ANYTHING =
      fraction(null, NO_HOLES, false, Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY);

  static final Domain BOOLEAN = ANYTHING.among(Set.of(true, false));
  static final Domain WHOLE = between(Long.MIN_VALUE, Long.MAX_VALUE);
  static final Domain SIZE = between(0, Long.MAX_VALUE);

  private final @Nullable Set<@Nullable Object> only;
  private final Set<@Nullable Object> not;
  private final boolean number;
  private final boolean whole;

  /** The bounds of whole numbers; the least and the greatest long stand for none. */
  private final long least;

  private final long most;

  /** The bounds of other numbers. */
  private final double low;

  private final double high;

  private Domain(
      @Nullable Set<@Nullable Object> only,
      Set<@Nullable Object> not,
      boolean number,
      boolean whole,
      long least,
      long most,
      double low,
      double high) {
    this.only = only;
    this.not = not;
    this.number = number;
    this.whole = whole;
    this.least = least;
    this.most = most;
    this.low = low;
    this.high = high;
  }

  private static Domain fraction(
      @Nullable Set<@Nullable Object> only,
      Set<@Nullable Object> not,
      boolean number,
      double low,
      double high) {
    return new Domain(only, not, number, false, Long.MIN_VALUE, Long.MAX_VALUE, low, high);
  }

  private Domain with(@Nullable Set<@Nullable Object> some, Set<@Nullable Object> holes) {
    return new Domain(some, holes, number, whole, least, most, low, high);
  }

  /** A whole double as a long, so that equal numbers are equal values. */
  static @Nullable Object plain(@Nullable Object value) {
    if (value instanceof Double d && d == Math.rint(d) && Math.abs(d) < 1e15) {
      return d.longValue();
    }
    return value;
  }

  /** Whether CEL may take another number for the same as this one. */
  private static boolean isBlurred(@Nullable Object value) {
    return value instanceof Number n && Math.abs(n.doubleValue()) >= EXACT;
  }

  static Domain exactly(@Nullable Object value) {
    Set<@Nullable Object> one = new LinkedHashSet<>();
    one.add(plain(value));
    return ANYTHING.among(one);
  }

  /** Only the values that are also among these. */
  Domain among(Set<? extends @Nullable Object> values) {
    boolean exact = isWhole() && values.stream().noneMatch(v -> v instanceof Double);
    if (!exact && values.stream().anyMatch(Domain::isBlurred)) {
      return amongBlurred(values);
    }
    Set<@Nullable Object> kept = new LinkedHashSet<>();
    for (Object value : values) {
      Object plain = plain(value);
      if (allows(plain)) {
        kept.add(plain);
      }
    }
    return with(kept, not);
  }

  /** Large numbers that are not known to be whole equal more than themselves. */
  private Domain amongBlurred(Set<? extends @Nullable Object> values) {
    if (!values.stream().allMatch(v -> v instanceof Number)) {
      return this;
    }
    double from = Double.POSITIVE_INFINITY;
    double to = Double.NEGATIVE_INFINITY;
    for (Object value : values) {
      if (value instanceof Number n) {
        from = Math.min(from, n.doubleValue());
        to = Math.max(to, n.doubleValue());
      }
    }
    return and(interval(from, to));
  }

  /** Only the values that the other domain has too. */
  Domain and(Domain other) {
    Set<@Nullable Object> holes = new LinkedHashSet<>(not);
    holes.addAll(other.not);
    Domain joined;
    if (whole == other.whole) {
      joined =
          new Domain(
              only,
              holes,
              number || other.number,
              whole,
              Math.max(least, other.least),
              Math.min(most, other.most),
              Math.max(low, other.low),
              Math.min(high, other.high));
    } else {
      Domain exact = whole ? this : other;
      Domain rough = whole ? other : this;
      joined =
          new Domain(
              only,
              holes,
              true,
              true,
              rough.number ? Math.max(exact.least, lowest(rough.low)) : exact.least,
              rough.number ? Math.min(exact.most, highest(rough.high)) : exact.most,
              Double.NEGATIVE_INFINITY,
              Double.POSITIVE_INFINITY);
    }
    return other.only == null ? joined : joined.among(other.only);
  }

  /** A whole number that is not above any whole number that CEL takes to be at least the bound. */
  private static long lowest(double bound) {
    if (bound <= Long.MIN_VALUE) {
      return Long.MIN_VALUE;
    }
    return (long) (Math.abs(bound) < EXACT ? Math.ceil(bound) : Math.nextDown(bound));
  }

  /** A whole number that is not below any whole number that CEL takes to be at most the bound. */
  private static long highest(double bound) {
    if (bound >= Long.MAX_VALUE) {
      return Long.MAX_VALUE;
    }
    return (long) (Math.abs(bound) < EXACT ? Math.floor(bound) : Math.nextUp(bound));
  }

  Domain without(Set<? extends @Nullable Object> values) {
    Set<@Nullable Object> holes = new LinkedHashSet<>(not);
    values.forEach(v -> holes.add(plain(v)));
    return with(only, holes);
  }

  /** Only the values that compare so with the number. */
  Domain ordered(Formula.Sign sign, Number bound) {
    return whole ? exactly(sign, bound) : roughly(sign, bound.doubleValue());
  }

  private Domain exactly(Formula.Sign sign, Number bound) {
    boolean exact = bound instanceof Long;
    double d = bound.doubleValue();
    // Of a bound with a fraction the next whole number beyond it is excluded by itself.
    boolean fraction = !exact && d != Math.rint(d);
    long up = exact ? bound.longValue() : highest(d);
    long down = exact ? bound.longValue() : lowest(d);
    boolean strict = !fraction && (exact || Math.abs(d) < EXACT);
    long from = least;
    long to = most;
    switch (sign) {
      case LESS -> to = Math.min(to, strict ? sum(up, -1) : up);
      case LESS_EQUAL -> to = Math.min(to, up);
      case GREATER -> from = Math.max(from, strict ? sum(down, 1) : down);
      case GREATER_EQUAL -> from = Math.max(from, down);
      case EQUAL, NOT_EQUAL -> throw new IllegalArgumentException("not an order");
    }
    return new Domain(only, not, true, true, from, to, low, high);
  }

  private Domain roughly(Formula.Sign sign, double bound) {
    boolean exact = Math.abs(bound) < EXACT;
    double from = low;
    double to = high;
    switch (sign) {
      case LESS -> to = Math.min(to, exact ? Math.nextDown(bound) : bound);
      case LESS_EQUAL -> to = Math.min(to, bound);
      case GREATER -> from = Math.max(from, exact ? Math.nextUp(bound) : bound);
      case GREATER_EQUAL -> from = Math.max(from, bound);
      case EQUAL, NOT_EQUAL -> throw new IllegalArgumentException("not an order");
    }
    return fraction(only, not, true, from, to);
  }

  boolean allows(@Nullable Object value) {
    if ((only != null && !only.contains(value)) || not.contains(value)) {
      return false;
    }
    if (value instanceof Long n && whole) {
      return n >= least && n <= most;
    }
    if (value instanceof Number n) {
      double d = n.doubleValue();
      return whole
          ? Math.abs(d) >= EXACT || (d == Math.rint(d) && d >= least && d <= most)
          : d >= low && d <= high;
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
    if (!whole) {
      return low > high || (low == high && Math.abs(low) < EXACT && not.contains(plain(low)));
    }
    if (least > most) {
      return true;
    }
    if (unbounded() || most - least < 0 || most - least > not.size()) {
      return false;
    }
    for (long n = least; n <= most; n++) {
      if (!not.contains(n)) {
        return false;
      }
    }
    return true;
  }

  private boolean unbounded() {
    return least == Long.MIN_VALUE || most == Long.MAX_VALUE;
  }

  /** The one value that is left, if there is only one. */
  Optional<Object> single() {
    if (only == null) {
      if (whole) {
        boolean point = least == most && !unbounded() && allows(least);
        return point ? Optional.of(least) : Optional.empty();
      }
      boolean point = number && low == high && Math.abs(low) < EXACT && allows(plain(low));
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

  /** The least whole number it can be; the least long when nothing says. */
  long least() {
    if (only == null) {
      return whole ? least : number ? lowest(low) : Long.MIN_VALUE;
    }
    long found = Long.MAX_VALUE;
    for (Object value : only) {
      if (allows(value)) {
        found =
            Math.min(
                found,
                value instanceof Long n
                    ? n
                    : value instanceof Double d ? lowest(d) : Long.MIN_VALUE);
      }
    }
    return found == Long.MAX_VALUE ? Long.MIN_VALUE : found;
  }

  /** The greatest whole number it can be; the greatest long when nothing says. */
  long most() {
    if (only == null) {
      return whole ? most : number ? highest(high) : Long.MAX_VALUE;
    }
    long found = Long.MIN_VALUE;
    for (Object value : only) {
      if (allows(value)) {
        found =
            Math.max(
                found,
                value instanceof Long n
                    ? n
                    : value instanceof Double d ? highest(d) : Long.MAX_VALUE);
      }
    }
    return found == Long.MIN_VALUE ? Long.MAX_VALUE : found;
  }

  /** The least number it can be; minus infinity when nothing says, or it need not be a number. */
  double low() {
    if (only == null) {
      return whole ? number(least) : number ? low : Double.NEGATIVE_INFINITY;
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
      return whole ? number(most) : number ? high : Double.POSITIVE_INFINITY;
    }
    return only.stream()
        .filter(this::allows)
        .mapToDouble(v -> v instanceof Number n ? n.doubleValue() : Double.POSITIVE_INFINITY)
        .max()
        .orElse(Double.POSITIVE_INFINITY);
  }

  private static double number(long bound) {
    return bound == Long.MIN_VALUE
        ? Double.NEGATIVE_INFINITY
        : bound == Long.MAX_VALUE ? Double.POSITIVE_INFINITY : (double) bound;
  }

  /** The whole numbers from one to the other; the least and the greatest long are no bounds. */
  static Domain between(long least, long most) {
    return new Domain(
        null,
        NO_HOLES,
        true,
        true,
        least,
        most,
        Double.NEGATIVE_INFINITY,
        Double.POSITIVE_INFINITY);
  }

  /** The values a whole number has after the constant was added to it. */
  Domain plus(long constant) {
    return between(sum(least(), constant), sum(most(), constant));
  }

  /** The sum of two bounds; no bound stays none, and what leaves 64 bits becomes none. */
  static long sum(long bound, long more) {
    if (bound == Long.MIN_VALUE || bound == Long.MAX_VALUE) {
      return bound;
    }
    long sum = bound + more;
    return ((bound ^ sum) & (more ^ sum)) < 0 ? (bound < 0 ? Long.MIN_VALUE : Long.MAX_VALUE) : sum;
  }

  boolean isWhole() {
    if (whole || only == null) {
      return whole;
    }
    for (Object value : only) {
      if (!(value instanceof Long)) {
        return false;
      }
    }
    return true;
  }

  /** The numbers of an interval, which may have a fraction. */
  static Domain interval(double low, double high) {
    return fraction(null, NO_HOLES, true, low, high);
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
    return (isWhole() && other.isWhole())
        ? least() >= other.least() && most() <= other.most()
        : low() >= other.low() && high() <= other.high();
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
    if (whole) {
      long start = least > 0 ? least : most < 0 ? most : 0;
      for (long step = 0; step <= not.size() + 1L; step++) {
        for (long candidate : new long[] {sum(start, step), sum(start, -step)}) {
          if (allows(candidate)) {
            return candidate;
          }
        }
      }
      return start;
    }
    double start = low > 0 ? low : high < 0 ? high : 0;
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
        && least == that.least
        && most == that.most
        && low == that.low
        && high == that.high;
  }

  @Override
  public int hashCode() {
    return Objects.hash(only, not, least, most, low, high);
  }

  @Override
  public String toString() {
    return only != null
        ? only.toString()
        : whole ? least + ".." + most : number ? low + ".." + high : "not " + not;
  }
}
