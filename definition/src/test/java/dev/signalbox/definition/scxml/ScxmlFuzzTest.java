package dev.signalbox.definition.scxml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.Problems;
import dev.signalbox.definition.Source;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Breaks good texts at random: whatever comes of it, reading gives an answer. */
class ScxmlFuzzTest {
  private static final List<String> SCRAPS =
      List.of(
          "<",
          ">",
          "/>",
          "</state>",
          "<state>",
          "<if cond='",
          "\"",
          "'",
          "&",
          "&lt;",
          "&#0;",
          "<![CDATA[",
          "]]>",
          "<!--",
          "-->",
          "<?x",
          "?>",
          "\u0000",
          "\ud800",
          " id='s'",
          "xmlns='",
          "sb:literal='expr'",
          "<!DOCTYPE a>",
          "\r\n",
          "<content>",
          "{",
          "[1,");

  private static List<String> texts() throws IOException, URISyntaxException {
    Path folder =
        Path.of(Objects.requireNonNull(ScxmlFuzzTest.class.getResource("/scxml")).toURI());
    List<String> texts = new ArrayList<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.sorted().toList()) {
        texts.add(Files.readString(file));
      }
    }
    for (long seed = 0; seed < 20; seed++) {
      texts.add(ScxmlWriter.write(new OddMachines(seed).machine(1), new Problems("odd")));
    }
    return texts;
  }

  @Test
  void any_text_gives_an_answer() throws IOException, URISyntaxException {
    List<String> texts = texts();
    for (long seed = 0; seed < 4_000; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      String text = broken(texts.get(random.nextInt(texts.size())), random);
      assertThatCode(
              () -> {
                Definition definition = ScxmlReader.read(new Source("x.scxml", text), null);
                assertThat(definition.machine() != null || definition.hasErrors()).isTrue();
              })
          .as("seed %d", seed)
          .doesNotThrowAnyException();
    }
  }

  private static String broken(String text, SplittableRandom random) {
    StringBuilder out = new StringBuilder(text);
    int times = 1 + random.nextInt(3);
    for (int i = 0; i < times; i++) {
      int at = random.nextInt(out.length() + 1);
      int to = Math.min(out.length(), at + random.nextInt(12));
      switch (random.nextInt(4)) {
        case 0 -> out.delete(at, to);
        case 1 -> out.insert(at, SCRAPS.get(random.nextInt(SCRAPS.size())));
        case 2 -> out.replace(at, to, SCRAPS.get(random.nextInt(SCRAPS.size())));
        default -> out.insert(random.nextInt(out.length() + 1), out.substring(at, to));
      }
    }
    return out.toString();
  }
}
