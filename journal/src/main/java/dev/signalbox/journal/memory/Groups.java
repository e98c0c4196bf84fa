package dev.signalbox.journal.memory;

import dev.signalbox.journal.CommittedGroup;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.journal.GroupHead;
import dev.signalbox.journal.Hashing;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/** The committed groups and their chain. For one thread at a time. */
final class Groups {
  private final Hashing hashing = new Hashing();
  private final List<CommittedGroup> groups = new ArrayList<>();
  private byte[] root = Hashing.origin();

  void add(long at, List<EntryRow> written) {
    byte[] next = hashing.root(root, written.stream().map(EntryRow::hash).toList());
    long number = groups.size() + 1L;
    groups.add(new CommittedGroup(number, 1, number - 1, at, next, written));
    root = next;
  }

  int size() {
    return groups.size();
  }

  List<CommittedGroup> page(long after, int most) {
    int from = (int) Math.min(after, groups.size());
    return List.copyOf(groups.subList(from, Math.min(groups.size(), from + most)));
  }

  List<GroupHead> heads() {
    return groups.isEmpty() ? List.of() : List.of(new GroupHead(1, groups.size(), root));
  }

  /**
   * Shows the entries above a position, in order.
   *
   * @param more sees one and says whether it wants the next
   */
  void eachEntry(long after, Predicate<EntryRow> more) {
    for (int g = firstAbove(after); g < groups.size(); g++) {
      for (EntryRow entry : groups.get(g).entries()) {
        if (entry.position() > after && !more.test(entry)) {
          return;
        }
      }
    }
  }

  private int firstAbove(long position) {
    int low = 0;
    int high = groups.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (groups.get(middle).entries().getLast().position() > position) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  /** Takes the texts of the instances' entries away; their places and hashes stay. */
  void empty(Set<Long> instances) {
    // The whole of it is worked out before any of it is changed.
    List<CommittedGroup> emptied = groups.stream().map(group -> without(instances, group)).toList();
    groups.replaceAll(group -> emptied.get((int) group.number() - 1));
  }

  private static CommittedGroup without(Set<Long> instances, CommittedGroup group) {
    if (group.entries().stream().noneMatch(e -> instances.contains(e.instance()))) {
      return group;
    }
    List<EntryRow> entries = new ArrayList<>();
    for (EntryRow e : group.entries()) {
      entries.add(
          instances.contains(e.instance())
              ? new EntryRow(
                  e.position(), e.instance(), e.chain(), e.sequence(), e.hash(), new byte[0], null)
              : e);
    }
    return new CommittedGroup(
        group.number(), group.writer(), group.previous(), group.at(), group.root(), entries);
  }
}
