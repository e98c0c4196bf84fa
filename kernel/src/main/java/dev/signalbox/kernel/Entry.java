package dev.signalbox.kernel;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The states to enter, and which of them by default (computeEntrySet of the SCXML algorithm). */
final class Entry {
  private final Chart chart;
  private final Map<String, List<String>> history;
  final long[] states;
  final long[] defaults;
  final Map<Node, Move> historyDefaults = new HashMap<>(0);

  Entry(Chart chart, Map<String, List<String>> history) {
    this.chart = chart;
    this.history = history;
    this.states = Bits.empty(chart.nodes.length);
    this.defaults = Bits.empty(chart.nodes.length);
  }

  /** This entry for taking the moves together. */
  Entry of(List<Move> moves) {
    for (Move move : moves) {
      if (move.isTargetless()) {
        continue;
      }
      for (Node target : move.targets) {
        addDescendants(target);
      }
      Node domain = move == chart.root.initial ? chart.root : domain(move);
      for (Node target : effectiveTargets(move)) {
        addAncestors(target, domain);
      }
      if (domain.isParallel()) {
        // Only the root: what is left for a way between its regions is all of them.
        addRegions(domain);
      }
    }
    return this;
  }

  /** The state below which the move leaves and enters everything. */
  Node domain(Move move) {
    Node known = move.domain;
    return known != null ? known : ChartCompiler.domain(move, effectiveTargets(move));
  }

  /** The targets with history states replaced by what they stand for now. */
  private List<Node> effectiveTargets(Move move) {
    List<Node> targets = new ArrayList<>();
    for (Node target : move.targets) {
      if (!target.isHistory()) {
        targets.add(target);
      } else if (history.containsKey(target.id)) {
        targets.addAll(remembered(target));
      } else if (target.initial != null) {
        targets.addAll(effectiveTargets(target.initial));
      }
    }
    return targets;
  }

  private List<Node> remembered(Node node) {
    List<Node> nodes = new ArrayList<>();
    for (String id : history.getOrDefault(node.id, List.of())) {
      int index = chart.indexOf(id);
      if (index >= 0) {
        nodes.add(chart.nodes[index]);
      }
    }
    return nodes;
  }

  private void addDescendants(Node node) {
    if (node.isHistory()) {
      addHistory(node);
      return;
    }
    Bits.add(states, node.index);
    Move initial = node.initial;
    if (node.isCompound() && initial != null) {
      Bits.add(defaults, node.index);
      for (Node target : initial.targets) {
        addDescendants(target);
      }
      for (Node target : initial.targets) {
        addAncestors(target, node);
      }
    } else if (node.isParallel()) {
      addRegions(node);
    }
  }

  private void addRegions(Node parallel) {
    for (Node region : parallel.children) {
      if (!hasEntryBelow(region)) {
        addDescendants(region);
      }
    }
  }

  private void addHistory(Node node) {
    Node parent = node.parent;
    List<Node> targets;
    if (history.containsKey(node.id)) {
      targets = remembered(node);
    } else {
      Move initial = node.initial;
      if (initial == null || parent == null) {
        return;
      }
      historyDefaults.put(parent, initial);
      targets = List.of(initial.targets);
    }
    for (Node target : targets) {
      addDescendants(target);
    }
    if (parent != null) {
      for (Node target : targets) {
        addAncestors(target, parent);
      }
    }
  }

  private void addAncestors(Node node, Node below) {
    for (Node ancestor = node.parent;
        ancestor != null && ancestor != below;
        ancestor = ancestor.parent) {
      Bits.add(states, ancestor.index);
      if (ancestor.isParallel()) {
        addRegions(ancestor);
      }
    }
  }

  private boolean hasEntryBelow(Node node) {
    return Bits.has(states, node.index) || Bits.intersects(states, node.descendants);
  }
}
