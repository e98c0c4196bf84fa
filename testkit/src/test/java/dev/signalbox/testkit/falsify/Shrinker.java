package dev.signalbox.testkit.falsify;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** Takes parts out of a machine's tree as long as the same is wrong with the rest. */
final class Shrinker {
  private final Predicate<Map<String, Object>> isStillWrong;
  private int trials;

  Shrinker(Predicate<Map<String, Object>> isStillWrong, int trials) {
    this.isStillWrong = isStillWrong;
    this.trials = trials;
  }

  Map<String, Object> shrunk(Map<String, Object> tree) {
    Map<String, Object> at = tree;
    boolean smaller = true;
    while (smaller && trials > 0) {
      smaller = false;
      for (List<Object> path : paths(at)) {
        Map<String, Object> without = without(at, path);
        if (without != null && --trials > 0 && isStillWrong.test(without)) {
          at = without;
          smaller = true;
          break;
        }
      }
    }
    return at;
  }

  /** The paths to every part, the large ones first. */
  private static List<List<Object>> paths(Object tree) {
    List<List<Object>> paths = new ArrayList<>();
    List<List<Object>> level = List.of(List.of());
    while (!level.isEmpty()) {
      List<List<Object>> next = new ArrayList<>();
      for (List<Object> path : level) {
        Object at = at(tree, path);
        if (at instanceof Map<?, ?> map) {
          map.keySet().forEach(key -> next.add(longer(path, key)));
        } else if (at instanceof List<?> list) {
          for (int i = 0; i < list.size(); i++) {
            next.add(longer(path, i));
          }
        }
      }
      paths.addAll(next);
      level = next;
    }
    return paths;
  }

  private static List<Object> longer(List<Object> path, Object key) {
    List<Object> longer = new ArrayList<>(path);
    longer.add(key);
    return longer;
  }

  private static Object at(Object tree, List<Object> path) {
    Object at = tree;
    for (Object key : path) {
      at = at instanceof List<?> list ? list.get((Integer) key) : ((Map<?, ?>) at).get(key);
    }
    return at;
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> without(Map<String, Object> tree, List<Object> path) {
    return (Map<String, Object>) without((Object) tree, path, 0);
  }

  private static Object without(Object at, List<Object> path, int depth) {
    Object key = path.get(depth);
    boolean last = depth == path.size() - 1;
    if (at instanceof List<?> list) {
      List<Object> copy = new ArrayList<>(list);
      int index = (Integer) key;
      if (last) {
        copy.remove(index);
      } else {
        copy.set(index, without(copy.get(index), path, depth + 1));
      }
      return copy;
    }
    Map<String, Object> copy = new LinkedHashMap<>();
    ((Map<?, ?>) at).forEach((name, value) -> copy.put((String) name, value));
    if (last) {
      copy.remove((String) key);
    } else {
      copy.put((String) key, without(copy.get((String) key), path, depth + 1));
    }
    return copy;
  }
}
