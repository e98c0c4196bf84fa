package dev.signalbox.definition.draw;

import dev.signalbox.definition.draw.Box.Shape;
import dev.signalbox.definition.draw.Options.Direction;
import dev.signalbox.definition.draw.Wire.Point;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.eclipse.elk.alg.layered.LayeredLayoutProvider;
import org.eclipse.elk.alg.layered.options.CenterEdgeLabelPlacementStrategy;
import org.eclipse.elk.alg.layered.options.CycleBreakingStrategy;
import org.eclipse.elk.alg.layered.options.LayerConstraint;
import org.eclipse.elk.alg.layered.options.LayeredOptions;
import org.eclipse.elk.alg.layered.options.NodePlacementStrategy;
import org.eclipse.elk.core.data.LayoutMetaDataService;
import org.eclipse.elk.core.math.ElkPadding;
import org.eclipse.elk.core.math.KVector;
import org.eclipse.elk.core.options.CoreOptions;
import org.eclipse.elk.core.options.EdgeLabelPlacement;
import org.eclipse.elk.core.options.EdgeRouting;
import org.eclipse.elk.core.options.HierarchyHandling;
import org.eclipse.elk.core.options.SizeConstraint;
import org.eclipse.elk.core.util.BasicProgressMonitor;
import org.eclipse.elk.graph.ElkBendPoint;
import org.eclipse.elk.graph.ElkConnectableShape;
import org.eclipse.elk.graph.ElkEdge;
import org.eclipse.elk.graph.ElkEdgeSection;
import org.eclipse.elk.graph.ElkLabel;
import org.eclipse.elk.graph.ElkNode;
import org.eclipse.elk.graph.util.ElkGraphUtil;

/**
 * One layout by Eclipse ELK's layered algorithm, with ELK's graph beside ours: layers, as few
 * crossings as it can find, right angles, and words that sit on their own lines.
 */
final class LayeredLayout {
  private static final double GAP = 14;

  /** ELK's registry, filled at its first use, and once, as the initialisation of a class is. */
  private static final class Registry {
    static final LayoutMetaDataService SERVICE = LayoutMetaDataService.getInstance();

    private Registry() {}
  }

  private final Sketch sketch;
  private final Options options;
  private final NodePlacementStrategy strategy;
  private final int thoroughness;
  private final boolean sideways;
  private final ElkNode root = ElkGraphUtil.createGraph();
  private final Map<Box, ElkNode> nodes = new HashMap<>();
  private final Map<Wire, ElkEdge> edges = new HashMap<>();
  private final Map<Box, ElkConnectableShape> inlets = new HashMap<>();

  LayeredLayout(Sketch sketch, Options options, NodePlacementStrategy strategy, int thoroughness) {
    this.sketch = sketch;
    this.options = options;
    this.strategy = strategy;
    this.thoroughness = thoroughness;
    this.sideways = options.direction() == Direction.RIGHT;
  }

  void compute() {
    Objects.requireNonNull(Registry.SERVICE);
    nodes.put(sketch.canvas(), root);
    configure(root, sketch.canvas());
    addChildren(sketch.canvas(), root);
    alignRegions();
    for (Wire wire : sketch.wires()) {
      edges.put(wire, add(wire));
    }
    new LayeredLayoutProvider().layout(root, new BasicProgressMonitor());
  }

  /** Gives the boxes and wires the places that were found. */
  void apply() {
    sketch.canvas().width = root.getWidth();
    sketch.canvas().height = root.getHeight();
    sketch.boxes().forEach(this::read);
    sketch.wires().forEach(this::read);
    Jogs.straighten(sketch);
  }

  private void addChildren(Box box, ElkNode node) {
    for (Box child : box.children) {
      ElkNode childNode = ElkGraphUtil.createNode(node);
      nodes.put(child, childNode);
      if (child.isContainer()) {
        configure(childNode, child);
        addChildren(child, childNode);
      } else {
        child.measure(sideways, options.badges());
        childNode.setDimensions(child.width, child.height);
      }
    }
  }

  /**
   * Keeps the regions of a parallel state side by side, where no wire between them says otherwise.
   */
  private void alignRegions() {
    Set<Box> connected = new HashSet<>();
    for (Wire wire : sketch.wires()) {
      Level level = Level.of(wire);
      if (level.from() != level.to() && !level.from().isHistory() && !level.to().isHistory()) {
        connected.add(level.from().parent);
      }
    }
    for (Box box : sketch.boxes()) {
      Box parent = box.parent;
      if (parent != null
          && parent.isParallel()
          && !box.isHistory()
          && !connected.contains(parent)) {
        node(box).setProperty(LayeredOptions.LAYERING_LAYER_CONSTRAINT, LayerConstraint.LAST);
      }
    }
  }

  private void configure(ElkNode node, Box box) {
    node.setProperty(CoreOptions.HIERARCHY_HANDLING, HierarchyHandling.INCLUDE_CHILDREN);
    node.setProperty(
        CoreOptions.DIRECTION,
        sideways
            ? org.eclipse.elk.core.options.Direction.RIGHT
            : org.eclipse.elk.core.options.Direction.DOWN);
    node.setProperty(CoreOptions.EDGE_ROUTING, EdgeRouting.ORTHOGONAL);
    // Words at the tail say at once which state a line leaves, also where lines join later.
    node.setProperty(
        LayeredOptions.EDGE_LABELS_CENTER_LABEL_PLACEMENT_STRATEGY,
        CenterEdgeLabelPlacementStrategy.TAIL_LAYER);
    // What leads back to where a search from the start came from is what a person calls back.
    node.setProperty(LayeredOptions.CYCLE_BREAKING_STRATEGY, CycleBreakingStrategy.DEPTH_FIRST);
    node.setProperty(LayeredOptions.NODE_PLACEMENT_STRATEGY, strategy);
    node.setProperty(LayeredOptions.NODE_PLACEMENT_FAVOR_STRAIGHT_EDGES, true);
    node.setProperty(LayeredOptions.THOROUGHNESS, thoroughness);
    node.setProperty(LayeredOptions.MERGE_HIERARCHY_EDGES, false);
    boolean regions = box.isParallel();
    node.setProperty(CoreOptions.SPACING_NODE_NODE, regions ? 32.0 : 28.0);
    node.setProperty(CoreOptions.SPACING_EDGE_NODE, GAP);
    node.setProperty(CoreOptions.SPACING_EDGE_EDGE, 12.0);
    node.setProperty(CoreOptions.SPACING_EDGE_LABEL, 3.0);
    node.setProperty(CoreOptions.SPACING_LABEL_LABEL, 4.0);
    node.setProperty(CoreOptions.SPACING_LABEL_NODE, 8.0);
    node.setProperty(CoreOptions.SPACING_NODE_SELF_LOOP, 12.0);
    node.setProperty(LayeredOptions.SPACING_NODE_NODE_BETWEEN_LAYERS, 26.0);
    node.setProperty(LayeredOptions.SPACING_EDGE_NODE_BETWEEN_LAYERS, GAP);
    node.setProperty(LayeredOptions.SPACING_EDGE_EDGE_BETWEEN_LAYERS, 12.0);
    node.setProperty(CoreOptions.PADDING, padding(box));
    if (box.shape != Shape.CANVAS) {
      node.setProperty(CoreOptions.NODE_SIZE_CONSTRAINTS, EnumSet.of(SizeConstraint.MINIMUM_SIZE));
      node.setProperty(
          CoreOptions.NODE_SIZE_MINIMUM,
          new KVector(Math.max(60, box.wordsWidth(options.badges())), 40));
    }
  }

  private static ElkPadding padding(Box box) {
    return switch (box.shape) {
      case CANVAS -> new ElkPadding(16);
      case REGION -> new ElkPadding(box.headHeight() + 8, 8, 8, 8);
      case ATOM, GROUP, FINAL, END, START, HISTORY, CHOICE, BAR, ANY, GHOST ->
          new ElkPadding(box.headHeight() + 14, 14, 14, 14);
    };
  }

  private ElkEdge add(Wire wire) {
    ElkConnectableShape from = node(wire.from);
    ElkConnectableShape to = wire.shared ? inlet(wire.to) : node(wire.to);
    ElkEdge edge = ElkGraphUtil.createSimpleEdge(from, to);
    if (wire.hasWords()) {
      ElkLabel label = ElkGraphUtil.createLabel("words", edge);
      label.setDimensions(wire.labelWidth(options.badges()), wire.labelHeight());
      label.setProperty(CoreOptions.EDGE_LABELS_INLINE, true);
      label.setProperty(CoreOptions.EDGE_LABELS_PLACEMENT, EdgeLabelPlacement.CENTER);
    }
    return edge;
  }

  private ElkConnectableShape inlet(Box box) {
    return inlets.computeIfAbsent(box, _ -> ElkGraphUtil.createPort(node(box)));
  }

  private ElkNode node(Box box) {
    ElkNode node = nodes.get(box);
    if (node == null) {
      throw new IllegalStateException("Expected a node for '" + box.id + "'.");
    }
    return node;
  }

  private void read(Box box) {
    ElkNode node = node(box);
    Box parent = box.parent;
    box.x = node.getX() + (parent == null ? 0 : parent.x);
    box.y = node.getY() + (parent == null ? 0 : parent.y);
    box.width = node.getWidth();
    box.height = node.getHeight();
  }

  private void read(Wire wire) {
    ElkEdge edge = edges.get(wire);
    if (edge == null || edge.getSections().isEmpty()) {
      throw new IllegalStateException("Expected a route for every wire.");
    }
    Point origin = origin(edge.getContainingNode());
    ElkEdgeSection section = edge.getSections().getFirst();
    List<Point> points = new ArrayList<>();
    points.add(new Point(origin.x() + section.getStartX(), origin.y() + section.getStartY()));
    for (ElkBendPoint bend : section.getBendPoints()) {
      points.add(new Point(origin.x() + bend.getX(), origin.y() + bend.getY()));
    }
    points.add(new Point(origin.x() + section.getEndX(), origin.y() + section.getEndY()));
    wire.points = List.copyOf(points);
    wire.junctions =
        edge.getProperty(CoreOptions.JUNCTION_POINTS).stream()
            .map(point -> new Point(origin.x() + point.x, origin.y() + point.y))
            .toList();
    if (!edge.getLabels().isEmpty()) {
      ElkLabel label = edge.getLabels().getFirst();
      wire.labelSize = new Point(label.getWidth(), label.getHeight());
      wire.labelAt = new Point(origin.x() + label.getX(), origin.y() + label.getY());
    }
  }

  private static Point origin(ElkNode node) {
    double x = 0;
    double y = 0;
    for (ElkNode at = node; at != null && at.getParent() != null; at = at.getParent()) {
      x += at.getX();
      y += at.getY();
    }
    return new Point(x, y);
  }
}
