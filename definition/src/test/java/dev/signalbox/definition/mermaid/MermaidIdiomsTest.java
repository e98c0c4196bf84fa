package dev.signalbox.definition.mermaid;

import static dev.signalbox.definition.mermaid.Diagrams.arrows;
import static dev.signalbox.definition.mermaid.Diagrams.graph;
import static dev.signalbox.definition.mermaid.Diagrams.machine;
import static dev.signalbox.definition.mermaid.Diagrams.names;
import static dev.signalbox.definition.mermaid.Diagrams.problems;
import static dev.signalbox.definition.mermaid.Diagrams.read;
import static dev.signalbox.definition.mermaid.Diagrams.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.Graph;
import org.junit.jupiter.api.Test;

/** Habits of people who draw, each read as Mermaid's own parser reads it. */
class MermaidIdiomsTest {

  @Test
  void names_may_look_like_calls() {
    Graph graph = graph("[*] --> Show(1)", "Show(1) --> Say(R,n): 8s", "Say(R,n) --> [*]");

    assertThat(names(graph)).containsExactly("Show(1)", "Say(R,n)");
    assertThat(graph.edges()).hasSize(3);
  }

  @Test
  void words_of_other_languages_are_plain_names() {
    Graph graph = graph("[*] --> default", "default --> auto : gate", "auto --> END : x");

    assertThat(names(graph)).containsExactly("default", "auto", "END");
  }

  @Test
  void a_style_may_hang_on_either_end_before_the_label() {
    Graph graph =
        graph("[*] --> queued:::fresh", "queued:::fresh --> gone:::old : repository archived");

    assertThat(names(graph)).containsExactly("queued", "gone");
    assertThat(arrows(graph))
        .containsExactly("[*] > queued", "queued > gone : repository archived");
  }

  @Test
  void a_label_may_look_like_an_option_an_arrow_a_path_or_markup() {
    Graph graph =
        graph(
            "[*] --> A",
            "A --> B : --skip-everything",
            "B --> A : /plan or a toggle",
            "A --> C : sent,<br/>then \"kept\" (n < 3)",
            "C --> A : → next · every 30 s");

    assertThat(names(graph)).containsExactly("A", "B", "C");
    assertThat(graph.edges()).hasSize(5);
  }

  @Test
  void comments_and_settings_may_stand_before_the_header() {
    Definition definition =
        text(
            """
            ---
            config:
              theme: neutral
            ---
            %% kind: task|one|two
            %%{init: {"theme": "dark"}}%%

                stateDiagram-v2
                direction LR
                [*] --> A
            """);

    assertThat(arrows(Graph.of(machine(definition)))).containsExactly("[*] > A");
  }

  @Test
  void notes_may_hold_anything_up_to_their_end() {
    Graph graph =
        graph(
            "[*] --> A",
            "note right of A",
            "  - costs ~$0.02 (= x); see y --> z",
            "  state { }",
            "end note",
            "A --> B : go",
            "note left of B : short");

    assertThat(names(graph)).containsExactly("A", "B");
    assertThat(arrows(graph)).containsExactly("[*] > A", "A > B : go");
  }

  @Test
  void a_chain_of_arrows_is_refused_by_mermaid_and_an_error_here() {
    assertThat(problems(read("[*] --> A --> B --> [*]"))).anyMatch(p -> p.startsWith("error "));
  }
}
