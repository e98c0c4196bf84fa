package dev.signalbox.runtime;

import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The instances in memory, the least used of them forgotten when they take too much. */
final class Instances {
  private final Journal journal;
  private final Machines machines;
  private final long mostBytes;
  private final Map<String, Working> byId = new LinkedHashMap<>(1_024, 0.75f, true);
  private final Map<Long, Working> byNumber = new HashMap<>();
  private long bytes;

  Instances(Journal journal, Machines machines, long mostBytes) {
    this.journal = journal;
    this.machines = machines;
    this.mostBytes = mostBytes;
  }

  /** The instance if it is in memory; the store is not asked. */
  @Nullable Working inMemory(String id) {
    return byId.get(id);
  }

  @Nullable Working find(String id) {
    Working known = byId.get(id);
    return known != null ? known : loaded(journal.load(id));
  }

  @Nullable Working find(long number) {
    Working known = byNumber.get(number);
    return known != null ? known : loaded(journal.load(number));
  }

  private @Nullable Working loaded(@Nullable InstanceRow row) {
    if (row == null) {
      return null;
    }
    PublishedChart machine = machines.get(row.machine());
    Seal seal = machines.seals.of(row);
    Working working = new Working(machine, row, Seals.snapshot(machine, row, seal));
    working.seal = seal;
    working.erased = Seal.isErased(row.snapshot());
    add(working);
    return working;
  }

  void add(Working working) {
    Working other = byId.put(working.row.id(), working);
    if (other != null) {
      // One of them was begun in the belief that the id is free; the store decides between them.
      forget(other);
    }
    byNumber.put(working.row.number(), working);
    working.weighed = working.weight();
    bytes += working.weighed;
  }

  /** Notes what an instance that changed takes now. */
  void reweigh(Working working) {
    if (working.weighed > 0) {
      bytes -= working.weighed;
      working.weighed = working.weight();
      bytes += working.weighed;
    }
  }

  void drop(Working working) {
    if (byId.remove(working.row.id(), working)) {
      forget(working);
    }
  }

  private void forget(Working working) {
    byNumber.remove(working.row.number(), working);
    bytes -= working.weighed;
    working.weighed = 0;
  }

  /** Forgets what was not used for longest and has nothing uncommitted. */
  void shrink() {
    if (bytes <= mostBytes) {
      return;
    }
    Iterator<Working> oldest = byId.values().iterator();
    while (bytes > mostBytes && oldest.hasNext()) {
      Working working = oldest.next();
      if (working.pins == 0 && working.slot == null) {
        oldest.remove();
        forget(working);
      }
    }
  }
}
