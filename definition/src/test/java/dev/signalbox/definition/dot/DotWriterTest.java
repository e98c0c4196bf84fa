package dev.signalbox.definition.dot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.Graph;
import dev.signalbox.definition.Problem;
import dev.signalbox.definition.Problems;
import dev.signalbox.definition.Source;
import dev.signalbox.definition.mermaid.MermaidReader;
import dev.signalbox.definition.yaml.YamlReader;
import dev.signalbox.kernel.machine.Machine;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class DotWriterTest {

  @Test
  void a_machine_with_everything_reads_back_as_the_same_graph() {
    Machine machine =
        machine(
            MermaidReader.read(
                new Source(
                    "m.mmd",
                    """
                    stateDiagram-v2
                      [*] --> Idle : boot
                      state "Say #quot;hi#quot;" as Idle
                      state c <<choice>>
                      state f <<fork>>
                      state j <<join>>
                      Idle --> c : submit
                      c --> Both : yes
                      c --> [*] : no & out
                      state Both {
                        [*] --> A
                        A --> [*] : stop
                        state "[H*]" as back
                        --
                        state Inner {
                          [*] --> B
                          B --> [*]
                        }
                        Inner --> Inner : again
                      }
                      Both --> f
                      f --> P
                      f --> Q
                      P --> j
                      Q --> j
                      j --> Both : back \\ again
                      note right of P : a note
                    """)));

    Problems lost = new Problems("m.dot");
    Machine again = machine(read(DotWriter.write(machine, lost)));

    assertThat(lost.list()).isEmpty();
    assertThat(Graph.of(again).sameAs(Graph.of(machine))).isTrue();
    assertThat(Graph.of(again).edges()).hasSameElementsAs(Graph.of(machine).edges());
    assertThat(DotWriter.write(again, lost)).isEqualTo(DotWriter.write(machine, lost));
  }

  @Test
  void what_dot_cannot_say_is_a_warning() {
    Machine machine =
        machine(
            YamlReader.read(
                new Source(
                    "m.yaml",
                    """
                    machine: m
                    context: { n: { type: int, default: 0 } }
                    initial: in-doubt
                    states:
                      in-doubt: { on: { go: { to: B, when: ctx.n > 0 } } }
                      B: { final: true }
                    """)));
    Problems lost = new Problems("m.dot");

    String written = DotWriter.write(machine, lost);

    assertThat(lost.list()).extracting(Problem::code).containsExactly("beyond-dot", "beyond-dot");
    assertThat(Graph.of(machine(read(written))).sameAs(Graph.of(machine))).isTrue();
  }

  private static Definition read(String text) {
    return DotReader.read(new Source("m.dot", text));
  }

  private static Machine machine(Definition definition) {
    return Objects.requireNonNull(definition.machine());
  }
}
