package dev.signalbox.definition.play;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.Json;
import dev.signalbox.definition.Problems;
import dev.signalbox.definition.Source;
import dev.signalbox.definition.yaml.YamlReader;
import dev.signalbox.kernel.machine.Machine;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Plays the folders under {@code play}: a definition, the events it is given, and the transcript
 * that is expected. A {@code "*"} in the transcript stands for any text, where the wording is
 * another's.
 */
class PlayCasesTest {

  @TestFactory
  Stream<DynamicTest> every_folder_gives_its_transcript() throws IOException, URISyntaxException {
    List<Path> folders;
    try (Stream<Path> found = Files.list(ScxmlCasesTest.folder("/play"))) {
      folders = found.sorted().toList();
    }
    assertThat(folders).hasSizeGreaterThan(5);
    return folders.stream()
        .map(folder ->
            DynamicTest.dynamicTest(String.valueOf(folder.getFileName()), () -> compare(folder)));
  }

  private static void compare(Path folder) throws Exception {
    List<String> actual = play(folder);
    List<String> expected = Files.readAllLines(folder.resolve("expected.jsonl"));
    for (int i = 0; i < Math.min(actual.size(), expected.size()); i++) {
      if (!matches(Json.parse(expected.get(i)), Json.parse(actual.get(i)))) {
        fail("Line %d. Expected:\n%s\nbut was:\n%s", i + 1, expected.get(i), actual.get(i));
      }
    }
    assertThat(actual).hasSameSizeAs(expected);
  }

  private static List<String> play(Path folder) throws IOException {
    Definition definition =
        YamlReader.read(
            new Source("definition.yaml", Files.readString(folder.resolve("definition.yaml"))));
    assertThat(definition.problems()).isEmpty();
    Machine machine = Objects.requireNonNull(definition.machine());
    Problems problems = new Problems("events.jsonl");
    List<Stimulus> events =
        StimulusReader.read(
            new Source("events.jsonl", Files.readString(folder.resolve("events.jsonl"))), problems);
    assertThat(problems.list()).isEmpty();
    Transcript transcript =
        new Playground(machine, new MachineLibrary(List.of(machine), folder)).play(events);
    List<String> lines = new ArrayList<>();
    transcript.entries().forEach(entry -> lines.add(Json.text(entry.json())));
    lines.add(Json.text(transcript.summary("definition.yaml")));
    return lines;
  }

  private static boolean matches(@Nullable Object expected, @Nullable Object actual) {
    if ("*".equals(expected)) {
      return actual instanceof String text && !text.isBlank();
    }
    if (expected instanceof Map<?, ?> map && actual instanceof Map<?, ?> other) {
      return map.keySet().equals(other.keySet())
          && map.keySet().stream().allMatch(key -> matches(map.get(key), other.get(key)));
    }
    if (expected instanceof List<?> list && actual instanceof List<?> other) {
      boolean same = list.size() == other.size();
      for (int i = 0; same && i < list.size(); i++) {
        same = matches(list.get(i), other.get(i));
      }
      return same;
    }
    return Objects.equals(expected, actual);
  }
}
