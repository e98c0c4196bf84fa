package dev.signalbox.definition.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.Source;
import dev.signalbox.definition.yaml.YamlReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What an instance really does must be within what was explored: random walks with concrete data,
 * compared with the exploration's configurations and with what it proved.
 */
class SoundnessTest {
  private static final Path SYSTEMS =
      Path.of(
          System.getProperty("project.root", ".."),
          "systems/src/main/resources/dev/signalbox/systems");

  static List<Path> machines() throws IOException {
    try (Stream<Path> files = Files.walk(SYSTEMS)) {
      return files
          .filter(f -> f.toString().endsWith(".yaml") && !f.endsWith("policy.yaml"))
          .sorted()
          .toList();
    }
  }

  @ParameterizedTest
  @MethodSource("machines")
  void a_walk_never_leaves_what_was_explored(Path file) throws IOException {
    Definition definition =
        YamlReader.read(new Source(file.getFileName().toString(), Files.readString(file)));
    Walks walks = new Walks(definition);
    for (long seed = 0; seed < 100; seed++) {
      walks.walk(seed, 40);
    }
    assertThat(walks.steps()).isGreaterThan(30);
  }
}
