package dev.signalbox.definition.check;

import dev.signalbox.kernel.machine.Invariant;
import dev.signalbox.kernel.machine.State;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Whether a response always follows, over everything that was explored.
 *
 * <p>A vertex is open while the response is owed. Left to itself, an open instance must get to the
 * response by what is under way: its timers, effects and children. So it is looked for an open
 * vertex where nothing is under way, one from which no path leads to the response at all, and a
 * cycle of open vertices that needs nobody from outside.
 */
final class Responses {
  private final Exploration found;
  private final Outline outline;
  private final Invariant.LeadsTo invariant;

  Responses(Exploration found, Outline outline, Invariant.LeadsTo invariant) {
    this.found = found;
    this.outline = outline;
    this.invariant = invariant;
  }

  boolean isOpen(Vertex vertex) {
    return !vertex.snapshot().done()
        && vertex.snapshot().memory().monitors().containsKey(invariant.name());
  }

  /** Open vertices where nothing is under way and no state says why it waits, nearest first. */
  List<Vertex> stuck() {
    List<Vertex> stuck = new ArrayList<>();
    for (Vertex vertex : found.vertices) {
      if (isOpen(vertex)
          && found.isFinished(vertex)
          && !hasInsideEdge(vertex)
          && waitsFor(vertex) == null) {
        stuck.add(vertex);
      }
    }
    return stuck;
  }

  /** Open vertices from which the response cannot be reached any more, nearest first. */
  List<Vertex> lost() {
    boolean[] closing = new boolean[found.vertices.size()];
    List<List<Integer>> incoming = incoming();
    List<Integer> queue = new ArrayList<>();
    for (Vertex vertex : found.vertices) {
      if (!isOpen(vertex) || !found.isFinished(vertex)) {
        closing[vertex.id] = true;
        queue.add(vertex.id);
      }
    }
    for (int i = 0; i < queue.size(); i++) {
      for (int before : incoming.get(queue.get(i))) {
        if (!closing[before]) {
          closing[before] = true;
          queue.add(before);
        }
      }
    }
    return found.vertices.stream().filter(v -> !closing[v.id]).toList();
  }

  private List<List<Integer>> incoming() {
    List<List<Integer>> incoming = new ArrayList<>();
    found.vertices.forEach(_ -> incoming.add(new ArrayList<>(2)));
    for (Vertex vertex : found.vertices) {
      for (int e = 0; e < vertex.edgeCount(); e++) {
        incoming.get(vertex.target(e)).add(vertex.id);
      }
    }
    return incoming;
  }

  /** The first reason to wait that an open vertex relies on. */
  Optional<String> reliesOn() {
    for (Vertex vertex : found.vertices) {
      String reason = isOpen(vertex) && !hasInsideEdge(vertex) ? waitsFor(vertex) : null;
      if (reason != null) {
        return Optional.of(reason);
      }
    }
    return Optional.empty();
  }

  private @Nullable String waitsFor(Vertex vertex) {
    for (String id : vertex.snapshot().configuration().states()) {
      State state = outline.find(id);
      if (state != null && state.waits() != null) {
        return "'%s' waits: %s".formatted(id, state.waits());
      }
    }
    return null;
  }

  private static boolean hasInsideEdge(Vertex vertex) {
    for (int e = 0; e < vertex.edgeCount(); e++) {
      if (vertex.isInside(e)) {
        return true;
      }
    }
    return false;
  }

  /** A cycle of open vertices that goes round by itself, or null. */
  @Nullable List<Vertex> cycle() {
    // 0 not seen, 1 on the current path, 2 done; a depth-first search without recursion.
    int[] state = new int[found.vertices.size()];
    for (Vertex root : found.vertices) {
      if (state[root.id] != 0 || !isOpen(root)) {
        continue;
      }
      List<Vertex> path = new ArrayList<>(List.of(root));
      List<Integer> next = new ArrayList<>(List.of(0));
      state[root.id] = 1;
      while (!path.isEmpty()) {
        Vertex at = path.getLast();
        int edge = next.getLast();
        if (edge == at.edgeCount()) {
          state[at.id] = 2;
          path.removeLast();
          next.removeLast();
          continue;
        }
        next.set(next.size() - 1, edge + 1);
        Vertex target = found.vertices.get(at.target(edge));
        if (!at.isInside(edge) || !isOpen(target)) {
          continue;
        }
        if (state[target.id] == 1) {
          List<Vertex> cycle = new ArrayList<>(path.subList(path.indexOf(target), path.size()));
          cycle.add(target);
          return cycle;
        }
        if (state[target.id] == 0) {
          state[target.id] = 1;
          path.add(target);
          next.add(0);
        }
      }
    }
    return null;
  }
}
