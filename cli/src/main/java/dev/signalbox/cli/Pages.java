package dev.signalbox.cli;

import dev.signalbox.journal.Query;
import dev.signalbox.runtime.Instance;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;

/** Reads a query page by page, until there is enough. */
final class Pages {
  private Pages() {}

  static <T> List<T> collect(
      StoreOptions store, Query query, Function<Instance, T> shape, Predicate<T> wanted, int most) {
    return store.at(false, desk -> collect(desk, query, shape, wanted, most));
  }

  static <T> List<T> collect(
      Desk desk, Query query, Function<Instance, T> shape, Predicate<T> wanted, int most) {
    List<T> found = new ArrayList<>();
    desk.each(
        query,
        instance -> {
          T one = shape.apply(instance);
          if (found.size() < most && wanted.test(one)) {
            found.add(one);
          }
          return found.size() < most;
        });
    return found;
  }
}
