package dev.signalbox.systems.runs.frozen;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * An execution graph, as far as its text could be read.
 *
 * @param runId of the coordinator's run that made it
 * @param nodes in the order of the text
 * @param edges in the order of the text
 */
public record Graph(String runId, String intentId, List<Node> nodes, List<Edge> edges) {

  /** What a run gets of a text that could not be read. */
  static final Graph NONE = new Graph("", "", List.of(), List.of());

  public Graph {
    nodes = List.copyOf(nodes);
    edges = List.copyOf(edges);
  }

  /** The nodes by id; the first of those that share one. */
  Map<String, Node> byId() {
    Map<String, Node> byId = new LinkedHashMap<>();
    nodes.forEach(node -> byId.putIfAbsent(node.id(), node));
    return byId;
  }
}
