package dev.signalbox.definition.mermaid;

import static dev.signalbox.definition.mermaid.Diagrams.machine;
import static dev.signalbox.definition.mermaid.Diagrams.resource;
import static dev.signalbox.definition.mermaid.Diagrams.state;
import static dev.signalbox.definition.mermaid.Diagrams.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.Graph;
import dev.signalbox.definition.Problem;
import dev.signalbox.definition.Problems;
import dev.signalbox.definition.Source;
import dev.signalbox.definition.scxml.ScxmlReader;
import dev.signalbox.definition.scxml.ScxmlWriter;
import dev.signalbox.definition.yaml.YamlReader;
import dev.signalbox.definition.yaml.YamlWriter;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.State.Kind;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class MermaidWriterTest {
  private static final String EVERYTHING =
      """
      stateDiagram-v2
        accDescr { a {thing #125; }
        [*] --> Idle : boot
        state "Waits; for: you <br/> \\n#quot;now#quot;" as Idle
        Idle : second text
        Idle --> c : submit(form)
        state c <<choice>>
        c --> Work : [all well]
        c --> [*] : 50% :#58; no
        state Work {
          [*] --> Left : a
          [*] --> Right : b
          state "[H]" as back
          back --> Left
          Left --> deep
          Right --> [*]
          --
          state Inner {
            [*] --> deep
            deep --> [*] : changes direction#32;LR
          }
          Inner --> Inner
        }
        state f <<fork>>
        state j [[join]]
        Work --> f
        f --> P
        f --> Q
        P --> j
        Q --> j
        j --> Done
        Done --> [*]
        note right of Work
          the end note is not here: #quot;x#quot;
          second line %% with this
        end note
        note "as if alone" as N
      """;

  static List<String> systems() {
    return Diagrams.SYSTEMS;
  }

  @ParameterizedTest
  @MethodSource("systems")
  void a_system_s_diagram_reads_back_as_the_same_machine(String name) {
    Machine machine = machine(text(resource(name + ".mmd")));
    Problems lost = new Problems("test");

    Definition again = text(MermaidWriter.write(machine, lost));

    assertThat(lost.list()).isEmpty();
    assertThat(again.problems()).isEmpty();
    assertThat(Graph.of(machine(again)).sameAs(Graph.of(machine))).isTrue();
    assertThat(MermaidWriter.write(machine(again), lost))
        .isEqualTo(MermaidWriter.write(machine, lost));
  }

  @ParameterizedTest
  @MethodSource("systems")
  void a_diagram_goes_through_yaml_and_scxml_unharmed(String name) {
    throughYamlAndScxml(machine(text(resource(name + ".mmd"))));
  }

  @Test
  void a_diagram_with_everything_in_it_goes_through_all_formats_unharmed() {
    Machine machine = machine(text(EVERYTHING));

    String written = MermaidWriter.write(machine, new Problems("test"));

    assertThat(machine(text(written)).root()).isEqualTo(machine.root());
    assertThat(machine(text(written)).description()).isEqualTo(machine.description());
    throughYamlAndScxml(machine);
  }

  private static void throughYamlAndScxml(Machine machine) {
    Problems lost = new Problems("test");
    Definition yaml = YamlReader.read(new Source("a.yaml", YamlWriter.write(machine, lost)));
    Definition scxml =
        ScxmlReader.read(new Source("a.scxml", ScxmlWriter.write(machine, lost)), null);

    assertThat(yaml.problems()).noneMatch(Problem::isError);
    assertThat(machine(yaml)).isEqualTo(machine);
    assertThat(scxml.problems()).noneMatch(Problem::isError);
    assertThat(Graph.of(machine(scxml)).sameAs(Graph.of(machine))).isTrue();
    assertThat(MermaidWriter.write(machine(scxml), lost))
        .isEqualTo(MermaidWriter.write(machine, lost));
  }

  @ParameterizedTest
  @ValueSource(strings = {"in-doubt", "a:b", "default", "Click", "{x}", "[*]", "%%", "état", "🎉"})
  void any_id_survives(String id) {
    Machine machine =
        yaml(
            """
            machine: m
            initial: "A"
            states:
              A: { on: { go: "%s" } }
              "%s": { final: true }
            """
                .formatted(id, id));

    Definition again = text(MermaidWriter.write(machine, new Problems("test")));

    assertThat(again.problems()).isEmpty();
    assertThat(Graph.of(machine(again)).sameAs(Graph.of(machine))).isTrue();
  }

  @Test
  void what_the_diagram_cannot_say_is_a_warning_with_the_element_s_name() {
    Machine machine =
        yaml(
            """
            machine: m
            version: 3
            context: { n: { type: int, default: 0 } }
            initial: A
            states:
              A:
                entry: [ { assign: { n: ctx.n + 1 } } ]
                tools: [lint]
                after: { 5m: B }
                on:
                  go: { to: B, when: ctx.n > 3, guard: enough }
                  tick: { assign: { n: 0 } }
              B: { final: true }
            """);
    Problems lost = new Problems("test");

    String written = MermaidWriter.write(machine, lost);

    assertThat(written)
        .contains("A --> B : go [enough]", "A --> A : tick", "A --> B : after 5m", "B --> [*]");
    assertThat(lost.list()).extracting(Problem::code).containsOnly("beyond-mermaid");
    assertThat(lost.list())
        .extracting(Problem::message)
        .anyMatch(m -> m.contains("machine 'm'") && m.contains("version 3, the context"))
        .anyMatch(m -> m.contains("state 'A'") && m.contains("entry actions, its tools"))
        .anyMatch(m -> m.contains("'go' of 'A'") && m.contains("guard"))
        .anyMatch(m -> m.contains("'tick' of 'A'") && m.contains("leaves no state"));
    assertThat(Graph.of(machine(text(written))).sameAs(Graph.of(machine))).isTrue();
  }

  @Test
  void named_regions_and_history_read_back_as_what_they_were() {
    Machine machine =
        yaml(
            """
            machine: m
            initial: P
            states:
              P:
                parallel: true
                states:
                  one: { initial: a, states: { a: { on: { go: b } }, b: { }, h: { history: deep, default: a } } }
                  two: { states: { c: { on: { go: d } }, d: { final: true } } }
                on: { done.state.P: End, leave: [ { to: End, when: "true" } ] }
              End: { final: true }
            """);

    Machine again = machine(text(MermaidWriter.write(machine, new Problems("test"))));

    assertThat(Graph.of(again).sameAs(Graph.of(machine))).isTrue();
    assertThat(state(again, "P").children()).extracting("id").containsExactly("one", "two");
    assertThat(state(again, "h").kind()).isEqualTo(Kind.DEEP_HISTORY);
  }

  private static Machine yaml(String text) {
    Definition definition = YamlReader.read(new Source("m.yaml", text));
    assertThat(definition.problems()).noneMatch(Problem::isError);
    return machine(definition);
  }
}
