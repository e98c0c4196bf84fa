package dev.signalbox.definition.mermaid;

import static dev.signalbox.definition.mermaid.Diagrams.problems;
import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.Source;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;

class MarkdownReaderTest {

  @Test
  void every_state_diagram_is_a_machine_named_after_the_heading_above_it() {
    List<Definition> found =
        read(
            """
            # Doors and windows

            ```mermaid
            stateDiagram-v2
              [*] --> Open
            ```

            ## The `Window` (v2)
            ~~~mermaid
            stateDiagram
              [*] --> Shut
            ~~~
            ```mermaid
            flowchart LR
              A --> B
            ```
            ```text
            ```mermaid
            stateDiagram-v2
            ```
            More windows
            ============
            > ```mermaid
            > stateDiagram-v2
            >   [*] --> Quoted
            > ```
            ````Mermaid
            stateDiagram-v2
              [*] --> Second
            ````
            """);

    assertThat(found)
        .extracting(d -> Diagrams.machine(d).name())
        .containsExactly("doors-and-windows", "the-window-v2", "more-windows", "more-windows-2");
  }

  @Test
  void places_are_those_of_the_markdown_text() {
    List<Definition> found =
        read("text\n\n- item\n\n  ```mermaid\n  stateDiagram-v2\n    A --> B : go\n  ```\n");

    assertThat(problems(found.getFirst())).containsExactly("error missing-start 6:3");
    Definition definition = found.getFirst();
    assertThat(definition.source().line(6)).isEqualTo("  stateDiagram-v2");
    assertThat(Diagrams.machine(definition).name()).isEqualTo("notes");
  }

  @Test
  void a_number_that_is_taken_is_not_used_again() {
    String diagram = "```mermaid\nstateDiagram-v2\n[*] --> A\n```\n";

    assertThat(read("# X 2\n" + diagram + "# X\n" + diagram + diagram + "# X 2\n" + diagram))
        .extracting(d -> Diagrams.machine(d).name())
        .doesNotHaveDuplicates();
  }

  @Test
  void a_huge_text_is_read_fast() {
    String[] huge = {
      "# a" + " ".repeat(2_000_000) + "b",
      ">".repeat(2_000_000),
      " ".repeat(2_000_000) + "-",
      "```mermaid\n".repeat(200_000),
      "```mermaid\nstateDiagram-v2\n[*] --> A\n```\n".repeat(5_000),
    };
    for (String text : huge) {
      Assertions.assertTimeoutPreemptively(Duration.ofSeconds(20), () -> read(text));
    }
  }

  private static List<Definition> read(String text) {
    return MarkdownReader.read(new Source("notes.md", text));
  }
}
