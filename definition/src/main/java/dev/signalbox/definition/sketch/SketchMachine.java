package dev.signalbox.definition.sketch;

import dev.signalbox.definition.Place;
import dev.signalbox.definition.Places;
import dev.signalbox.definition.Problems;
import dev.signalbox.definition.sketch.Sketch.Edge;
import dev.signalbox.definition.sketch.Sketch.Level;
import dev.signalbox.definition.sketch.Sketch.Node;
import dev.signalbox.kernel.machine.Limits;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.Transition;
import dev.signalbox.kernel.machine.Trigger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Gives a sketch its meaning as a machine. */
public final class SketchMachine {
  private final Sketch sketch;
  private final Places places;
  private final EventNames events;
  private final SketchChecks checks;
  private final Map<Level, List<Node>> children = new HashMap<>();
  private final Map<Level, List<Edge>> starts = new HashMap<>();
  private final Set<Level> withEnd = new HashSet<>();
  private final Map<Level, String> ends = new HashMap<>();
  private final Map<Node, List<Edge>> exits = new HashMap<>();
  private final Map<Level, String> prefixes = new HashMap<>();
  private final Set<String> ids = new HashSet<>();

  private SketchMachine(Sketch sketch, Places places, Problems problems) {
    this.sketch = sketch;
    this.places = places;
    this.events = new EventNames(problems);
    this.checks = new SketchChecks(sketch, problems);
  }

  /**
   * The machine, with the places of its parts; null when it is larger or deeper than a machine may
   * be. A problem that leaves the graph clear does not stop it.
   *
   * @param header the place to name when the drawing as a whole is wrong
   */
  public static @Nullable Machine build(
      Sketch sketch, String name, Place header, Places places, Problems problems) {
    SketchMachine builder = new SketchMachine(sketch, places, problems);
    if (!builder.checks.fits(header)) {
      return null;
    }
    builder.sort();
    builder.checks.starts(header, builder.children, builder.starts);
    State root = builder.root(header);
    return new Machine(
        name,
        1,
        Machine.Mode.STRICT,
        sketch.description(),
        List.of(),
        List.of(),
        root,
        List.of(),
        Limits.DEFAULT);
  }

  private void sort() {
    for (Node node : sketch.nodes()) {
      ids.add(node.id());
      children.computeIfAbsent(node.level(), _ -> new ArrayList<>()).add(node);
    }
    for (Edge edge : sketch.edges()) {
      Node from = edge.from();
      if (edge.to() == null) {
        withEnd.add(edge.level());
      }
      if (from == null) {
        starts.computeIfAbsent(edge.level(), _ -> new ArrayList<>()).add(edge);
      } else {
        exits.computeIfAbsent(from, _ -> new ArrayList<>()).add(edge);
      }
    }
    prefixes.put(sketch.root(), "");
    for (Node node : sketch.nodes()) {
      List<Level> inside = inside(node);
      for (int i = 0; i < inside.size(); i++) {
        boolean part = inside.size() > 1 && region(inside.get(i)) == null;
        prefixes.put(
            inside.get(i), part ? free(node.id() + ".region", i + 1) + "." : node.id() + ".");
      }
    }
    for (Edge edge : sketch.edges()) {
      Node from = edge.from();
      if (edge.to() == null && (from == null || !isFinal(from))) {
        ends.computeIfAbsent(edge.level(), level -> free(prefix(level) + "$end"));
      }
    }
  }

  /** The parts of a box that hold something. */
  private List<Level> inside(Node node) {
    return node.levels().stream()
        .filter(level ->
            children.containsKey(level) || starts.containsKey(level) || withEnd.contains(level))
        .toList();
  }

  /** The one node that is all of a part, and so is the region itself. */
  private @Nullable Node region(Level level) {
    List<Node> nodes = children.getOrDefault(level, List.of());
    boolean alone =
        nodes.size() == 1
            && !starts.containsKey(level)
            && !withEnd.contains(level)
            && nodes.getFirst().kind() == State.Kind.STATE
            && exits.getOrDefault(nodes.getFirst(), List.of()).isEmpty();
    return alone ? nodes.getFirst() : null;
  }

  private String prefix(Level level) {
    return prefixes.getOrDefault(level, "");
  }

  private String free(String stem, int number) {
    int n = number;
    while (!ids.add(stem + n)) {
      n++;
    }
    return stem + n;
  }

  private String free(String id) {
    String candidate = id;
    while (!ids.add(candidate)) {
      candidate = "$." + candidate;
    }
    return candidate;
  }

  private State root(Place header) {
    State.Builder builder = State.named(Machine.ROOT);
    fill(builder, sketch.root());
    builder.note(new Prose(List.of(), sketch.notes()).note());
    State root = builder.build();
    places.put(root, header);
    return root;
  }

  private State state(Node node) {
    State.Builder builder = State.named(node.id()).kind(kind(node));
    builder.note(new Prose(shown(node), node.notes()).note());
    List<Level> inside = inside(node);
    if (inside.size() == 1) {
      fill(builder, inside.getFirst());
    } else if (!inside.isEmpty()) {
      builder.kind(State.Kind.PARALLEL);
      inside.forEach(level -> builder.child(part(node, level)));
    }
    if (kind(node).isHistory()) {
      exits.getOrDefault(node, List.of()).forEach(e -> builder.initial(arrow(e, null)));
    } else if (!isFinal(node)) {
      transitions(builder, node);
    }
    State state = builder.build();
    places.put(state, node.place());
    return state;
  }

  private State part(Node node, Level level) {
    Node whole = region(level);
    if (whole != null) {
      return state(whole);
    }
    String prefix = prefix(level);
    State.Builder builder = State.named(prefix.substring(0, prefix.length() - 1));
    fill(builder, level);
    State state = builder.build();
    places.put(state, node.place());
    return state;
  }

  /** Adds what lies in the level: its start, its nodes, its end. */
  private void fill(State.Builder builder, Level level) {
    List<Edge> begins = starts.getOrDefault(level, List.of());
    if (begins.size() == 1) {
      Edge start = begins.getFirst();
      builder.initial(arrow(start, null).labelled(start.label()));
    } else if (!begins.isEmpty()) {
      State.Builder start = State.named(free(prefix(level) + "$start"));
      Map<Edge, EventNames.Named> named = events.triggers(begins);
      begins.forEach(edge -> start.transition(arrow(edge, named.get(edge))));
      State state = start.build();
      places.put(state, begins.getFirst().place());
      Transition initial = Transition.to(state.id());
      places.put(initial, begins.getFirst().place());
      builder.initial(initial).child(state);
    }
    children.getOrDefault(level, List.of()).forEach(node -> builder.child(state(node)));
    String end = ends.get(level);
    if (end != null) {
      State state = State.named(end).kind(State.Kind.FINAL).build();
      Node owner = level.owner();
      places.put(state, owner == null ? Place.START : owner.place());
      builder.child(state);
    }
  }

  private void transitions(State.Builder builder, Node node) {
    List<Edge> edges = exits.getOrDefault(node, List.of());
    checks.exits(node, edges);
    Map<Edge, EventNames.Named> named = events.triggers(edges);
    for (Edge edge : edges) {
      EventNames.Named trigger = named.get(edge);
      if (trigger == null && endsInside(node)) {
        trigger = new EventNames.Named(Trigger.on("done.state." + node.id()), true);
      }
      builder.transition(arrow(edge, trigger));
    }
  }

  private Transition arrow(Edge edge, EventNames.@Nullable Named trigger) {
    Node to = edge.to();
    String target = to == null ? ends.getOrDefault(edge.level(), "$end") : to.id();
    Transition transition =
        new Transition(
            trigger == null ? new Trigger.Always() : trigger.trigger(),
            null,
            List.of(target),
            false,
            List.of(),
            trigger == null || trigger.plain() ? null : edge.label());
    places.put(transition, edge.place());
    return transition;
  }

  /** Whether leaving by its one unlabelled arrow to the end dot is all the node does. */
  private boolean isFinal(Node node) {
    List<Edge> edges = exits.getOrDefault(node, List.of());
    if (node.kind() == State.Kind.FINAL) {
      return edges.isEmpty();
    }
    return node.kind() == State.Kind.STATE
        && inside(node).isEmpty()
        && edges.size() == 1
        && edges.getFirst().to() == null
        && edges.getFirst().label() == null
        && edges.getFirst().level() == node.level();
  }

  private boolean endsInside(Node node) {
    return inside(node).stream()
        .anyMatch(level ->
            ends.containsKey(level)
                || children.getOrDefault(level, List.of()).stream().anyMatch(this::isFinal));
  }

  private State.Kind kind(Node node) {
    if (isFinal(node)) {
      return State.Kind.FINAL;
    }
    if (node.kind() == State.Kind.FINAL || !inside(node).isEmpty()) {
      return State.Kind.STATE;
    }
    return isHistory(node)
        ? (marks(node, "[H*]") ? State.Kind.DEEP_HISTORY : State.Kind.SHALLOW_HISTORY)
        : node.kind();
  }

  private boolean isHistory(Node node) {
    List<Edge> edges = exits.getOrDefault(node, List.of());
    return (marks(node, "[H]") || marks(node, "[H*]"))
        && node.kind() == State.Kind.STATE
        && node.level() != sketch.root()
        && inside(node).isEmpty()
        && (edges.isEmpty() || (edges.size() == 1 && edges.getFirst().label() == null));
  }

  private static boolean marks(Node node, String mark) {
    return node.id().equals(mark) || node.descriptions().equals(List.of(mark));
  }

  private List<String> shown(Node node) {
    boolean history = isHistory(node);
    return node.descriptions().stream()
        .filter(d -> !history && !d.isBlank() && !d.equals(node.id()))
        .toList();
  }
}
