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
    Working working = new Working(machine, row, SnapshotCodec.read(machine.chart, row.snapshot()));
    add(working);
    return working;
  }

  void add(Working working) {
    byId.put(working.row.id(), working);
    byNumber.put(working.row.number(), working);
    bytes += working.weight();
  }

  void drop(Working working) {
    if (byId.remove(working.row.id()) != null) {
      byNumber.remove(working.row.number());
      bytes -= working.weight();
    }
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
        byNumber.remove(working.row.number());
        bytes -= working.weight();
      }
    }
  }
}
