package dev.signalbox.systems.runs.frozen;

import dev.signalbox.definition.Place;
import dev.signalbox.definition.Problems;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Set;

/**
 * The one order in which a run does the actions of a graph.
 *
 * <p>It is Kahn's topological order ("Topological sorting of large networks", 1962): of the nodes
 * whose predecessors are all done, the one that stands first in the graph's text is next. So the
 * same text always gives the same order, a text that is in order already keeps it, and what may go
 * side by side goes one after the other. A conditional edge is open when what it asks for is what
 * was settled where it begins; a node to which only closed edges lead is left out, and so on from
 * there.
 *
 * <p>A review holds for every action that can be reached from it without passing another action,
 * since a run that is not let past the first of them goes no further.
 *
 * @param steps the actions that are done, in their order
 * @param leftOut the ids of the nodes that no open edge leads to
 */
public record Sequence(List<Step> steps, List<String> leftOut) {

  /** What there is of a graph that could not be read. */
  static final Sequence NONE = new Sequence(List.of(), List.of());

  public Sequence {
    steps = List.copyOf(steps);
    leftOut = List.copyOf(leftOut);
  }

  /** The order of a graph whose edges all lead somewhere; what has none is among the problems. */
  static Sequence of(Graph graph, Problems problems) {
    List<Node> order = order(graph);
    if (order.size() < graph.nodes().size()) {
      cycle(graph, order, problems);
      return NONE;
    }
    Map<String, List<Edge>> into = into(graph);
    Map<String, Node> byId = graph.byId();
    Set<String> out = new LinkedHashSet<>();
    Map<String, Set<String>> reviews = new HashMap<>();
    List<Step> steps = new ArrayList<>();
    Set<String> used = new HashSet<>();
    for (Node node : order) {
      List<Edge> edges = into.getOrDefault(node.id(), List.of());
      List<Node> before =
          edges.stream()
              .filter(edge -> isOpen(edge, byId))
              .map(edge -> Objects.requireNonNull(byId.get(edge.from())))
              .filter(start -> !out.contains(start.id()))
              .toList();
      if (before.isEmpty() && !edges.isEmpty()) {
        out.add(node.id());
        continue;
      }
      Set<String> wanted = new LinkedHashSet<>();
      for (Node start : before) {
        if (!(start instanceof Node.Action)) {
          wanted.addAll(reviews.getOrDefault(start.id(), Set.of()));
        }
        if (start.isReview()) {
          wanted.add(start.id());
        }
      }
      reviews.put(node.id(), wanted);
      if (node instanceof Node.Action action) {
        steps.add(new Step(action, List.copyOf(wanted)));
        used.addAll(wanted);
      }
    }
    unused(order, out, used, problems);
    if (steps.isEmpty()) {
      problems.error(
          "no-actions",
          graph.nodes().isEmpty() ? Place.START : graph.nodes().getFirst().place(),
          "Expected a graph with something to do, but it has no action that is reached.",
          "");
    }
    return new Sequence(steps, List.copyOf(out));
  }

  private static Map<String, List<Edge>> into(Graph graph) {
    Map<String, List<Edge>> into = new HashMap<>();
    graph.edges().forEach(e -> into.computeIfAbsent(e.to(), _ -> new ArrayList<>()).add(e));
    return into;
  }

  private static boolean isOpen(Edge edge, Map<String, Node> byId) {
    Node start = byId.get(edge.from());
    return edge.type() != Edge.Type.CONDITIONAL
        || (start != null && edge.when().equals(start.settled()));
  }

  /**
   * Every node after those before it; the nodes of a cycle, and what comes after it, are absent.
   */
  static List<Node> order(Graph graph) {
    Map<String, Integer> number = new LinkedHashMap<>();
    graph.nodes().forEach(node -> number.put(node.id(), number.size()));
    int[] waiting = new int[number.size()];
    Map<String, List<Integer>> after = new HashMap<>();
    for (Edge edge : graph.edges()) {
      int to = number.getOrDefault(edge.to(), 0);
      waiting[to]++;
      after.computeIfAbsent(edge.from(), _ -> new ArrayList<>()).add(to);
    }
    PriorityQueue<Integer> ready = new PriorityQueue<>();
    for (int i = 0; i < waiting.length; i++) {
      if (waiting[i] == 0) {
        ready.add(i);
      }
    }
    List<Node> order = new ArrayList<>();
    while (!ready.isEmpty()) {
      Node next = graph.nodes().get(ready.remove());
      order.add(next);
      for (int to : after.getOrDefault(next.id(), List.of())) {
        if (--waiting[to] == 0) {
          ready.add(to);
        }
      }
    }
    return order;
  }

  /** Names the nodes of one cycle: going back from what is left, some node comes twice. */
  private static void cycle(Graph graph, List<Node> order, Problems problems) {
    Set<String> left = new LinkedHashSet<>();
    graph.nodes().forEach(node -> left.add(node.id()));
    order.forEach(node -> left.remove(node.id()));
    Map<String, List<Edge>> into = into(graph);
    List<String> back = new ArrayList<>();
    String at = left.iterator().next();
    while (!back.contains(at)) {
      back.add(at);
      at =
          into.getOrDefault(at, List.of()).stream()
              .map(Edge::from)
              .filter(left::contains)
              .findFirst()
              .orElseThrow();
    }
    List<String> round = new ArrayList<>(back.subList(back.indexOf(at), back.size()));
    round.add(at);
    problems.error(
        "cycle",
        Objects.requireNonNull(graph.byId().get(at)).place(),
        "Expected a graph without cycles, but there is one: %s."
            .formatted(String.join(" → ", round.reversed())),
        "A run does everything once. Leave one of the edges out.");
  }

  /** A review that asks nobody would look as if somebody had looked. */
  private static void unused(
      List<Node> order, Set<String> out, Set<String> used, Problems problems) {
    for (Node node : order) {
      if (node.isReview() && !out.contains(node.id()) && !used.contains(node.id())) {
        problems.error(
            "review-of-nothing",
            node.place(),
            "Expected an action after the review '%s', but there is none.".formatted(node.id()),
            "A run asks people before an action. Put the review before the action that it is for.");
      }
    }
  }
}
