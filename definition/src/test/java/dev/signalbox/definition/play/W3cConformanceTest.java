package dev.signalbox.definition.play;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.Json;
import dev.signalbox.definition.Problem;
import dev.signalbox.definition.Source;
import dev.signalbox.definition.check.Check;
import dev.signalbox.definition.scxml.ScxmlReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.function.ThrowingConsumer;

/**
 * Plays the cases of the W3C SCXML 1.0 Implementation Report Plan in the folder that the system
 * property {@code w3c.dir} names, as in {@code mvn test -Dw3c.dir=…}. A case passes when its
 * machine ends in the state {@code pass}.
 */
class W3cConformanceTest {

  private static final String FOLDER = System.getProperty("w3c.dir", "");

  private static final Set<String> UNREACHED = Set.of("never-reached", "unreachable-state");

  /** Shows as skipped where no cases were given, so that nobody takes silence for success. */
  @Test
  void the_property_w3c_dir_names_a_folder_with_cases() {
    assumeFalse(FOLDER.isBlank(), "the property w3c.dir names no folder with W3C cases");
    assertThat(Path.of(FOLDER, "tests.json")).exists();
  }

  @TestFactory
  Stream<DynamicTest> every_case_of_the_plan_reaches_pass() throws Exception {
    return cases(W3cConformanceTest::passes);
  }

  /** What is an error event in W3C's meaning is no error of the machine. */
  @TestFactory
  Stream<DynamicTest> no_case_of_the_plan_has_errors_or_is_said_to_miss_pass() throws Exception {
    return cases(W3cConformanceTest::isSound);
  }

  private static Stream<DynamicTest> cases(ThrowingConsumer<Path> test) throws Exception {
    if (FOLDER.isBlank()) {
      return Stream.of();
    }
    Path cases = Path.of(FOLDER);
    Object list = Json.parse(Files.readString(cases.resolve("tests.json")));
    return ((List<?>) Objects.requireNonNull(list))
        .stream()
            .map(item -> {
              Map<?, ?> entry = (Map<?, ?>) Objects.requireNonNull(item);
              List<?> files = (List<?>) Objects.requireNonNull(entry.get("files"));
              Path file = cases.resolve(String.valueOf(files.getFirst()));
              String name = entry.get("test") + " " + entry.get("spec_section");
              return DynamicTest.dynamicTest(name, () -> test.accept(file));
            });
  }

  private static void isSound(Path file) throws IOException {
    Definition definition =
        ScxmlReader.read(new Source(file.toString(), Files.readString(file)), file.getParent());
    assertThat(Check.run(definition).problems())
        .filteredOn(p -> p.isError() || UNREACHED.contains(p.code()))
        .extracting(p -> p.render(definition.source()))
        .allMatch(text -> text.contains("warning") && !text.contains("'pass'"));
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
