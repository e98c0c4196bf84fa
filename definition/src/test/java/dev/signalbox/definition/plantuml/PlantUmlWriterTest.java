package dev.signalbox.definition.plantuml;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Problem;
import dev.signalbox.definition.Problems;
import dev.signalbox.definition.Source;
import dev.signalbox.definition.yaml.YamlReader;
import dev.signalbox.kernel.machine.Machine;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class PlantUmlWriterTest {

  @Test
  void a_machine_is_a_state_diagram() {
    Problems lost = new Problems("m.puml");

    assertThat(PlantUmlWriter.write(machine(), lost))
        .isEqualTo(
            """
            @startuml
            hide empty description
            title
              A machine.
            end title
            state "in-doubt" as in_doubt
            note right of in_doubt
              Nobody knows.
            end note
            state c <<choice>>
            state P {
              state one {
                state a
                state h <<history*>>
                [*] --> a
                h --> a
              }
              --
              state two {
                state b
                [*] --> b
                b --> [*]
              }
            }
            state Done
            [*] --> in_doubt
            in_doubt --> c : ask / nag
            in_doubt --> Done : after 5m
            c --> P : [ctx.n > 0]
            c --> Done
            P --> Done : leave
            Done --> [*]
            @enduml
            """);
    assertThat(lost.list()).extracting(Problem::code).containsOnly("beyond-plantuml");
    assertThat(lost.list())
        .extracting(Problem::message)
        .anyMatch(m -> m.contains("the context"))
        .anyMatch(m -> m.contains("'always' of 'c'") && m.contains("guard"));
  }

  private static Machine machine() {
    return Objects.requireNonNull(
        YamlReader.read(
                new Source(
                    "m.yaml",
                    """
                    machine: m
                    description: A machine.
                    context: { n: { type: int, default: 0 } }
                    initial: in-doubt
                    states:
                      in-doubt:
                        note: Nobody knows.
                        on: { ask nag: c }
                        after: { 5m: Done }
                      c: { point: choice, always: [ { to: P, when: ctx.n > 0 }, Done ] }
                      P:
                        parallel: true
                        states:
                          one: { initial: a, states: { a: { }, h: { history: deep, default: a } } }
                          two: { initial: b, states: { b: { final: true } } }
                        on: { leave: Done }
                      Done: { final: true }
                    """))
            .machine());
  }
}
