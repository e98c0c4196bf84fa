package dev.signalbox.definition.check;

import dev.signalbox.kernel.machine.Invariant;
import dev.signalbox.kernel.machine.State;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
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

  /** An open vertex where what is under way may be refused, which leaves it halted; or null. */
  @Nullable Vertex stalled() {
    return found.stalls.keySet().stream().filter(this::isOpen).findFirst().orElse(null);
  }

  /** What may be refused at the vertex. */
  String stall(Vertex vertex) {
    return String.valueOf(found.stalls.get(vertex));
  }

  /** The events from outside that can keep an open instance from its response for ever. */
  Set<String> distractions() {
    int[] component = components();
    Set<String> events = new TreeSet<>();
    for (Vertex vertex : found.vertices) {
      for (int e = 0; isWatched(vertex) && e < vertex.edgeCount(); e++) {
        Vertex target = found.vertices.get(vertex.target(e));
        if (isWatched(target)
            && !vertex.isInside(e)
            && component[vertex.id] == component[target.id]) {
          events.add(vertex.label(e));
        }
      }
    }
    return events;
  }

  /** Whether the vertex is open without a deadline that runs and that nothing moves. */
  private boolean isWatched(Vertex vertex) {
    String deadline = "within:" + invariant.name();
    return isOpen(vertex)
        && vertex.snapshot().memory().timers().stream().noneMatch(t -> t.id().equals(deadline));
  }

  /** The strongly connected part of each watched vertex (Tarjan, without recursion). */
  private int[] components() {
    int count = found.vertices.size();
    int[] component = new int[count];
    int[] index = new int[count];
    int[] low = new int[count];
    int[] next = new int[count];
    boolean[] onStack = new boolean[count];
    List<Integer> stack = new ArrayList<>();
    int counter = 0;
    for (Vertex root : found.vertices) {
      if (index[root.id] != 0 || !isWatched(root)) {
        continue;
      }
      List<Integer> path = new ArrayList<>(List.of(root.id));
      index[root.id] = low[root.id] = ++counter;
      stack.add(root.id);
      onStack[root.id] = true;
      while (!path.isEmpty()) {
        int at = path.getLast();
        Vertex vertex = found.vertices.get(at);
        if (next[at] < vertex.edgeCount()) {
          int target = vertex.target(next[at]++);
          if (!isWatched(found.vertices.get(target))) {
            continue;
          }
          if (index[target] == 0) {
            index[target] = low[target] = ++counter;
            stack.add(target);
            onStack[target] = true;
            path.add(target);
          } else if (onStack[target]) {
            low[at] = Math.min(low[at], index[target]);
          }
          continue;
        }
        path.removeLast();
        if (!path.isEmpty()) {
          low[path.getLast()] = Math.min(low[path.getLast()], low[at]);
        }
        if (low[at] == index[at]) {
          int member;
          do {
            member = stack.removeLast();
            onStack[member] = false;
            component[member] = index[at];
          } while (member != at);
        }
      }
    }
    return component;
  }

  /** What an open vertex waits for that is under way by itself. */
  Set<String> reliances() {
    Set<String> all = new TreeSet<>();
    for (Vertex vertex : found.vertices) {
      if (isOpen(vertex)) {
        vertex.pending().effects().keySet().forEach(w -> all.add("the effect '" + w.reply() + "'"));
        vertex
            .snapshot()
            .memory()
            .children()
            .forEach(child -> all.add("the child '" + child.id() + "'"));
      }
    }
    return all;
  }

  /**
   * Whether something is under way that comes by itself. That is a matter of what waits outside the
   * context alone, so it is the same for all that an abstract state stands for.
   */
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
