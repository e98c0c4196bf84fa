package dev.signalbox.definition.mermaid;

import static dev.signalbox.definition.mermaid.Diagrams.arrows;
import static dev.signalbox.definition.mermaid.Diagrams.graph;
import static dev.signalbox.definition.mermaid.Diagrams.machine;
import static dev.signalbox.definition.mermaid.Diagrams.names;
import static dev.signalbox.definition.mermaid.Diagrams.only;
import static dev.signalbox.definition.mermaid.Diagrams.problems;
import static dev.signalbox.definition.mermaid.Diagrams.read;
import static dev.signalbox.definition.mermaid.Diagrams.resource;
import static dev.signalbox.definition.mermaid.Diagrams.state;
import static dev.signalbox.definition.mermaid.Diagrams.text;
import static dev.signalbox.definition.mermaid.Diagrams.transitions;
import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.Graph;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.State.Kind;
import dev.signalbox.kernel.machine.Transition;
import dev.signalbox.kernel.machine.Trigger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MermaidReaderTest {

  @ParameterizedTest
  @CsvSource({
    "turn, 6, 13",
    "tool, 8, 16",
    "session, 7, 13",
    "agent, 5, 12",
    "autonomy, 7, 16",
    "plan, 13, 25"
  })
  void a_system_s_diagram_has_all_its_states_and_arrows(String name, int states, int edges) {
    Definition definition = text(resource(name + ".mmd"));

    Graph graph = Graph.of(machine(definition));
    assertThat(definition.problems()).isEmpty();
    assertThat(graph.states()).hasSize(states);
    assertThat(graph.edges()).hasSize(edges);
  }

  @Test
  void a_machine_is_named_after_its_file() {
    Machine machine = machine("[*] --> A");

    assertThat(machine.name()).isEqualTo("test");
    assertThat(machine.version()).isEqualTo(1);
    assertThat(machine.mode()).isEqualTo(Machine.Mode.STRICT);
  }

  @Test
  void the_start_dot_is_the_initial_transition() {
    Machine machine = machine("[*] --> A : boot", "A --> B : go");

    assertThat(machine.root().initial()).isEqualTo(Transition.to("A").labelled("boot"));
  }

  @Test
  void a_state_whose_only_way_out_is_the_end_dot_is_final() {
    Machine machine = machine("[*] --> A", "A --> B : go", "B --> [*]");

    assertThat(state(machine, "B").kind()).isEqualTo(Kind.FINAL);
    assertThat(state(machine, "B").transitions()).isEmpty();
  }

  @Test
  void a_labelled_way_to_the_end_dot_is_a_transition_to_an_implicit_final_state() {
    Machine machine = machine("[*] --> A", "A --> [*] : stop");

    assertThat(transitions(machine, "A")).containsExactly("stop > $end");
    assertThat(state(machine, "$end").kind()).isEqualTo(Kind.FINAL);
    assertThat(arrows(Graph.of(machine))).containsExactly("[*] > A", "A > [*] : stop");
    assertThat(names(Graph.of(machine))).containsExactly("A");
  }

  @Test
  void an_end_dot_beside_other_ways_out_is_a_transition_too() {
    Machine machine = machine("[*] --> A", "A --> B : go", "A --> [*]", "B --> A : back");

    assertThat(transitions(machine, "A")).containsExactly("go > B", " > $end");
  }

  @Test
  void a_state_inside_a_box_ends_the_box() {
    Machine machine =
        machine("[*] --> Box", "state Box {", "[*] --> In", "In --> [*]", "}", "Box --> Out");

    assertThat(state(machine, "In").kind()).isEqualTo(Kind.FINAL);
    assertThat(transitions(machine, "Box")).containsExactly("done.state.Box > Out");
  }

  @Test
  void the_dot_of_a_box_is_its_own() {
    Machine machine = machine("[*] --> Box", "state Box {", "[*] --> In", "In --> [*] : stop", "}");

    assertThat(transitions(machine, "In")).containsExactly("stop > Box.$end");
    assertThat(state(machine, "Box").children()).extracting("id").contains("In", "Box.$end");
  }

  @Test
  void an_unlabelled_arrow_is_taken_at_once() {
    Machine machine = machine("[*] --> A", "A --> B");

    assertThat(only(machine, "A").trigger()).isEqualTo(new Trigger.Always());
  }

  @Test
  void boxes_nest_and_a_reopened_box_grows() {
    Machine machine =
        machine(
            "[*] --> Outer",
            "state Outer {",
            "  [*] --> Inner",
            "  state \"The inner one\" as Inner {",
            "    [*] --> Leaf",
            "  }",
            "}",
            "state Outer {",
            "  [*] --> Late : again",
            "}");

    assertThat(names(Graph.of(machine)))
        .containsExactly("Outer", "Outer/Inner", "Inner/Leaf", "Outer/Late");
    assertThat(state(machine, "Outer").kind()).isEqualTo(Kind.STATE);
    assertThat(state(machine, "Outer.$start").transitions()).hasSize(2);
  }

  @Test
  void the_last_mention_inside_a_box_decides_where_a_state_belongs() {
    Graph graph =
        graph("[*] --> X", "state X {", "A --> B", "}", "state Y {", "B --> C", "}", "B --> A");

    assertThat(names(graph)).containsExactly("X", "X/A", "Y", "Y/B", "Y/C");
  }

  @Test
  void dashes_part_a_box_into_regions() {
    Machine machine =
        machine(
            "[*] --> Both",
            "state Both {",
            "  [*] --> A",
            "  A --> A2 : a",
            "  --",
            "  [*] --> B",
            "  B --> [*] : b",
            "}");

    assertThat(state(machine, "Both").kind()).isEqualTo(Kind.PARALLEL);
    assertThat(state(machine, "Both").children())
        .extracting("id")
        .containsExactly("Both.region1", "Both.region2");
    assertThat(names(Graph.of(machine))).containsExactly("Both", "Both/A", "Both/A2", "Both/B");
    assertThat(arrows(Graph.of(machine)))
        .containsExactly("[*] > Both", "[*] > A", "A > A2 : a", "[*] > B", "B > [*] : b");
  }

  @Test
  void a_region_that_is_one_box_is_that_box() {
    Machine machine =
        machine("[*] --> P", "state P {", "state R {", "[*] --> A", "}", "--", "S", "}");

    assertThat(state(machine, "P").children()).extracting("id").containsExactly("R", "S");
  }

  @Test
  void points_are_known_in_both_brackets_and_before_or_after_their_use() {
    Machine machine =
        machine(
            "[*] --> c",
            "state c <<choice>>",
            "state f [[fork]]",
            "state j <<JOIN>>",
            "c --> f : yes",
            "f --> A",
            "f --> B",
            "A --> j",
            "B --> j");

    assertThat(state(machine, "c").kind()).isEqualTo(Kind.CHOICE);
    assertThat(state(machine, "f").kind()).isEqualTo(Kind.FORK);
    assertThat(state(machine, "j").kind()).isEqualTo(Kind.JOIN);
  }

  @Test
  void notes_and_descriptions_become_the_state_s_note() {
    Machine machine =
        machine(
            "[*] --> A",
            "state \"Waiting for it\" as A",
            "A : and waiting",
            "note right of A : hurry",
            "note left of A",
            "  two",
            "    lines",
            "end note",
            "note \"by the way\" as N");

    assertThat(state(machine, "A").note())
        .isEqualTo("\"Waiting for it\"\n\"and waiting\"\nhurry\n\ntwo\nlines");
    assertThat(machine.root().note()).isEqualTo("by the way");
  }

  @Test
  void titles_become_the_description_and_styling_is_dropped() {
    Definition definition =
        text(
            """
            ---
            title: Door
            config:
              theme: dark
            ---
            %%{init: {"theme": "forest"}}%%
            stateDiagram-v2
              direction LR
              %% a comment --> B
              accTitle: A door
              accDescr {
                Opens
                and closes
              }
              hide empty description
              scale 350 width
              classDef red fill:#f00,color:white;
              [*] --> Open:::red
              Open --> Shut:::red : push %% no comment here
              class Open, Shut red
              style Shut stroke:#333
              click Open "https://example.org" "more"
            """);

    assertThat(definition.problems()).isEmpty();
    assertThat(machine(definition).description()).isEqualTo("Door\nA door\nOpens\nand closes");
    assertThat(arrows(Graph.of(machine(definition))))
        .containsExactly("[*] > Open", "Open > Shut : push %% no comment here");
  }

  @Test
  void statements_need_no_line_of_their_own_and_no_spaces() {
    Graph graph = graph("[*]-->A A-->B:x", "state Box{ C-->D }", "B --> ", "Box");

    assertThat(arrows(graph)).containsExactly("[*] > A", "A > B : x", "B > Box", "C > D");
  }

  @Test
  void carriage_returns_tabs_and_other_scripts_are_no_obstacle() {
    Definition definition = text("stateDiagram\r\n\t[*] --> начало\r\n\tначало --> 終 : すすむ\r\n");

    assertThat(definition.problems()).isEmpty();
    assertThat(arrows(Graph.of(machine(definition))))
        .containsExactly("[*] > начало", "начало > 終 : すすむ");
  }

  @Test
  void coded_characters_and_line_breaks_are_decoded() {
    Machine machine = machine("[*] --> A", "A --> B : say #quot;yes#quot;#59;<br/>then\\ngo");

    assertThat(only(machine, "A").label()).isEqualTo("say \"yes\";\nthen\ngo");
  }

  @Test
  void history_is_a_state_named_or_shown_as_such() {
    Machine machine =
        machine(
            "[*] --> X",
            "state X {",
            "  [*] --> A",
            "  state \"[H*]\" as deep",
            "  deep --> A",
            "  [H]",
            "}",
            "Y --> [H] : back");

    assertThat(state(machine, "deep").kind()).isEqualTo(Kind.DEEP_HISTORY);
    assertThat(state(machine, "deep").initial()).isNotNull();
    assertThat(state(machine, "[H]").kind()).isEqualTo(Kind.SHALLOW_HISTORY);
  }

  @Test
  void several_labelled_starts_are_chosen_by_an_event() {
    Definition definition = read("[*] --> A : create", "[*] --> B : restore", "A --> B : go");

    assertThat(definition.problems()).isEmpty();
    assertThat(transitions(machine(definition), "$start"))
        .containsExactly("create > A", "restore > B");
    assertThat(arrows(Graph.of(machine(definition))))
        .containsExactly("[*] > A : create", "[*] > B : restore", "A > B : go");
  }

  @Test
  void two_unlabelled_starts_are_ambiguous_and_both_are_kept() {
    Definition definition = read("[*] --> A", "[*] --> B");

    assertThat(problems(definition)).containsExactly("error ambiguous-start 3:1");
    assertThat(arrows(Graph.of(machine(definition)))).containsExactly("[*] > A", "[*] > B");
  }

  @Test
  void a_missing_start_is_an_error_and_adds_no_arrow() {
    Definition definition = read("A --> B : go");

    assertThat(problems(definition)).containsExactly("error missing-start 1:1");
    assertThat(machine(definition).root().initial()).isNull();
    assertThat(machine(definition).root().children().getFirst().id()).isEqualTo("A");
  }

  @Test
  void a_box_without_a_start_is_a_warning_only_when_it_is_entered_as_a_whole() {
    Definition whole = read("[*] --> X", "state X {", "A --> B : go", "}");
    Definition inside = read("[*] --> A", "state X {", "A --> B : go", "}");

    assertThat(problems(whole)).containsExactly("warning missing-start 2:9");
    assertThat(problems(inside)).isEmpty();
  }

  @Test
  void two_unlabelled_ways_out_are_an_error_and_from_a_choice_a_warning() {
    assertThat(problems(read("[*] --> A", "A --> B", "A --> C")))
        .containsExactly("error unlabelled-fan-out 4:1");
    assertThat(problems(read("[*] --> c", "state c <<choice>>", "c --> B", "c --> C")))
        .containsExactly("warning unlabelled-fan-out 5:1");
    assertThat(problems(read("[*] --> f", "state f <<fork>>", "f --> B", "f --> C"))).isEmpty();
  }

  @Test
  void the_places_of_states_and_transitions_are_kept() {
    Definition definition = read("[*] --> A", "  A --> B : go");
    Machine machine = machine(definition);

    assertThat(definition.places().of(state(machine, "B"))).hasToString("Place[line=3, column=9]");
    assertThat(definition.places().of(only(machine, "A"))).hasToString("Place[line=3, column=3]");
  }
}
