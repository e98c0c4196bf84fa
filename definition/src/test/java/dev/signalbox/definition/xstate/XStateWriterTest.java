package dev.signalbox.definition.xstate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Json;
import dev.signalbox.definition.Problem;
import dev.signalbox.definition.Problems;
import dev.signalbox.definition.Source;
import dev.signalbox.definition.mermaid.MermaidReader;
import dev.signalbox.definition.yaml.YamlReader;
import dev.signalbox.kernel.machine.Machine;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class XStateWriterTest {
  private static final Machine MACHINE =
      Objects.requireNonNull(
          YamlReader.read(
                  new Source(
                      "m.yaml",
                      """
                      machine: m
                      version: 2
                      context: { n: { type: int, default: 0 } }
                      initial: a.b
                      states:
                        a.b:
                          tools: [lint]
                          entry: [ { assign: { n: ctx.n + 1 } } ]
                          after: { 5m: Done }
                          on:
                            go: { to: P, when: ctx.n > 3, guard: enough, label: go on }
                            again: a.b
                            tick: { assign: { n: 0 } }
                          always: [ { to: Done, when: ctx.n > 9 } ]
                        P:
                          parallel: true
                          states:
                            one: { states: { x: { }, h: { history: deep, default: x } } }
                            two: { states: { y: { final: true, done: { n: ctx.n } } } }
                          on: { done.state.P: Done }
                        Done: { final: true }
                      """))
              .machine());

  @Test
  void the_machine_is_a_configuration() throws Exception {
    Map<?, ?> json = json(MACHINE, new Problems("m.json"));

    assertThat(json.get("id")).isEqualTo("m");
    assertThat(json.get("version")).isEqualTo("2");
    assertThat(json.get("initial")).isEqualTo("a.b");
    assertThat(json.get("context")).isEqualTo(Map.of("n", 0L));
  }

  @Test
  void transitions_are_grouped_by_what_they_wait_for() throws Exception {
    Map<?, ?> state = at(json(MACHINE, new Problems("m.json")), "states", "a.b");

    assertThat(at(state, "on").get("go"))
        .isEqualTo(
            List.of(
                Map.of(
                    "target", "#P",
                    "guard", Map.of("type", "enough", "params", Map.of("cel", "ctx.n > 3")),
                    "description", "go on")));
    assertThat(at(state, "on").get("again"))
        .isEqualTo(List.of(Map.of("target", "#a\\.b", "reenter", true)));
    assertThat(at(state, "after").get("300000")).isEqualTo(List.of(Map.of("target", "#Done")));
    assertThat((List<?>) state.get("always")).hasSize(1);
    assertThat(state.get("entry"))
        .isEqualTo(
            List.of(
                Map.of(
                    "type",
                    "assign",
                    "params",
                    Map.of("location", "n", "value", Map.of("cel", "ctx.n + 1")))));
    assertThat(state.get("meta")).isEqualTo(Map.of("tools", List.of("lint")));
  }

  @Test
  void kinds_are_types_and_completion_is_on_done() throws Exception {
    Map<?, ?> parallel = at(json(MACHINE, new Problems("m.json")), "states", "P");

    assertThat(parallel.get("type")).isEqualTo("parallel");
    assertThat(parallel.get("onDone")).isEqualTo(List.of(Map.of("target", "#Done")));
    assertThat(at(parallel, "states", "one", "states", "h"))
        .isEqualTo(Map.of("id", "h", "type", "history", "history", "deep", "target", "#x"));
    assertThat(at(parallel, "states", "two", "states", "y").get("type")).isEqualTo("final");
    assertThat(at(parallel, "states", "two", "states", "y").get("output"))
        .isEqualTo(Map.of("n", Map.of("cel", "ctx.n")));
  }

  @Test
  void what_xstate_cannot_say_is_a_warning() throws Exception {
    Problems lost = new Problems("m.json");
    Machine machine =
        Objects.requireNonNull(
            MermaidReader.read(
                    new Source(
                        "m.mmd",
                        "stateDiagram-v2\n[*] --> f\nstate f <<fork>>\nf --> A\nf --> B\n"))
                .machine());

    Map<?, ?> json = json(machine, lost);

    assertThat(at(json, "states", "f").get("always"))
        .isEqualTo(List.of(Map.of("target", List.of("#A", "#B"))));
    assertThat(lost.list()).extracting(Problem::code).containsExactly("beyond-xstate");
  }

  private static Map<?, ?> json(Machine machine, Problems lost) throws Exception {
    return (Map<?, ?>) Objects.requireNonNull(Json.parse(XStateWriter.write(machine, lost)));
  }

  private static Map<?, ?> at(Map<?, ?> json, String... path) {
    Map<?, ?> at = json;
    for (String key : path) {
      at = (Map<?, ?>) Objects.requireNonNull(at.get(key));
    }
    return at;
  }
}
