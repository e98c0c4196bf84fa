package dev.signalbox.definition.mermaid;

import static dev.signalbox.definition.mermaid.Diagrams.arrows;
import static dev.signalbox.definition.mermaid.Diagrams.machine;
import static dev.signalbox.definition.mermaid.Diagrams.names;
import static dev.signalbox.definition.mermaid.Diagrams.problems;
import static dev.signalbox.definition.mermaid.Diagrams.read;
import static dev.signalbox.definition.mermaid.Diagrams.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.Graph;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;

/** What Mermaid refuses or hardly anybody means, with the place and without harm to the rest. */
class MermaidMistakesTest {

  @Test
  void a_text_that_is_no_state_diagram_gives_no_machine() {
    assertThat(problems(text("flowchart LR\n A --> B\n")))
        .containsExactly("error not-a-state-diagram 1:1");
    assertThat(problems(text(""))).containsExactly("error not-a-state-diagram 1:1");
    assertThat(problems(text("stateDiagram-v2"))).containsExactly("error no-states 1:1");
  }

  @Test
  void reading_goes_on_after_a_line_that_cannot_be_read() {
    Definition definition =
        read("[*] --> A", "A -->", "", "A -> B", "B <-- C", "note over A", "A --> B : go");

    assertThat(problems(definition))
        .containsExactly(
            "error mermaid-syntax 3:6",
            "error mermaid-syntax 5:3",
            "error mermaid-syntax 6:4",
            "error mermaid-syntax 7:6");
    assertThat(arrows(Graph.of(machine(definition)))).contains("[*] > A", "A > B : go");
  }

  @Test
  void a_second_arrow_in_a_statement_is_an_error() {
    assertThat(problems(read("[*] --> A --> B"))).containsExactly("error mermaid-syntax 2:11");
  }

  @Test
  void a_name_with_dashes_is_an_error_and_one_state() {
    Definition definition = read("[*] --> in-doubt", "in-doubt --> B : go");

    assertThat(problems(definition))
        .containsExactly("error dash-in-name 2:9", "error dash-in-name 3:1");
    assertThat(names(Graph.of(machine(definition)))).containsExactly("in-doubt", "B");
  }

  @Test
  void a_word_of_the_language_is_no_name() {
    assertThat(problems(read("[*] --> A", "note --> A : go")))
        .containsExactly("error reserved-word 3:1");
  }

  @Test
  void a_semicolon_is_part_of_a_name() {
    Definition definition = read("[*] --> A;", "A --> B : go;");

    assertThat(problems(definition))
        .containsExactly("warning semicolon-in-name 2:9", "warning semicolon-in-name 3:13");
    assertThat(names(Graph.of(machine(definition)))).containsExactly("A;", "A", "B", ";");
  }

  @Test
  void a_bare_state_that_is_mentioned_nowhere_else_is_not_drawn() {
    Definition definition = read("[*] --> A", "state A", "state Lost");

    assertThat(problems(definition)).containsExactly("warning ignored-state 4:7");
    assertThat(names(Graph.of(machine(definition)))).containsExactly("A");
  }

  @Test
  void two_colons_in_a_label_are_an_error_and_the_label_is_whole() {
    Definition definition = read("[*] --> A", "A --> B : std::go");

    assertThat(problems(definition)).containsExactly("error double-colon 3:14");
    assertThat(arrows(Graph.of(machine(definition)))).contains("A > B : std::go");
  }

  @Test
  void a_colon_in_a_one_line_note_is_an_error() {
    assertThat(problems(read("[*] --> A", "note right of A : b: c")))
        .containsExactly("error colon-in-note 3:20");
  }

  @Test
  void what_is_opened_must_be_closed() {
    assertThat(problems(read("[*] --> A", "state A {", "B --> C : go")))
        .containsExactly("error unclosed-state 3:9", "warning missing-start 2:9");
    assertThat(problems(read("[*] --> A", "note right of A", "text")))
        .containsExactly("error unclosed-note 3:1");
    assertThat(problems(read("[*] --> A", "}"))).containsExactly("error stray-brace 3:1");
  }

  @Test
  void a_body_needs_the_word_state() {
    Definition definition = read("[*] --> A", "A {", "[*] --> B", "}");

    assertThat(problems(definition)).containsExactly("error mermaid-syntax 3:1");
    assertThat(names(Graph.of(machine(definition)))).containsExactly("A", "A/B");
  }

  @Test
  void a_state_mentioned_inside_itself_stays_where_it_is() {
    Definition definition =
        read("[*] --> A", "state A {", "[*] --> B", "B --> A : up", "}", "state B {", "A", "}");

    assertThat(problems(definition))
        .containsExactly("warning inside-itself 5:7", "warning inside-itself 8:1");
    assertThat(names(Graph.of(machine(definition)))).containsExactly("A", "A/B");
  }

  @Test
  void a_start_that_moved_elsewhere_is_an_error() {
    Definition definition =
        read("[*] --> X", "state X {", "[*] --> A", "}", "state Y {", "A --> B : go", "}");

    assertThat(problems(definition)).contains("error start-elsewhere 4:1");
  }

  @Test
  void deep_nesting_is_a_problem_and_no_crash() {
    StringBuilder deep = new StringBuilder("stateDiagram-v2\n");
    for (int i = 0; i < 5_000; i++) {
      deep.append("state S").append(i).append(" {\n");
    }
    StringBuilder chain = new StringBuilder("stateDiagram-v2\n[*] --> S0\n");
    for (int i = 0; i < 5_000; i++) {
      chain.append("state S%d {\nS%d\n}\n".formatted(i, i + 1));
    }

    assertThat(text(deep.toString()).machine()).isNull();
    assertThat(problems(text(deep.toString()))).containsExactly("error too-deep 66:11");
    assertThat(text(chain.toString()).machine()).isNull();
    assertThat(problems(text(chain.toString()))).contains("error too-deep 193:1");
  }

  @Test
  void a_huge_text_is_refused_or_read_fast() {
    String[] huge = {
      "x".repeat(MermaidReader.LONGEST + 1),
      "stateDiagram-v2\n" + "A --> B : go\n".repeat(300_000),
      "stateDiagram-v2\n" + "A-->B ".repeat(650_000),
      "stateDiagram-v2\n" + "state A { B } ".repeat(280_000),
      "stateDiagram-v2\n" + "state \"".repeat(550_000),
      "stateDiagram-v2\n" + "#".repeat(3_900_000),
      "stateDiagram-v2\n" + "A : ".repeat(950_000),
      "stateDiagram-v2\n" + "%%{".repeat(1_000_000),
      "stateDiagram-v2\n" + "<a =\"".repeat(750_000),
      "stateDiagram-v2\n" + "note right of A\n".repeat(240_000),
      "stateDiagram-v2\n" + "direction ".repeat(390_000),
      "---\n".repeat(950_000),
      " ".repeat(3_900_000) + "---\n---\nstateDiagram-v2\n",
      "stateDiagram-v2\n[*] --> A\nA --> B : " + "-".repeat(3_900_000),
      "stateDiagram-v2\n[*] --> A\nA : x" + " ".repeat(3_900_000) + "y",
      "stateDiagram-v2\naccDescr { x" + " ".repeat(3_900_000) + "}",
      "stateDiagram-v2\n[*] --> A\nA --> B : " + "very ".repeat(750_000),
    };
    for (String text : huge) {
      Assertions.assertTimeoutPreemptively(Duration.ofSeconds(20), () -> text(text));
    }
  }

  @Test
  void no_mutilated_text_makes_it_throw() {
    String[] bits = {
      "[*]",
      "-->",
      "A",
      "B",
      " : ",
      ":",
      ":::",
      "{",
      "}",
      "\n",
      " ",
      "--",
      "state ",
      "\"x\"",
      " as ",
      "<<choice>>",
      "note right of ",
      "end note",
      "%%",
      "%%{",
      "#",
      "direction LR",
      ";",
      "accDescr {",
      "classDef ",
      "click ",
      "\r",
      "\t",
      "\0",
      "🎉",
      "---\n",
      "stateDiagram-v2"
    };
    Random random = new Random(7);
    for (int i = 0; i < 20_000; i++) {
      StringBuilder text = new StringBuilder("stateDiagram-v2\n");
      for (int j = random.nextInt(30); j >= 0; j--) {
        text.append(bits[random.nextInt(bits.length)]);
      }
      assertThatCode(() -> text(text.toString())).as(text.toString()).doesNotThrowAnyException();
    }
  }
}
