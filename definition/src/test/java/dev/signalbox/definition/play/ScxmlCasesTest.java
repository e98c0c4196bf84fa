package dev.signalbox.definition.play;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Plays small machines that each ask one thing of SCXML 1.0. The number in front is that of the
 * case in W3C's plan that asks for the same; a file that ends in {@code -child} belongs to another.
 */
class ScxmlCasesTest {

  static Path folder(String name) throws URISyntaxException {
    return Path.of(Objects.requireNonNull(ScxmlCasesTest.class.getResource(name)).toURI());
  }

  private static List<Path> cases() throws IOException, URISyntaxException {
    try (Stream<Path> files = Files.list(folder("/scxml"))) {
      return files
          .filter(file -> file.toString().endsWith(".scxml"))
          .filter(file -> !file.toString().endsWith("-child.scxml"))
          .sorted()
          .toList();
    }
  }

  @TestFactory
  Stream<DynamicTest> every_case_reaches_pass() throws IOException, URISyntaxException {
    return cases().stream()
        .map(file ->
            DynamicTest.dynamicTest(
                String.valueOf(file.getFileName()), () -> W3cConformanceTest.passes(file)));
  }

  @Test
  void there_are_cases() throws IOException, URISyntaxException {
    assertThat(cases()).hasSizeGreaterThan(60);
  }
}
