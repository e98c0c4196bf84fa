package dev.signalbox.definition.dot;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.Place;
import dev.signalbox.definition.Places;
import dev.signalbox.definition.Problems;
import dev.signalbox.definition.Source;
import dev.signalbox.definition.dot.DotGraph.Cluster;
import dev.signalbox.definition.dot.DotGraph.Line;
import dev.signalbox.definition.dot.DotGraph.Vertex;
import dev.signalbox.definition.sketch.Sketch;
import dev.signalbox.definition.sketch.Sketch.Level;
import dev.signalbox.definition.sketch.Sketch.Node;
import dev.signalbox.definition.sketch.SketchMachine;
import dev.signalbox.definition.sketch.Slug;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.State;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads a state machine drawn as a DOT digraph. */
public final class DotReader {
  private static final int LONGEST = 4_000_000;
  private static final Pattern ODD = Pattern.compile("[\\s\\p{Z}\\p{Cc}]+|->");
  private static final Set<String> INVISIBLE = Set.of("none", "plaintext", "plain", "point");
  private static final Set<String> START_NAMES =
      Set.of("", "start", "__start", "__start__", "_start", "init", "__init__", "initial", "entry");

  private final DotGraph graph;
  private final Problems problems;
  private final DotAttributes attributes;
  private final Sketch sketch = new Sketch();
  private final Map<Cluster, Level> levels = new HashMap<>();
  private final Map<Cluster, Node> boxes = new HashMap<>();
  private final Map<String, String> ids = new HashMap<>();
  private final Set<String> taken = new HashSet<>();

  private DotReader(DotGraph graph, Problems problems) {
    this.graph = graph;
    this.problems = problems;
    this.attributes = new DotAttributes(problems);
  }

  /** The machine, named after the file. */
  public static Definition read(Source source) {
    Problems problems = new Problems(source.name());
    Places places = new Places();
    Machine machine = null;
    if (source.text().length() > LONGEST) {
      problems.error(
          "too-large",
          Place.START,
          "Expected at most %,d characters, but the text is longer.".formatted(LONGEST),
          "Split it into several machines.");
    } else {
      DotParser parser = new DotParser(source.text().replace("\r\n", "\n"), problems);
      DotGraph graph = parser.parse();
      if (!parser.isStopped() && !(graph.vertices.isEmpty() && problems.hasErrors())) {
        Sketch sketch = new DotReader(graph, problems).sketch();
        String name = Slug.fileName(source.name());
        machine = SketchMachine.build(sketch, name, Place.START, places, problems);
      }
    }
    return new Definition(source, machine, places, problems.list());
  }

  private Sketch sketch() {
    attributes.check(graph.root.attributes, Place.START);
    DotToken label = graph.root.attributes.get("label");
    if (label != null && !DotText.shown(label, "").isEmpty()) {
      sketch.describe(DotText.shown(label, ""));
    }
    DotToken comment = graph.root.attributes.get("comment");
    if (comment != null) {
      sketch.notes().add(DotText.shown(comment, ""));
    }
    levels.put(graph.root, sketch.root());
    // Names of nodes come first: a cluster yields to a node of the same name.
    graph.vertices.values().stream().filter(v -> dot(v) == null).forEach(v -> id(v.name));
    for (DotGraph.Drawn drawn : graph.drawn) {
      switch (drawn) {
        case Cluster cluster -> cluster(cluster);
        case Vertex vertex -> vertex(vertex);
      }
    }
    graph.vertices.values().forEach(this::place);
    graph.lines.forEach(this::line);
    assumeStart();
    return sketch;
  }

  /** The level of the cluster: the inside of a state, or of a region of one. */
  private Level level(Cluster cluster) {
    return levels.getOrDefault(cluster, sketch.root());
  }

  private void cluster(Cluster cluster) {
    attributes.check(cluster.attributes, cluster.place);
    Cluster parent = cluster.parent == null ? graph.root : cluster.parent;
    Node around = boxes.get(parent);
    if (value(cluster.attributes, "class").equals("region") && around != null) {
      levels.put(cluster, around.open());
      boxes.put(cluster, around);
      return;
    }
    String name = cluster.name.substring("cluster".length());
    String id =
        ids.containsKey(name.startsWith("_") ? name.substring(1) : name)
            ? cluster.name
            : name.startsWith("_") && name.length() > 1 ? name.substring(1) : cluster.name;
    Node node = sketch.node(id(id), cluster.place);
    node.moveTo(level(parent));
    describe(node, cluster.attributes, cluster.name);
    boxes.put(cluster, node);
    Level inside = node.open();
    node.join(inside);
    levels.put(cluster, inside);
  }

  private void vertex(Vertex vertex) {
    attributes.check(vertex.attributes, vertex.place);
    if (dot(vertex) != null) {
      return;
    }
    Node node = sketch.node(id(vertex.name), vertex.place);
    node.become(kind(vertex));
    describe(node, vertex.attributes, vertex.name);
  }

  /** Puts the node into its cluster, which may stand behind its first mention. */
  private void place(Vertex vertex) {
    if (dot(vertex) == null) {
      sketch.node(id(vertex.name), vertex.place).moveTo(level(vertex.cluster));
    }
  }

  private void describe(Node node, Map<String, DotToken> found, String name) {
    DotToken label = found.get("label");
    boolean shape = node.kind().isPoint() || value(found, "class").endsWith("history");
    String shown = label == null ? "" : DotText.shown(label, name);
    if (value(found, "class").equals("history")) {
      node.descriptions().add("[H]");
    } else if (value(found, "class").equals("deep_history")) {
      node.descriptions().add("[H*]");
    } else if (label == null && !node.id().equals(name) && !name.startsWith("cluster")) {
      node.descriptions().add(name);
    } else if (!shown.isEmpty() && !shape) {
      shown.lines().map(String::strip).filter(l -> !l.isEmpty()).forEach(node.descriptions()::add);
    }
    DotToken comment = found.get("comment");
    if (comment != null) {
      node.notes().add(DotText.shown(comment, name));
    }
  }

  private void line(Line line) {
    attributes.check(line.attributes(), line.place());
    Node from = end(line.from(), line.attributes().get("ltail"));
    Node to = end(line.to(), line.attributes().get("lhead"));
    Cluster cluster = dot(line.from()) != null ? line.from().cluster : line.to().cluster;
    String label = "";
    for (String name : List.of("label", "xlabel", "taillabel", "headlabel")) {
      DotToken text = line.attributes().get(name);
      label = label.isEmpty() && text != null ? DotText.shown(text, "") : label;
    }
    sketch.edge(level(cluster), from, to, label, line.place());
  }

  /** The end of a line: a node, the state of a cluster, or no node for a dot. */
  private @Nullable Node end(Vertex vertex, @Nullable DotToken clusterName) {
    Cluster cluster = clusterName == null ? null : graph.clusters.get(clusterName.text());
    if (cluster != null && boxes.containsKey(cluster)) {
      return boxes.get(cluster);
    }
    return dot(vertex) != null ? null : sketch.node(id(vertex.name), vertex.place);
  }

  /** Where nothing is drawn as a start, the only node that nothing leads to is one. */
  private void assumeStart() {
    boolean started =
        sketch.edges().stream().anyMatch(e -> e.from() == null && e.level() == sketch.root());
    List<Vertex> sources =
        graph.vertices.values().stream()
            .filter(v -> v.in == 0 && v.out > 0 && dot(v) == null)
            .toList();
    if (!started && sources.size() == 1) {
      Vertex first = sources.getFirst();
      Node node = sketch.node(id(first.name), first.place);
      sketch.edge(sketch.root(), null, node, null, first.place);
      problems.warning(
          "assumed-start",
          first.place,
          "Expected a point that leads to the start, but there is none; '%s' is taken,"
                  .formatted(node.id())
              + " because nothing leads to it.",
          "Add: start [shape=point]; start -> %s;".formatted(DotText.id(first.name)));
    }
  }

  private enum Dot {
    START,
    END
  }

  private static @Nullable Dot dot(Vertex vertex) {
    String shape = value(vertex.attributes, "shape");
    DotToken label = vertex.attributes.get("label");
    boolean silent = label != null && DotText.shown(label, vertex.name).isEmpty();
    boolean named = START_NAMES.contains(vertex.name.toLowerCase(Locale.ROOT));
    boolean invisible =
        INVISIBLE.contains(shape) || value(vertex.attributes, "style").contains("invis");
    boolean dot =
        shape.equals("point")
            || (invisible && (silent || named))
            || (silent && named)
            || vertex.name.isEmpty();
    if (shape.equals("point") && vertex.name.startsWith("__start")) {
      return Dot.START;
    }
    if (dot && vertex.in == 0 && vertex.out > 0) {
      return Dot.START;
    }
    boolean end = shape.equals("point") || (silent && vertex.name.startsWith("__end"));
    return end && vertex.out == 0 && vertex.in > 0 ? Dot.END : null;
  }

  private static State.Kind kind(Vertex vertex) {
    String shape = value(vertex.attributes, "shape");
    return switch (value(vertex.attributes, "class")) {
      case "fork" -> State.Kind.FORK;
      case "join" -> State.Kind.JOIN;
      case "choice" -> State.Kind.CHOICE;
      default -> {
        boolean doubled =
            shape.equals("doublecircle")
                || shape.equals("doubleoctagon")
                || value(vertex.attributes, "peripheries").equals("2");
        yield doubled
            ? State.Kind.FINAL
            : shape.equals("diamond") ? State.Kind.CHOICE : State.Kind.STATE;
      }
    };
  }

  private static String value(Map<String, DotToken> attributes, String name) {
    DotToken value = attributes.get(name);
    return value == null ? "" : value.text();
  }

  /** A state's id for the name of a node: no spaces, and no two alike. */
  private String id(String name) {
    return ids.computeIfAbsent(
        name,
        n -> {
          String base = ODD.matcher(n.strip()).replaceAll("_");
          String id = base.isEmpty() ? "_" : base;
          for (int number = 2; !taken.add(id); number++) {
            id = base + "_" + number;
          }
          return id;
        });
  }
}
