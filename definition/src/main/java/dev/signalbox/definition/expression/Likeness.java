package dev.signalbox.definition.expression;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Whether two values are equal when parts of them are not known. */
final class Likeness {
  private Likeness() {}

  /** True, false, or unknown when it depends on something unknown. */
  static Object of(@Nullable Object a, @Nullable Object b) {
    if (a == Unknown.VALUE || b == Unknown.VALUE) {
      return Unknown.VALUE;
    }
    if (a instanceof List<?> x && b instanceof List<?> y) {
      if (x.size() != y.size()) {
        return false;
      }
      Object sum = true;
      for (int i = 0; i < x.size() && !sum.equals(false); i++) {
        sum = both(sum, of(x.get(i), y.get(i)));
      }
      return sum;
    }
    if (a instanceof Map<?, ?> x && b instanceof Map<?, ?> y) {
      if (x.size() != y.size()) {
        return false;
      }
      Object sum = true;
      for (Map.Entry<?, ?> entry : x.entrySet()) {
        Object other = Values.find(y, entry.getKey());
        sum = other == Values.Missing.KEY ? false : both(sum, of(entry.getValue(), other));
        if (sum.equals(false)) {
          return false;
        }
      }
      return sum;
    }
    return Values.equal(a, b, null);
  }

  private static Object both(Object a, Object b) {
    return a.equals(false) || b.equals(false) ? (Object) false : a.equals(true) ? b : a;
  }
}
