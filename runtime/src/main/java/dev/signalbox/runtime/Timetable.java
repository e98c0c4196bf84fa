package dev.signalbox.runtime;

import dev.signalbox.journal.InstanceRow;
import java.util.Arrays;

/**
 * When each instance's next timer falls due: a heap of instances by time, with each one's place in
 * it, in arrays of numbers so that a million cost some tens of megabytes.
 */
final class Timetable {
  private static final int ABSENT = -1;

  private long[] dues = new long[64];
  private long[] instances = new long[64];
  private int size;

  /** Open addressing: for an instance's number, its place in the heap. */
  private long[] keys = new long[128];

  private int[] places = new int[128];

  int size() {
    return size;
  }

  /** When the earliest falls due; never, when there is none. */
  long next() {
    return size == 0 ? InstanceRow.NEVER : dues[0];
  }

  /** The instance that falls due first. */
  long first() {
    return instances[0];
  }

  /** Notes when the instance falls due; {@link InstanceRow#NEVER} takes it out. */
  void put(long instance, long due) {
    int slot = slot(instance);
    int place = keys[slot] == instance ? places[slot] : ABSENT;
    if (due == InstanceRow.NEVER) {
      if (place != ABSENT) {
        remove(slot, place);
      }
    } else if (place == ABSENT) {
      add(instance, due);
    } else if (due != dues[place]) {
      dues[place] = due;
      sift(place);
    }
  }

  private void add(long instance, long due) {
    if (size == dues.length) {
      dues = Arrays.copyOf(dues, size * 2);
      instances = Arrays.copyOf(instances, size * 2);
    }
    if ((size + 1) * 2 > keys.length) {
      grow();
    }
    int slot = slot(instance);
    keys[slot] = instance;
    dues[size] = due;
    instances[size] = instance;
    places[slot] = size;
    sift(size++);
  }

  private void remove(int slot, int place) {
    size--;
    if (place != size) {
      dues[place] = dues[size];
      instances[place] = instances[size];
      places[slot(instances[place])] = place;
      sift(place);
    }
    free(slot);
  }

  private void sift(int place) {
    long due = dues[place];
    long instance = instances[place];
    int at = place;
    while (at > 0 && isBefore(due, instance, (at - 1) / 2)) {
      move((at - 1) / 2, at);
      at = (at - 1) / 2;
    }
    while (true) {
      int child = 2 * at + 1;
      if (child >= size) {
        break;
      }
      if (child + 1 < size && isBefore(dues[child + 1], instances[child + 1], child)) {
        child++;
      }
      if (!isBefore(dues[child], instances[child], due, instance)) {
        break;
      }
      move(child, at);
      at = child;
    }
    dues[at] = due;
    instances[at] = instance;
    places[slot(instance)] = at;
  }

  private boolean isBefore(long due, long instance, int place) {
    return isBefore(due, instance, dues[place], instances[place]);
  }

  private static boolean isBefore(long due, long instance, long otherDue, long other) {
    return due != otherDue ? due < otherDue : instance < other;
  }

  private void move(int from, int to) {
    dues[to] = dues[from];
    instances[to] = instances[from];
    places[slot(instances[to])] = to;
  }

  /** Where the instance is, or where it would go. Numbers begin with 1, so 0 is free. */
  private int slot(long instance) {
    int mask = keys.length - 1;
    int slot = spread(instance) & mask;
    while (keys[slot] != 0 && keys[slot] != instance) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  /** Empties a slot and closes the gap, so that whoever stands behind it is still found. */
  private void free(int slot) {
    int mask = keys.length - 1;
    int gap = slot;
    for (int i = (slot + 1) & mask; keys[i] != 0; i = (i + 1) & mask) {
      int home = spread(keys[i]) & mask;
      if (((i - home) & mask) >= ((i - gap) & mask)) {
        keys[gap] = keys[i];
        places[gap] = places[i];
        gap = i;
      }
    }
    keys[gap] = 0;
  }

  private void grow() {
    keys = new long[keys.length * 2];
    places = new int[keys.length];
    for (int i = 0; i < size; i++) {
      int slot = slot(instances[i]);
      keys[slot] = instances[i];
      places[slot] = i;
    }
  }

  private static int spread(long number) {
    long mixed = number * 0x9E3779B97F4A7C15L;
    return (int) (mixed >>> 32);
  }
}
