package dev.signalbox.definition.draw;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How much work a layered layout would have with a sketch, estimated from its shape alone so that
 * the answer never depends on the speed of a machine. What costs is not the number of states but
 * the length of the wires: the layout puts a point on every layer that a wire passes, and sorts the
 * points of each layer again and again.
 */
final class Effort {
  private Effort() {}

  /** The number of boxes, and of points that the wires will have on the layers between. */
  static long of(Sketch sketch) {
    Map<Box, Integer> numbers = new HashMap<>();
    for (Box box : sketch.boxes()) {
      numbers.put(box, numbers.size());
    }
    List<List<Integer>> next = new ArrayList<>();
    numbers.forEach((_, _) -> next.add(new ArrayList<>()));
    for (Wire wire : sketch.wires()) {
      Level level = Level.of(wire);
      next.get(numbers.getOrDefault(level.from(), 0)).add(numbers.getOrDefault(level.to(), 0));
    }
    int[] layers = layers(next);
    long points = 0;
    for (Box box : numbers.keySet()) {
      // Each container is sorted again for every sweep over those around it.
      points += box.depth();
    }
    for (Wire wire : sketch.wires()) {
      Level level = Level.of(wire);
      int from = layers[numbers.getOrDefault(level.from(), 0)];
      int to = layers[numbers.getOrDefault(level.to(), 0)];
      // Words stand on a layer of their own, so each layer counts twice.
      points += 2L * Math.abs(to - from) + 1;
    }
    return points;
  }

  /** Longest paths from the first nodes, without the edges that close a cycle. */
  private static int[] layers(List<List<Integer>> next) {
    int size = next.size();
    int[] order = new int[size];
    Arrays.fill(order, -1);
    int[] finish = new int[size];
    int clock = 0;
    int[] cursor = new int[size];
    int[] byFinish = new int[size];
    for (int root = 0; root < size; root++) {
      Deque<Integer> stack = new ArrayDeque<>();
      if (order[root] < 0) {
        order[root] = 0;
        stack.push(root);
      }
      while (!stack.isEmpty()) {
        int node = stack.peek();
        if (cursor[node] < next.get(node).size()) {
          int to = next.get(node).get(cursor[node]++);
          if (order[to] < 0) {
            order[to] = 0;
            stack.push(to);
          }
        } else {
          stack.pop();
          byFinish[clock] = node;
          finish[node] = clock++;
        }
      }
    }
    int[] layers = new int[size];
    for (int i = size - 1; i >= 0; i--) {
      int node = byFinish[i];
      for (int to : next.get(node)) {
        // An edge to a node that finished later goes back to where the search came from.
        if (finish[to] < finish[node]) {
          layers[to] = Math.max(layers[to], layers[node] + 1);
        }
      }
    }
    return layers;
  }
}
