package dev.signalbox.definition.statelist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.Graph;
import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Problem;
import dev.signalbox.definition.Source;
import dev.signalbox.definition.check.Check;
import dev.signalbox.kernel.machine.State;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class StateListReaderTest {

  /** The states that each list names and never defines, in the order of the text. */
  private static final Map<String, List<String>> UNDEFINED =
      new LinkedHashMap<>(
          Map.of(
              "session", List.of(),
              "hypothesis",
                  List.of(
                      "FAILED_REVIEW", "FAILED_EVOLUTION", "ARCHIVED", "QUARANTINED", "DELETED"),
              "task", List.of("EXPIRED", "FAILED_TO_START", "ACKNOWLEDGED", "ARCHIVED"),
              "agent", List.of(),
              "worker", List.of("FAILED_START", "RESTARTING"),
              "resource_conflict", List.of("TIMEOUT_RELEASED")));

  private static Source lists() throws IOException {
    try (InputStream in = StateListReaderTest.class.getResourceAsStream("lists.md")) {
      return new Source(
          "lists.md",
          new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8));
    }
  }

  private static Definition one(String text) {
    return StateListReader.read(new Source("list.md", text)).getFirst();
  }

  /** For each machine the states it names and does not define, each found at its own place. */
  private static Map<String, List<String>> undefined(List<Definition> definitions) {
    Map<String, List<String>> found = new LinkedHashMap<>();
    for (Definition definition : definitions) {
      List<Problem> problems = Check.run(definition).problems();
      assertThat(problems).allMatch(p -> p.code().equals("unknown-target") && p.isError());
      found.put(
          Objects.requireNonNull(definition.machine()).name(),
          problems.stream().map(p -> at(definition.source(), p)).toList());
    }
    return found;
  }

  /** The name that stands where the problem points. */
  private static String at(Source source, Problem problem) {
    String rest = source.line(problem.place().line()).substring(problem.place().column() - 1);
    String name = rest.replaceFirst("^\"?([A-Z_]+).*$", "$1");
    assertThat(problem.message()).contains("'" + name + "'");
    return name;
  }

  @Test
  void every_state_that_is_named_and_never_defined_is_reported_where_it_is_named()
      throws IOException {
    assertThat(undefined(MachineReader.readAll(lists(), null)))
        .containsExactlyInAnyOrderEntriesOf(UNDEFINED);
  }

  @Test
  void the_specification_itself_gives_the_same() throws IOException {
    String folder = System.getProperty("seeds.dir", "");
    assumeThat(folder).as("-Dseeds.dir").isNotBlank();
    try (Stream<Path> files = Files.list(Path.of(folder))) {
      Path file =
          files.filter(f -> f.getFileName().toString().startsWith("004")).findFirst().orElseThrow();
      assertThat(undefined(MachineReader.readAll(file)))
          .containsExactlyInAnyOrderEntriesOf(UNDEFINED);
    }
  }

  @Test
  void a_list_becomes_a_machine_with_an_event_for_each_next_state() {
    Definition door =
        one(
            """
            # Doors

            ```yaml
            door_states:
              OPEN: { timeout: 5 minutes, description: Anybody may pass., next_states: [SHUT, GONE] }
              SHUT: { next_states: [OPEN] }
              GONE: { next_states: [] }
            ```
            """);

    assertThat(door.problems()).isEmpty();
    assertThat(Objects.requireNonNull(door.machine()).name()).isEqualTo("door");
    assertThat(Graph.of(door).states()).hasSize(3);
    State open = door.machine().root().children().getFirst();
    assertThat(open.note()).isEqualTo("Anybody may pass.; timeout: 5 minutes");
    assertThat(open.transitions())
        .extracting(t -> t.trigger().text() + " -> " + t.targets().getFirst())
        .containsExactly("to_SHUT -> SHUT", "to_GONE -> GONE");
    assertThat(door.machine().root().children().getLast().kind()).isEqualTo(State.Kind.FINAL);
    assertThat(door.places().of(open).line()).isEqualTo(5);
    assertThat(Check.run(door).problems()).isEmpty();
  }

  @Test
  void lists_stand_beside_diagrams() {
    List<Definition> both =
        MachineReader.readAll(
            new Source(
                "both.md",
                """
                ```mermaid
                stateDiagram-v2
                  [*] --> A
                  A --> [*]
                ```
                ```yaml
                lamp_states: { ON: { next_states: [OFF] }, OFF: { next_states: [ON] } }
                ```
                """),
            null);

    assertThat(both).extracting(d -> Objects.requireNonNull(d.machine()).name()).contains("lamp");
    assertThat(both).hasSize(2);
  }

  @Test
  void a_block_without_next_states_is_no_list() {
    assertThat(
            StateListReader.read(
                new Source(
                    "other.md",
                    """
                    ```yaml
                    door_states: { OPEN: { description: next_states are not told } }
                    ```
                    ```json
                    { "door_states": { "OPEN": { "next_states": [] } } }
                    ```
                    """)))
        .isEmpty();
  }

  @Test
  void what_is_no_list_of_names_is_a_problem_at_its_place() {
    Definition broken =
        one(
            """
            ```yaml
            door_states:
              OPEN: { next_states: [SHUT, { to: SHUT }, a b] }
              SHUT: { next_states: *alias, exits: [OPEN] }
              OPEN: { next_states: [] }
              LOST: nowhere
            ```
            """);

    assertThat(broken.problems())
        .extracting(p -> p.code() + "@" + p.place().line() + ":" + p.place().column())
        .containsExactly(
            "wrong-type@3:31",
            "wrong-type@3:45",
            "wrong-type@4:24",
            "duplicate-state@5:3",
            "wrong-type@6:9",
            "unknown-key@4:32");
  }

  @Test
  void a_block_that_is_no_yaml_is_a_problem_at_its_place() {
    Definition broken = one("text\n```yaml\na_states:\n  A: { next_states: [ }\n```\n");

    assertThat(broken.machine()).isNull();
    assertThat(broken.problems())
        .extracting(Problem::code, p -> p.place().line())
        .containsExactly(org.assertj.core.groups.Tuple.tuple("yaml-syntax", 4));
  }

  @Test
  void deep_and_long_blocks_are_read_in_bounds() {
    String deep = "```yaml\na_states:\n  A: { next_states: " + "[".repeat(5_000) + "\n```\n";
    assertThat(one(deep).problems()).isNotEmpty();

    StringBuilder wide = new StringBuilder("```yaml\na_states:\n");
    for (int i = 0; i < 12_000; i++) {
      wide.append("  S").append(i).append(": { next_states: [S").append(i / 2).append("] }\n");
    }
    assertThat(one(wide.append("```\n").toString()).problems())
        .extracting(Problem::code)
        .contains("too-many-states");
  }
}
