package dev.signalbox.services.approval;

import dev.signalbox.journal.Query;
import dev.signalbox.runtime.Host;
import dev.signalbox.runtime.Instance;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** All instances that fit a query and can be read, a page at a time. */
final class Pages {
  private static final int SIZE = 200;

  private final Host host;
  private final Query query;
  private final Deque<Instance> page = new ArrayDeque<>();
  private long after;
  private boolean last;

  Pages(Host host, Query query) {
    this.host = host;
    this.query = query;
  }

  boolean hasNext() {
    while (page.isEmpty() && !last) {
      List<Instance> found = host.instances(query.page(after, SIZE));
      found.stream().filter(Instance::isReadable).forEach(page::add);
      last = found.size() < SIZE;
      after = found.isEmpty() ? after : found.getLast().number();
    }
    return !page.isEmpty();
  }

  Instance next() {
    return page.removeFirst();
  }
}
