package dev.signalbox.definition.dot;

import dev.signalbox.definition.Place;
import dev.signalbox.definition.Problems;
import dev.signalbox.definition.dot.DotGraph.Cluster;
import dev.signalbox.definition.dot.DotGraph.Vertex;
import dev.signalbox.definition.sketch.LinePlaces;
import dev.signalbox.kernel.machine.Limits;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Reads the statements of a DOT text into a graph; goes on behind what it cannot read. */
final class DotParser {
  private static final int DEPTH = 200;
  private static final int MOST_LINES = 100_000;

  private final Problems problems;
  private final DotLexer lexer;
  private final LinePlaces places;
  private final DotGraph graph = new DotGraph();
  private DotToken token;
  private boolean undirected;
  private boolean stopped;

  DotParser(String text, Problems problems) {
    this.problems = problems;
    this.places = new LinePlaces(text);
    this.lexer = new DotLexer(text, places, problems);
    this.token = lexer.next();
  }

  /** What holds in one pair of braces: its cluster and the defaults so far. */
  private record Scope(
      Cluster cluster, Map<String, DotToken> node, Map<String, DotToken> edge, int depth) {

    Scope inner(Cluster inside) {
      return new Scope(inside, new HashMap<>(node), new HashMap<>(edge), depth + 1);
    }
  }

  DotGraph parse() {
    if (token.isWord("strict")) {
      advance();
    }
    Place header = place(token);
    if (token.isWord("graph")) {
      undirected = true;
      problems.error(
          "undirected",
          header,
          "Expected a digraph, but this graph has no directions.",
          "Write digraph and ->; the edges are read from left to right.");
    } else if (!token.isWord("digraph")) {
      problems.error(
          "dot-syntax",
          header,
          "Expected a DOT text to begin with digraph, but found \"%s\".".formatted(shown(token)),
          "");
      return graph;
    }
    advance();
    if (token.isId()) {
      advance();
    }
    if (!expect("{")) {
      return graph;
    }
    statements(new Scope(graph.root, new HashMap<>(), new HashMap<>(), 0), new LinkedHashSet<>());
    expect("}");
    return graph;
  }

  /** Whether the text was left before its end, because it is larger than anything may be. */
  boolean isStopped() {
    return stopped;
  }

  private void statements(Scope scope, Set<Vertex> members) {
    while (!stopped && token.kind() != DotToken.Kind.END && !token.is("}")) {
      if (graph.vertices.size() > 2 * Limits.STATES) {
        stop("too-many-states", place(token), "at most %d states".formatted(Limits.STATES));
        return;
      }
      if (token.is(";") || token.is(",")) {
        advance();
      } else {
        statement(scope, members);
      }
    }
  }

  private void statement(Scope scope, Set<Vertex> members) {
    if (token.isWord("node") || token.isWord("edge") || token.isWord("graph")) {
      String of = token.text().toLowerCase(Locale.ROOT);
      advance();
      Map<String, DotToken> found = attributes();
      switch (of) {
        case "node" -> scope.node.putAll(found);
        case "edge" -> scope.edge.putAll(found);
        default -> scope.cluster.attributes.putAll(found);
      }
      return;
    }
    Place place = place(token);
    if (token.isId() && !token.isWord("subgraph")) {
      DotToken first = token;
      advance();
      if (token.is("=")) {
        advance();
        if (token.isId()) {
          scope.cluster.attributes.put(first.text(), token);
          advance();
        } else {
          refuse("a value");
        }
        return;
      }
      port();
      Vertex vertex = graph.vertex(first.text(), place, scope.node, scope.cluster);
      members.add(vertex);
      chain(scope, Set.of(vertex), place, members);
    } else if (token.isWord("subgraph") || token.is("{")) {
      chain(scope, subgraph(scope), place, members);
    } else {
      refuse("a statement");
    }
  }

  /** Reads the rest of a statement that begins with a node or a subgraph. */
  private void chain(Scope scope, Set<Vertex> first, Place place, Set<Vertex> members) {
    List<Set<Vertex>> ends = new ArrayList<>(List.of(first));
    members.addAll(first);
    while (token.is("->") || token.is("--")) {
      if (token.is("--") && !undirected) {
        problems.error(
            "dot-syntax", place(token), "Expected -> in a digraph, but found --.", "Write ->");
      }
      advance();
      Set<Vertex> end = end(scope);
      members.addAll(end);
      ends.add(end);
    }
    Map<String, DotToken> found = attributes();
    if (ends.size() == 1) {
      if (first.size() == 1) {
        first.forEach(vertex -> vertex.attributes.putAll(found));
      }
      return;
    }
    Map<String, DotToken> all = new HashMap<>(scope.edge);
    all.putAll(found);
    for (int i = 0; i + 1 < ends.size() && !stopped; i++) {
      lines(ends.get(i), ends.get(i + 1), all, place);
    }
  }

  private void lines(
      Set<Vertex> from, Set<Vertex> to, Map<String, DotToken> attributes, Place place) {
    if (graph.lines.size() + (long) from.size() * to.size() > MOST_LINES) {
      stop("too-many-edges", place, "at most %d edges".formatted(MOST_LINES));
      return;
    }
    for (Vertex a : from) {
      for (Vertex b : to) {
        a.out++;
        b.in++;
        graph.lines.add(new DotGraph.Line(a, b, attributes, place));
      }
    }
  }

  private Set<Vertex> end(Scope scope) {
    if (token.isWord("subgraph") || token.is("{")) {
      return subgraph(scope);
    }
    if (!token.isId()) {
      refuse("a node after the arrow");
      return Set.of();
    }
    Vertex vertex = graph.vertex(token.text(), place(token), scope.node, scope.cluster);
    advance();
    port();
    return Set.of(vertex);
  }

  private Set<Vertex> subgraph(Scope scope) {
    Place place = place(token);
    String name = "";
    if (token.isWord("subgraph")) {
      advance();
      if (token.isId()) {
        name = token.text();
        advance();
      }
    }
    Set<Vertex> members = new LinkedHashSet<>();
    if (!token.is("{")) {
      // A subgraph that was written before may be named again in an edge.
      return members;
    }
    if (scope.depth >= DEPTH) {
      stop("too-deep", place, "at most %d levels of subgraphs".formatted(DEPTH));
      return members;
    }
    advance();
    Cluster cluster =
        name.startsWith("cluster") ? graph.cluster(name, scope.cluster, place) : scope.cluster;
    statements(scope.inner(cluster), members);
    expect("}");
    return members;
  }

  private void port() {
    for (int i = 0; i < 2 && token.is(":"); i++) {
      advance();
      if (token.isId()) {
        advance();
      }
    }
  }

  private Map<String, DotToken> attributes() {
    Map<String, DotToken> found = new HashMap<>();
    while (token.is("[")) {
      advance();
      while (!token.is("]") && token.kind() != DotToken.Kind.END && !token.is("}")) {
        if (!token.isId()) {
          if (!token.is(",") && !token.is(";")) {
            problems.error(
                "dot-syntax",
                place(token),
                "Expected an attribute, but found \"%s\".".formatted(shown(token)),
                "");
          }
          advance();
          continue;
        }
        DotToken name = token;
        advance();
        if (token.is("=")) {
          advance();
          found.put(name.text(), token);
          if (token.isId()) {
            advance();
          }
        }
      }
      if (!expect("]")) {
        return found;
      }
    }
    return found;
  }

  private boolean expect(String punctuation) {
    if (token.is(punctuation)) {
      advance();
      return true;
    }
    if (!stopped) {
      problems.error(
          "dot-syntax",
          place(token),
          "Expected %s, but found \"%s\".".formatted(punctuation, shown(token)),
          "");
    }
    return false;
  }

  private void stop(String code, Place place, String expected) {
    stopped = true;
    problems.error(
        code,
        place,
        "Expected %s, but there are more.".formatted(expected),
        "Split the graph into several machines.");
  }

  private void refuse(String expected) {
    problems.error(
        "dot-syntax",
        place(token),
        "Expected %s, but found \"%s\".".formatted(expected, shown(token)),
        "");
    while (token.kind() != DotToken.Kind.END && !token.is(";") && !token.is("}")) {
      advance();
    }
  }

  private void advance() {
    token = lexer.next();
  }

  private Place place(DotToken at) {
    return places.of(at.offset());
  }

  private static String shown(DotToken token) {
    String text = token.text();
    return text.length() <= 30 ? text : text.substring(0, 27) + "...";
  }
}
