package dev.signalbox.definition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.mermaid.MermaidReader;
import dev.signalbox.definition.yaml.YamlReader;
import dev.signalbox.kernel.machine.Machine;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class GraphTest {
  private static final String MACHINE =
      """
      machine: m
      states:
        A:
          on:
            go: [ { to: B, when: "true" }, C ]
            tick: { assign: { n: 1 } }
          after: { 5m: C }
        B:
          initial: X
          states:
            X: { on: { back: A } }
            H: { history: shallow, default: X }
        C: { final: true }
      context: { n: int }
      """;

  @Test
  void every_arrow_of_a_drawing_counts() {
    Graph graph = Graph.of(machine(MACHINE));

    assertThat(graph.states())
        .containsExactly(
            new Graph.Vertex("A", ""),
            new Graph.Vertex("B", ""),
            new Graph.Vertex("X", "B"),
            new Graph.Vertex("H", "B"),
            new Graph.Vertex("C", ""));
    assertThat(graph.edges())
        .extracting(e -> e.from() + " " + e.to() + " " + e.label())
        .containsExactlyInAnyOrder(
            "[*] A ",
            "A B go",
            "A C go",
            "A A tick",
            "A C after 5m",
            "[*] X ",
            "X A back",
            "H X ",
            "C [*] ");
  }

  @Test
  void a_start_that_is_left_unsaid_counts_as_one_that_is_said() {
    assertThat(Graph.of(machine("initial: A\n" + MACHINE)).sameAs(Graph.of(machine(MACHINE))))
        .isTrue();
  }

  @Test
  void a_drawing_without_a_start_has_no_such_arrow() {
    Definition drawing =
        MermaidReader.read(new Source("m.mmd", "stateDiagram-v2\nA --> B : go\nB --> A : back"));

    assertThat(Graph.of(drawing).edges()).hasSize(2);
    assertThat(Graph.of(Objects.requireNonNull(drawing.machine())).edges()).hasSize(3);
  }

  @Test
  void labels_and_order_do_not_matter_and_places_and_arrows_do() {
    Graph graph = Graph.of(machine(MACHINE));

    assertThat(graph.sameAs(Graph.of(machine(MACHINE.replace("back:", "home:"))))).isTrue();
    assertThat(graph.sameAs(new Graph(graph.states().reversed(), graph.edges().reversed())))
        .isTrue();
    assertThat(graph.sameAs(Graph.of(machine(MACHINE.replace("back: A", "back: C"))))).isFalse();
    assertThat(graph.sameAs(new Graph(graph.states(), graph.edges().subList(1, 9)))).isFalse();
    assertThat(graph.sameAs(new Graph(List.of(), graph.edges()))).isFalse();
  }

  private static Machine machine(String text) {
    Definition definition = YamlReader.read(new Source("m.yaml", text));
    assertThat(definition.problems()).noneMatch(Problem::isError);
    return Objects.requireNonNull(definition.machine());
  }
}
