package dev.signalbox.definition.mermaid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.Graph;
import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.MachineWriter;
import dev.signalbox.definition.Problems;
import dev.signalbox.definition.Source;
import dev.signalbox.kernel.machine.Machine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The diagrams in the source documents of the systems, where these are at hand. */
class SeedsTest {

  @Test
  void every_diagram_is_read_with_all_its_arrows() throws IOException {
    assertThat(machines()).extracting(SeedsTest::edges).containsExactly(13, 16, 13, 12, 16, 25);
  }

  @ParameterizedTest
  @ValueSource(strings = {"yaml", "scxml", "mmd"})
  void every_diagram_goes_through_a_format_and_back_with_the_same_graph(String extension)
      throws IOException {
    for (Machine machine : machines()) {
      Machine back = through(machine, extension);

      assertThat(Graph.of(back).sameAs(Graph.of(machine))).as(machine.name()).isTrue();
    }
  }

  @Test
  void every_diagram_goes_through_all_formats_in_turn() throws IOException {
    for (Machine machine : machines()) {
      Machine back = through(through(through(machine, "yaml"), "scxml"), "mmd");

      assertThat(Graph.of(back).sameAs(Graph.of(machine))).as(machine.name()).isTrue();
      assertThat(edges(back)).isEqualTo(edges(machine));
    }
  }

  private static int edges(Machine machine) {
    return Graph.of(machine).edges().size();
  }

  private static Machine through(Machine machine, String extension) {
    Problems lost = new Problems(machine.name());
    String text = MachineWriter.write(machine, extension, lost);
    assertThat(lost.hasErrors()).isFalse();
    return MachineReader.read(new Source(machine.name() + "." + extension, text));
  }

  private static List<Machine> machines() throws IOException {
    String folder = System.getProperty("seeds.dir", "");
    assumeThat(folder).as("-Dseeds.dir").isNotBlank();
    List<Machine> machines = new ArrayList<>();
    for (String prefix : List.of("002", "003")) {
      Path file = file(Path.of(folder), prefix);
      for (Definition one :
          MarkdownReader.read(new Source(file.toString(), Files.readString(file)))) {
        assertThat(one.hasErrors()).as(one.toString()).isFalse();
        machines.add(Diagrams.machine(one));
      }
    }
    return machines;
  }

  private static Path file(Path folder, String prefix) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(f -> f.getFileName().toString().startsWith(prefix))
          .findFirst()
          .orElseThrow();
    }
  }
}
