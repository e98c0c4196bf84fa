package dev.signalbox.definition.mermaid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.Graph;
import dev.signalbox.definition.Source;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The diagrams in the source documents of the systems, where these are at hand. */
class SeedsTest {

  @Test
  void every_diagram_is_read_with_all_its_arrows() throws IOException {
    String folder = System.getProperty("seeds.dir", "");
    assumeThat(folder).as("-Dseeds.dir").isNotBlank();

    assertThat(edges(folder, "002")).containsExactly(13, 16, 13, 12, 16);
    assertThat(edges(folder, "003")).containsExactly(25);
  }

  private static List<Integer> edges(String folder, String prefix) throws IOException {
    Path file;
    try (Stream<Path> files = Files.list(Path.of(folder))) {
      file =
          files
              .filter(f -> f.getFileName().toString().startsWith(prefix))
              .findFirst()
              .orElseThrow();
    }
    List<Definition> definitions =
        MarkdownReader.read(new Source(file.toString(), Files.readString(file)));
    assertThat(definitions).noneMatch(Definition::hasErrors);
    return definitions.stream()
        .map(d -> Graph.of(Objects.requireNonNull(d.machine())).edges().size())
        .toList();
  }
}
