package dev.signalbox.definition.play;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.Json;
import dev.signalbox.definition.Problem;
import dev.signalbox.definition.Source;
import dev.signalbox.definition.scxml.ScxmlReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Plays the cases of the W3C SCXML 1.0 Implementation Report Plan in the folder that the system
 * property {@code w3c.dir} names, as in {@code mvn test -Dw3c.dir=…}. A case passes when its
 * machine ends in the state {@code pass}.
 */
class W3cConformanceTest {

  private static final String FOLDER = System.getProperty("w3c.dir", "");

  /** Shows as skipped where no cases were given, so that nobody takes silence for success. */
  @Test
  void the_property_w3c_dir_names_a_folder_with_cases() {
    assumeFalse(FOLDER.isBlank(), "the property w3c.dir names no folder with W3C cases");
    assertThat(Path.of(FOLDER, "tests.json")).exists();
  }

  @TestFactory
  Stream<DynamicTest> every_case_of_the_plan_reaches_pass() throws Exception {
    if (FOLDER.isBlank()) {
      return Stream.of();
    }
    Path cases = Path.of(FOLDER);
    Object list = Json.parse(Files.readString(cases.resolve("tests.json")));
    return ((List<?>) Objects.requireNonNull(list))
        .stream()
            .map(item -> {
              Map<?, ?> test = (Map<?, ?>) Objects.requireNonNull(item);
              List<?> files = (List<?>) Objects.requireNonNull(test.get("files"));
              Path file = cases.resolve(String.valueOf(files.getFirst()));
              String name = test.get("test") + " " + test.get("spec_section");
              return DynamicTest.dynamicTest(name, () -> passes(file));
            });
  }

  static void passes(Path file) throws IOException {
    Definition definition =
        ScxmlReader.read(new Source(file.toString(), Files.readString(file)), file.getParent());
    assertThat(definition.problems().stream().map(Problem::message)).isEmpty();
    MachineLibrary library = new MachineLibrary(List.of(), file.getParent());
    Transcript transcript =
        new Playground(Objects.requireNonNull(definition.machine()), library).play(List.of());
    StringBuilder lines = new StringBuilder();
    transcript.entries().forEach(entry -> lines.append(Json.text(entry.json())).append('\n'));
    assertThat(transcript.states()).as(lines.toString()).containsExactly("pass");
  }
}
