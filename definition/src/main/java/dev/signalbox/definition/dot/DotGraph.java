package dev.signalbox.definition.dot;

import dev.signalbox.definition.Place;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a DOT text draws: nodes and edges with their attributes, in clusters. */
final class DotGraph {
  final Cluster root = new Cluster("", null, Place.START);
  final Map<String, Vertex> vertices = new LinkedHashMap<>();
  final Map<String, Cluster> clusters = new LinkedHashMap<>();
  final List<Drawn> drawn = new ArrayList<>();
  final List<Line> lines = new ArrayList<>();

  /** What becomes a state, in the order of first mention. */
  sealed interface Drawn permits Cluster, Vertex {}

  /** A subgraph that is drawn as a box. */
  static final class Cluster implements Drawn {
    final String name;
    final @Nullable Cluster parent;
    final Place place;
    final Map<String, DotToken> attributes = new HashMap<>();

    Cluster(String name, @Nullable Cluster parent, Place place) {
      this.name = name;
      this.parent = parent;
      this.place = place;
    }

    boolean isInside(Cluster other) {
      Cluster at = this;
      while (at != null && at != other) {
        at = at.parent;
      }
      return at == other;
    }
  }

  /** A node. */
  static final class Vertex implements Drawn {
    final String name;
    final Place place;
    final Map<String, DotToken> attributes;
    Cluster cluster;
    int in;
    int out;

    Vertex(String name, Place place, Map<String, DotToken> defaults, Cluster cluster) {
      this.name = name;
      this.place = place;
      this.attributes = new HashMap<>(defaults);
      this.cluster = cluster;
    }
  }

  /** An edge. */
  record Line(Vertex from, Vertex to, Map<String, DotToken> attributes, Place place) {}

  /** The node, made where it is first mentioned; a mention in an inner cluster moves it there. */
  Vertex vertex(String name, Place place, Map<String, DotToken> defaults, Cluster cluster) {
    Vertex vertex = vertices.get(name);
    if (vertex == null) {
      vertex = new Vertex(name, place, defaults, cluster);
      vertices.put(name, vertex);
      drawn.add(vertex);
    }
    if (vertex.cluster != cluster && cluster.isInside(vertex.cluster)) {
      vertex.cluster = cluster;
    }
    return vertex;
  }

  /** The cluster, made where it is first written. */
  Cluster cluster(String name, Cluster around, Place place) {
    Cluster cluster = clusters.get(name);
    if (cluster == null) {
      cluster = new Cluster(name, around, place);
      clusters.put(name, cluster);
      drawn.add(cluster);
    }
    return cluster;
  }
}
