package dev.signalbox.runtime;

import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.JournalException;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The instances in memory. Those that were not used for longest are put on a shelf when all take
 * too much, and forgotten when the shelf is full.
 */
final class Instances {
  /**
   * The part of the memory for instances in use is one of so many; the rest is the shelf's. It is
   * small, so that most of them are back on the shelf before the garbage collector comes: what it
   * finds alive it copies, and that cost more than to bring them from the shelf again.
   */
  static final int IN_USE = 64;

  private final Journal journal;
  private final Machines machines;
  private final long mostBytes;
  private final Map<String, Working> byId = new LinkedHashMap<>(1_024, 0.75f, true);
  private final Map<Long, Working> byNumber = new HashMap<>();
  private final Shelf shelf;
  private long bytes;

  Instances(Journal journal, Machines machines, long mostBytes) {
    this.journal = journal;
    this.machines = machines;
    this.mostBytes = mostBytes / IN_USE;
    this.shelf = new Shelf(mostBytes - this.mostBytes);
  }

  boolean isInMemory(long number) {
    return byNumber.containsKey(number);
  }

  /** The instance if it is in memory; the store is not asked. */
  @Nullable Working inMemory(String id) {
    return byId.get(id);
  }

  /**
   * The instance, or null when there is none.
   *
   * @throws UnreadableRowException when its row is none of its machine
   */
  @Nullable Working find(String id) {
    Working known = byId.get(id);
    if (known != null) {
      return known;
    }
    Shelf.Item shelved = shelf.take(id);
    if (shelved == null) {
      return stored(journal.load(id));
    }
    Working working = loaded(shelved.row());
    working.keys = shelved.keys();
    return working;
  }

  @Nullable Working find(long number) {
    Working known = byNumber.get(number);
    return known != null ? known : stored(journal.load(number));
  }

  private @Nullable Working stored(@Nullable InstanceRow row) {
    return row == null ? null : loaded(row);
  }

  private Working loaded(InstanceRow row) {
    PublishedChart machine;
    Seal seal;
    try {
      machine = machines.get(row.machine());
      seal = machines.seals.of(row);
    } catch (JournalException e) {
      throw e;
    } catch (RuntimeException e) {
      throw new UnreadableRowException(row, e);
    }
    Working working;
    try {
      working = new Working(machine, row, Seals.snapshot(machine.chart, row, seal));
    } catch (RuntimeException | StackOverflowError e) {
      // Only here is an error the row's: what it holds is nested too deep.
      throw new UnreadableRowException(row, e);
    }
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
    shelf.remove(working.row.id());
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

  /** Puts away what was not used for longest and has nothing uncommitted. */
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
        shelf.put(working.row, working.keys);
      }
    }
  }
}
