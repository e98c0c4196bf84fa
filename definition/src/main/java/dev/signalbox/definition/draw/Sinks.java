package dev.signalbox.definition.draw;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The boxes that many wires run into and none comes back from, such as a state for all failures.
 * Their wires share one inlet, so that they join into a trunk: a line of the trunk can only lead to
 * the sink, and the words at its other end say where it comes from.
 */
final class Sinks {
  private static final int FEWEST = 3;

  private Sinks() {}

  /** Marks the wires that share an inlet with others. */
  static void mark(Sketch sketch) {
    Map<Box, List<Wire>> incoming = new HashMap<>();
    Map<Box, List<Box>> next = new HashMap<>();
    for (Wire wire : sketch.wires()) {
      Level level = Level.of(wire);
      next.computeIfAbsent(level.from(), _ -> new ArrayList<>()).add(level.to());
      if (level.from() != level.to() && !wire.to.isContainer()) {
        incoming.computeIfAbsent(wire.to, _ -> new ArrayList<>()).add(wire);
      }
    }
    for (List<Wire> candidates : incoming.values()) {
      if (candidates.size() >= FEWEST) {
        List<Wire> oneWay = candidates.stream().filter(wire -> !comesBack(wire, next)).toList();
        if (oneWay.size() >= FEWEST) {
          oneWay.forEach(wire -> wire.shared = true);
        }
      }
    }
  }

  /** Whether a way leads back from the wire's end to its start, so that a layout may turn it. */
  private static boolean comesBack(Wire wire, Map<Box, List<Box>> next) {
    Level level = Level.of(wire);
    Set<Box> seen = new HashSet<>();
    Deque<Box> todo = new ArrayDeque<>(List.of(level.to()));
    while (!todo.isEmpty()) {
      Box box = todo.remove();
      if (box == level.from()) {
        return true;
      }
      if (seen.add(box)) {
        todo.addAll(next.getOrDefault(box, List.of()));
      }
    }
    return false;
  }
}
