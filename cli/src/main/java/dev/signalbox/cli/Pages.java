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
    return store.with(box -> {
      List<T> found = new ArrayList<>();
      long after = 0;
      List<Instance> page;
      do {
        page = box.instances(query.page(after, Query.MOST));
        for (Instance instance : page) {
          T one = shape.apply(instance);
          if (found.size() < most && wanted.test(one)) {
            found.add(one);
          }
          after = instance.number();
        }
      } while (page.size() == Query.MOST && found.size() < most);
      return found;
    });
  }
}
