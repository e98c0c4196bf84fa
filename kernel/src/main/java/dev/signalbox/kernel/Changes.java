package dev.signalbox.kernel;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** A map of the snapshot, copied when the step first changes it. */
final class Changes<V> {
  private Map<String, V> map;
  private boolean own;

  Changes(Map<String, V> map) {
    this.map = map;
  }

  Map<String, V> now() {
    return map;
  }

  void put(String key, V value) {
    claim().put(key, value);
  }

  void remove(String key) {
    if (map.containsKey(key)) {
      claim().remove(key);
    }
  }

  /** The map for the next snapshot. */
  Map<String, V> result() {
    return !own ? map : map.isEmpty() ? Map.of() : Collections.unmodifiableMap(map);
  }

  private Map<String, V> claim() {
    if (!own) {
      map = new LinkedHashMap<>(map);
      own = true;
    }
    return map;
  }
}
