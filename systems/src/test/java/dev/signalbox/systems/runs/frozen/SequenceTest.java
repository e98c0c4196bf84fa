package dev.signalbox.systems.runs.frozen;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Place;
import dev.signalbox.definition.Problem;
import dev.signalbox.definition.Problems;
import dev.signalbox.services.approval.Risk;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** The order of a graph. Nodes are named by a letter for their type: a action, p phase, g gate. */
class SequenceTest {
  private final Problems problems = new Problems("graph");

  private static Node node(String id) {
    return switch (id.charAt(0)) {
      case 'a' ->
          new Node.Action(
              id, "c." + id, "x", List.of(Effect.READ), Risk.LOW, List.of("e"), Place.START);
      case 'g' -> new Node.ReviewGate(id, Place.START);
      case 'd' -> new Node.DecisionPoint(id, "allow", Place.START);
      case 'r' -> new Node.DecisionPoint(id, "require_review", Place.START);
      case 'q' -> new Node.Question(id, "blue", Place.START);
      default -> new Node.Phase(id, Place.START);
    };
  }

  /** Edges such as {@code a1>a2}, and {@code q>a1:blue} for one that is conditional. */
  private static Graph graph(String nodes, String... edges) {
    List<Edge> made = new ArrayList<>();
    for (String edge : edges) {
      String[] parts = edge.split("[>:]");
      made.add(
          new Edge(
              parts[0],
              parts[1],
              parts.length == 3 ? Edge.Type.CONDITIONAL : Edge.Type.SEQUENTIAL,
              parts.length == 3 ? parts[2] : "",
              Place.START));
    }
    return new Graph(
        "r", "i", List.of(nodes.split(" ")).stream().map(SequenceTest::node).toList(), made);
  }

  /** The actions in their order, each with the reviews before it, such as {@code a1[g]}. */
  private String order(Graph graph) {
    return String.join(
        " ",
        Sequence.of(graph, problems).steps().stream()
            .map(step ->
                step.action().id() + (step.reviews().isEmpty() ? "" : step.reviews().toString()))
            .toList());
  }

  private List<String> codes() {
    return problems.list().stream().map(Problem::code).toList();
  }

  @Test
  void what_is_free_goes_in_the_order_of_the_text() {
    assertThat(order(graph("a3 a1 a2"))).isEqualTo("a3 a1 a2");
    assertThat(order(graph("a3 a1 a2", "a2>a3"))).isEqualTo("a1 a2 a3");
    assertThat(order(graph("a1 a2 a3 a4", "a1>a4", "a3>a2"))).isEqualTo("a1 a3 a2 a4");
    assertThat(codes()).isEmpty();
  }

  @Test
  void a_review_holds_for_the_next_actions_and_no_further() {
    assertThat(order(graph("p g a1 a2", "p>g", "g>a1", "a1>a2"))).isEqualTo("a1[g] a2");
    assertThat(order(graph("g p a1 a2", "g>p", "p>a1", "p>a2"))).isEqualTo("a1[g] a2[g]");
    assertThat(order(graph("g1 g2 a1", "g1>g2", "g2>a1"))).isEqualTo("a1[g1, g2]");
    assertThat(order(graph("r a1 a2", "r>a1"))).isEqualTo("a1[r] a2");
    assertThat(order(graph("a1 g a2 a3", "a1>g", "g>a3", "a2>a3"))).isEqualTo("a1 a2 a3[g]");
    assertThat(codes()).isEmpty();
  }

  @Test
  void a_review_that_asks_nobody_is_refused() {
    assertThat(order(graph("a1 g", "a1>g"))).isEqualTo("a1");
    assertThat(codes()).containsExactly("review-of-nothing");
  }

  @Test
  void what_was_settled_closes_the_other_ways_and_what_only_they_lead_to() {
    Graph graph =
        graph("q a1 a2 g a3 a4", "q>a1:blue", "q>a2:red", "a2>g", "g>a3", "a1>a4", "a3>a4");

    Sequence sequence = Sequence.of(graph, problems);

    assertThat(sequence.steps()).extracting(step -> step.action().id()).containsExactly("a1", "a4");
    assertThat(sequence.steps()).allMatch(step -> step.reviews().isEmpty());
    assertThat(sequence.leftOut()).containsExactly("a2", "g", "a3");
    assertThat(codes()).isEmpty();
  }

  @Test
  void when_every_way_is_closed_there_is_nothing_to_do() {
    assertThat(order(graph("d a1", "d>a1:deny"))).isEmpty();
    assertThat(order(new Graph("r", "i", List.of(), List.of()))).isEmpty();
    assertThat(codes()).containsExactly("no-actions", "no-actions");
  }

  @Test
  void a_cycle_is_told_with_its_nodes() {
    assertThat(order(graph("a1 a2 a3 a4 a5", "a1>a2", "a2>a3", "a3>a4", "a4>a2", "a4>a5")))
        .isEmpty();
    assertThat(codes()).containsExactly("cycle");
    assertThat(problems.list().getFirst().message()).contains("a2 → a3 → a4 → a2");
    assertThat(order(graph("a1", "a1>a1"))).isEmpty();
    assertThat(problems.list().getLast().message()).contains("a1 → a1");
  }

  @Property(tries = 300)
  void an_order_respects_every_edge_and_has_every_node_once(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 40) int size) {
    Random random = new Random(seed);
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      ids.add((random.nextInt(3) == 0 ? "p" : "a") + i);
    }
    List<String> edges = new ArrayList<>();
    for (int to = 1; to < size; to++) {
      for (int from = 0; from < to; from++) {
        if (random.nextInt(5) == 0) {
          edges.add(ids.get(from) + ">" + ids.get(to));
        }
      }
    }
    List<String> written = new ArrayList<>(ids);
    Collections.shuffle(written, random);
    Graph graph = graph(String.join(" ", written), edges.toArray(String[]::new));

    List<String> order = Sequence.order(graph).stream().map(Node::id).toList();

    assertThat(order).as("seed %d", seed).containsExactlyInAnyOrderElementsOf(ids);
    assertThat(graph.edges())
        .as("seed %d", seed)
        .allMatch(edge -> order.indexOf(edge.from()) < order.indexOf(edge.to()));
    assertThat(Sequence.order(graph(String.join(" ", order), edges.toArray(String[]::new))))
        .as("seed %d: a text in order keeps it", seed)
        .extracting(Node::id)
        .containsExactlyElementsOf(order);
    assertThat(
            Sequence.of(graph, new Problems("g")).steps().stream()
                .map(step -> step.action().id())
                .toList())
        .as("seed %d", seed)
        .containsExactlyElementsOf(order.stream().filter(id -> id.startsWith("a")).toList());
  }

  @Property(tries = 200)
  void one_edge_back_makes_a_cycle(
      @ForAll long seed, @ForAll @IntRange(min = 2, max = 20) int size) {
    Random random = new Random(seed);
    List<String> ids = new ArrayList<>();
    List<String> edges = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      ids.add("a" + i);
      if (i > 0) {
        edges.add("a%d>a%d".formatted(i - 1, i));
      }
    }
    int from = 1 + random.nextInt(size - 1);
    edges.add("a%d>a%d".formatted(from, random.nextInt(from)));
    Collections.shuffle(ids, random);
    Problems found = new Problems("graph");

    Sequence.of(graph(String.join(" ", ids), edges.toArray(String[]::new)), found);

    assertThat(found.list()).as("seed %d", seed).extracting(Problem::code).containsExactly("cycle");
  }
}
