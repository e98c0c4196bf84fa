package dev.signalbox.definition.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Fuzzes each target with Jazzer for some seconds, guided by coverage, in a process of its own:
 * Jazzer can fuzz only one target for each Java process. An exception, an input that hangs and a
 * process that needs more than its memory are findings. What five seconds must suffice for is
 * measured in {@link LimitsTest}, by processor time.
 *
 * <p>The quick compiler alone halves what a short run costs: most of it is the start of the
 * process. {@code -Dfuzz.seconds=600} fuzzes longer. The input of a finding is kept in {@code
 * target/fuzz}; make it a test of its reader.
 */
class FuzzTest {
  private static final int SECONDS = Integer.getInteger("fuzz.seconds", 5);

  @TempDir Path folder;

  @ParameterizedTest
  @EnumSource
  void no_text_makes_a_reader_fail(FuzzTarget target) throws Exception {
    Path findings = Files.createDirectories(Path.of("target", "fuzz").toAbsolutePath());
    Path log = folder.resolve("log.txt");
    Process process =
        new ProcessBuilder(command(target, findings))
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    int code = process.waitFor();
    List<String> lines = Files.readAllLines(log, StandardCharsets.ISO_8859_1);
    assertThat(code).as(() -> String.join("\n", important(lines))).isZero();
    assertThat(lines).anyMatch(line -> line.startsWith("Done "));
  }

  private List<String> command(FuzzTarget target, Path findings) throws IOException {
    Path seeds = Files.createDirectories(folder.resolve("seeds"));
    int number = 0;
    for (String seed : target.seeds()) {
      Files.writeString(seeds.resolve("seed" + number++), seed);
    }
    Path words = folder.resolve("words.dict");
    Files.write(words, target.words().stream().map(FuzzTest::dictionaryLine).toList());
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-Xmx1g",
        "-Xss1m",
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=" + (SECONDS < 60 ? 1 : 4),
        "-XX:+EnableDynamicAgentLoading",
        "--enable-native-access=ALL-UNNAMED",
        "--sun-misc-unsafe-memory-access=allow",
        "-D" + FuzzEntry.PROPERTY + "=" + target.name(),
        "-cp",
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
        "com.code_intelligence.jazzer.Jazzer",
        "--target_class=" + FuzzEntry.class.getName(),
        "--instrumentation_includes=" + target.instrumentation(),
        "--custom_hook_includes=" + target.instrumentation(),
        "--reproducer_path=" + findings,
        "-artifact_prefix=" + findings + "/" + target + "-",
        "-dict=" + words,
        "-max_total_time=" + SECONDS,
        "-max_len=4096",
        "-timeout=30",
        "-rss_limit_mb=0",
        "-print_final_stats=1",
        seeds.toString());
  }

  private static String dictionaryLine(String word) {
    StringBuilder line = new StringBuilder("\"");
    for (byte b : word.getBytes(StandardCharsets.UTF_8)) {
      line.append("\\x%02X".formatted(b & 0xFF));
    }
    return line.append('"').toString();
  }

  /** The finding and its stack, without the progress lines. */
  private static List<String> important(List<String> lines) {
    Stream<String> told =
        lines.stream().filter(l -> !l.startsWith("#") && !l.startsWith("INFO") && !l.isBlank());
    return told.limit(200).toList();
  }
}
