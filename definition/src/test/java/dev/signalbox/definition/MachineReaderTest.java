package dev.signalbox.definition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.signalbox.kernel.machine.Machine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MachineReaderTest {
  private static final String YAML =
      "machine: door\nstates: { OPEN: { on: { close: SHUT } }, SHUT: }\n";
  private static final String SCXML =
      "<scxml xmlns='http://www.w3.org/2005/07/scxml' version='1.0' name='door'>"
          + "<state id='OPEN'><transition event='close' target='SHUT'/></state>"
          + "<state id='SHUT'/></scxml>";
  private static final String MERMAID =
      "stateDiagram-v2\n  [*] --> OPEN\n  OPEN --> SHUT : close\n";
  private static final String MARKDOWN = "# Doors\n\n```mermaid\n" + MERMAID + "```\n";
  private static final String DOT = "digraph door {\n  OPEN -> SHUT [label=close];\n}\n";

  @TempDir Path folder;

  private Path file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }

  private static List<String> states(List<Definition> definitions) {
    assertThat(definitions).hasSize(1);
    Machine machine = definitions.getFirst().machine();
    assertThat(machine).as("%s", definitions.getFirst().problems()).isNotNull();
    return Objects.requireNonNull(machine).root().children().stream().map(s -> s.id()).toList();
  }

  @Test
  void the_extension_chooses_the_format() throws IOException {
    for (String name : List.of("a.yaml", "a.yml", "A.YAML")) {
      assertThat(states(MachineReader.readAll(file(name, YAML)))).contains("OPEN", "SHUT");
    }
    for (String name : List.of("a.scxml", "a.xml")) {
      assertThat(states(MachineReader.readAll(file(name, SCXML)))).contains("OPEN", "SHUT");
    }
    for (String name : List.of("a.mmd", "a.mermaid")) {
      assertThat(states(MachineReader.readAll(file(name, MERMAID)))).contains("OPEN", "SHUT");
    }
    for (String name : List.of("a.md", "a.markdown")) {
      assertThat(states(MachineReader.readAll(file(name, MARKDOWN)))).contains("OPEN", "SHUT");
    }
    for (String name : List.of("a.dot", "a.gv")) {
      assertThat(states(MachineReader.readAll(file(name, DOT)))).contains("OPEN", "SHUT");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {YAML, SCXML, MERMAID, MARKDOWN, DOT})
  void without_a_known_extension_the_content_does(String text) throws IOException {
    assertThat(states(MachineReader.readAll(file("a.txt", text)))).contains("OPEN", "SHUT");
  }

  private static String onlyProblem(List<Definition> definitions) {
    assertThat(definitions).hasSize(1);
    assertThat(definitions.getFirst().machine()).isNull();
    assertThat(definitions.getFirst().problems()).hasSize(1);
    return definitions.getFirst().problems().getFirst().message();
  }

  @Test
  void a_file_that_cannot_be_read_is_a_problem() throws IOException {
    assertThat(onlyProblem(MachineReader.readAll(folder.resolve("none.yaml"))))
        .isEqualTo("Expected a file that can be read, but there is none.");
    assertThat(onlyProblem(MachineReader.readAll(folder)))
        .isEqualTo("Expected a file, but it is a folder.");
    Path latin = folder.resolve("latin.yaml");
    Files.write(latin, "machine: größe\n".getBytes(StandardCharsets.ISO_8859_1));
    assertThat(onlyProblem(MachineReader.readAll(latin)))
        .isEqualTo("Expected text in UTF-8, but it is not.");
    byte[] large = new byte[(int) MachineReader.MOST_BYTES + 1];
    Arrays.fill(large, (byte) ' ');
    Path big = folder.resolve("big.yaml");
    Files.write(big, large);
    assertThat(onlyProblem(MachineReader.readAll(big)))
        .isEqualTo("Expected a file of at most 10 MB, but it is larger.");
    assertThat(onlyProblem(MachineReader.readAll(file("x.txt", "Dear diary\n"))))
        .contains("neither the extension nor the content");
  }

  @Test
  void a_byte_order_mark_is_no_part_of_the_text() throws IOException {
    assertThat(states(MachineReader.readAll(file("a.yaml", "\uFEFF" + YAML)))).contains("OPEN");
  }

  @Test
  void read_gives_the_machine_or_every_problem_at_once() throws IOException {
    assertThat(MachineReader.read(file("good.yaml", YAML)).name()).isEqualTo("door");
    Path bad = file("bad.yaml", "machine: m\nfoo: 1\nstates: { A: { on: { e: BAR } } }\n");
    assertThatExceptionOfType(DefinitionException.class)
        .isThrownBy(() -> MachineReader.read(bad))
        .withMessageContaining("bad.yaml:2:1: error:")
        .withMessageContaining("[unknown-key]")
        .withMessageContaining("bad.yaml:3:25: error:")
        .withMessageContaining("[unknown-target]")
        .satisfies(e -> assertThat(e.problems()).hasSize(2));
    Path two = file("two.yaml", YAML + "---\n" + YAML);
    assertThat(MachineReader.readAll(two)).hasSize(2);
    assertThatExceptionOfType(DefinitionException.class)
        .isThrownBy(() -> MachineReader.read(two))
        .withMessageContaining("[several-machines]");
  }
}
