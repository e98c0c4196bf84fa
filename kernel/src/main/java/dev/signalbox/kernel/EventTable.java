package dev.signalbox.kernel;

import java.util.List;

/** Event names to small numbers, by open addressing: the one look-up on every step's way. */
final class EventTable {
  private final String[] names;
  private final int[] ids;
  private final int mask;
  private final List<String> distinct;

  EventTable(List<String> distinct) {
    int capacity = Integer.highestOneBit(Math.max(4, distinct.size() * 4 - 1)) << 1;
    names = new String[capacity];
    ids = new int[capacity];
    mask = capacity - 1;
    this.distinct = List.copyOf(distinct);
    for (int id = 0; id < distinct.size(); id++) {
      int at = slot(distinct.get(id));
      names[at] = distinct.get(id);
      ids[at] = id;
    }
  }

  int size() {
    return distinct.size();
  }

  String name(int id) {
    return distinct.get(id);
  }

  /** The number of the event, or -1 when no transition names it. */
  @SuppressWarnings("StringEquality")
  int id(String name) {
    int at = spread(name);
    while (true) {
      String found = names[at];
      if (found == name) {
        return ids[at];
      }
      if (found == null) {
        return -1;
      }
      if (found.equals(name)) {
        return ids[at];
      }
      at = (at + 1) & mask;
    }
  }

  private int slot(String name) {
    int at = spread(name);
    while (names[at] != null) {
      at = (at + 1) & mask;
    }
    return at;
  }

  private int spread(String name) {
    int h = name.hashCode();
    return (h ^ (h >>> 15)) & mask;
  }
}
