package dev.signalbox.definition.sketch;

import dev.signalbox.definition.Graph;
import dev.signalbox.definition.Place;
import dev.signalbox.definition.Problems;
import dev.signalbox.definition.sketch.Sketch.Edge;
import dev.signalbox.definition.sketch.Sketch.Level;
import dev.signalbox.definition.sketch.Sketch.Node;
import dev.signalbox.kernel.machine.Limits;
import dev.signalbox.kernel.machine.State;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds what a sketch leaves open: where it starts, and which unlabelled arrow is meant. */
final class SketchChecks {
  private static final int EDGES = 100_000;

  private final Sketch sketch;
  private final Problems problems;

  SketchChecks(Sketch sketch, Problems problems) {
    this.sketch = sketch;
    this.problems = problems;
  }

  /** Whether the sketch is within the limits of any machine. */
  boolean fits(Place header) {
    if (sketch.nodes().size() > Limits.STATES) {
      problems.error(
          "too-many-states",
          header,
          "Expected at most %d states, but the drawing has %d."
              .formatted(Limits.STATES, sketch.nodes().size()),
          "Split it into several machines.");
      return false;
    }
    if (sketch.edges().size() > EDGES) {
      problems.error(
          "too-many-edges",
          header,
          "Expected at most %d arrows, but the drawing has %d."
              .formatted(EDGES, sketch.edges().size()),
          "Split it into several machines.");
      return false;
    }
    Map<Node, Integer> depths = new HashMap<>();
    for (Node node : sketch.nodes()) {
      if (depth(node, depths) > Limits.DEPTH) {
        problems.error(
            "too-deep",
            node.place(),
            "Expected at most %d levels of states, but '%s' lies deeper."
                .formatted(Limits.DEPTH, node.id()),
            "Flatten the drawing or split it into several machines.");
        return false;
      }
    }
    return true;
  }

  private static int depth(Node node, Map<Node, Integer> depths) {
    int depth = 0;
    Node at = node;
    while (at != null) {
      Integer known = depths.get(at);
      if (known != null) {
        depth += known;
        break;
      }
      depth++;
      at = at.level().owner();
    }
    depths.put(node, depth);
    return depth;
  }

  /** Finds levels that start nowhere, in two places, or outside themselves. */
  void starts(Place header, Map<Level, List<Node>> children, Map<Level, List<Edge>> starts) {
    List<Edge> top = starts.getOrDefault(sketch.root(), List.of());
    List<Node> nodes = children.getOrDefault(sketch.root(), List.of());
    if (top.isEmpty() && !nodes.isEmpty()) {
      problems.error(
          Graph.MISSING_START,
          header,
          "Expected an arrow from [*] that says where the machine starts, but there is none.",
          "Add: [*] --> " + nodes.getFirst().id());
    }
    if (nodes.isEmpty()) {
      problems.error(
          "no-states", header, "Expected at least one state, but the drawing has none.", "");
    }
    starts.values().forEach(this::ambiguous);
    starts.forEach((level, edges) -> edges.forEach(edge -> inside(level, edge)));
    Set<Node> entered = new HashSet<>();
    for (Edge edge : sketch.edges()) {
      Node to = edge.to();
      if (to != null && (edge.from() == null || !isAround(to, edge.from()))) {
        entered.add(to);
      }
    }
    for (Node node : sketch.nodes()) {
      if (entered.contains(node)) {
        node.levels().forEach(level -> entry(node, level, children, starts));
      }
    }
  }

  private void entry(
      Node node, Level level, Map<Level, List<Node>> children, Map<Level, List<Edge>> starts) {
    List<Node> inside = children.getOrDefault(level, List.of());
    if (inside.size() > 1 && !starts.containsKey(level)) {
      String first = inside.getFirst().id();
      problems.warning(
          Graph.MISSING_START,
          node.place(),
          "Expected an arrow from [*] inside '%s', which is entered as a whole, but there is none."
              .formatted(node.id()),
          "It starts at its first state, '%s'. To say so, add inside: [*] --> %s"
              .formatted(first, first));
    }
  }

  private void ambiguous(List<Edge> edges) {
    if (edges.size() > 1 && edges.stream().anyMatch(e -> e.label() == null)) {
      if (oneTarget(edges)) {
        duplicate(edges.get(1));
      } else {
        problems.error(
            "ambiguous-start",
            edges.get(1).place(),
            "Expected one start, but %d arrows leave [*] here and not all have a label."
                .formatted(edges.size()),
            "Keep one of them, or label each with the event that chooses it.");
      }
    }
  }

  private void inside(Level level, Edge start) {
    Node to = start.to();
    Node owner = level.owner();
    if (owner != null && to != null && !isAround(owner, to)) {
      problems.error(
          "start-elsewhere",
          start.place(),
          "Expected the start of '%s' to lead to a state inside it, but '%s' is mentioned in"
                  .formatted(owner.id(), to.id())
              + " another state later and belongs there.",
          "Give the two states different names.");
    }
  }

  /** Finds unlabelled arrows among which nothing decides. */
  void exits(Node node, List<Edge> edges) {
    List<Edge> bare = edges.stream().filter(e -> e.label() == null).toList();
    if (node.kind() == State.Kind.FINAL && !edges.isEmpty()) {
      problems.warning(
          "final-with-exits",
          node.place(),
          "Expected a final state to have no way out, but '%s' has.".formatted(node.id()),
          "It is read as an ordinary state.");
    }
    if (bare.size() < 2 || node.kind() == State.Kind.FORK) {
      return;
    }
    if (oneTarget(bare)) {
      duplicate(bare.get(1));
      return;
    }
    String message =
        "Expected an event on all but one arrow from '%s', but %d have none: nothing decides"
                .formatted(node.id(), bare.size())
            + " which one is taken.";
    String hint = "Label them: %s --> X : event".formatted(node.id());
    if (node.kind() == State.Kind.CHOICE) {
      problems.warning("unlabelled-fan-out", bare.get(1).place(), message, hint);
    } else {
      problems.error("unlabelled-fan-out", bare.get(1).place(), message, hint);
    }
  }

  private void duplicate(Edge edge) {
    problems.warning(
        "duplicate-edge",
        edge.place(),
        "Expected each arrow once, but this one was drawn before.",
        "Remove one of them.");
  }

  private static boolean oneTarget(List<Edge> edges) {
    return edges.stream().allMatch(e -> e.to() == edges.getFirst().to());
  }

  private static boolean isAround(Node outer, @Nullable Node inner) {
    Node at = inner;
    while (at != null) {
      if (at == outer) {
        return true;
      }
      at = at.level().owner();
    }
    return false;
  }
}
