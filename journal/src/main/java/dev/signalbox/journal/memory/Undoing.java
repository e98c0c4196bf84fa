package dev.signalbox.journal.memory;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What takes a commit back that an exception or an Error cut off. Each change is noted before it is
 * made, and taken back in the opposite order. For one thread at a time.
 */
final class Undoing {
  private final Deque<Runnable> steps = new ArrayDeque<>();

  /** Notes how something that is about to be done is taken back. */
  void with(Runnable step) {
    steps.push(step);
  }

  <K, V> void put(Map<K, V> map, K key, V value) {
    note(map, key);
    map.put(key, value);
  }

  <K, V> void remove(Map<K, V> map, K key) {
    note(map, key);
    map.remove(key);
  }

  private <K, V> void note(Map<K, V> map, K key) {
    @Nullable V before = map.get(key);
    with(() -> {
      if (before == null) {
        map.remove(key);
      } else {
        map.put(key, before);
      }
    });
  }

  /** Takes everything back. */
  void undo() {
    for (Runnable step = steps.poll(); step != null; step = steps.poll()) {
      step.run();
    }
  }
}
