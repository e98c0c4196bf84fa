package dev.signalbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A copy of examples/frozen-plan in a folder, with the project that it creates. */
final class FrozenExample {
  private static final Path EXAMPLE =
      Path.of(System.getProperty("project.root")).resolve("examples/frozen-plan");

  private FrozenExample() {}

  static void copyTo(Path folder) throws IOException, InterruptedException {
    Files.createDirectories(folder.resolve("plan"));
    try (Stream<Path> files = Files.walk(EXAMPLE)) {
      for (Path file : files.filter(FrozenExample::isShipped).toList()) {
        Files.copy(file, folder.resolve(EXAMPLE.relativize(file).toString()));
      }
    }
    Process created =
        new ProcessBuilder("sh", "create.sh", "project").directory(folder.toFile()).start();
    assertThat(created.waitFor(60, TimeUnit.SECONDS)).isTrue();
  }

  /** Whoever has tried the example has a project and a store there too. */
  private static boolean isShipped(Path file) {
    Path inside = EXAMPLE.relativize(file);
    return Files.isRegularFile(file) && (inside.getNameCount() == 1 || inside.startsWith("plan"));
  }

  /** What starts it over HTTP. */
  static Map<String, String> texts(Path folder) throws IOException {
    return Map.of(
        "manifest",
        Files.readString(folder.resolve("plan/manifest.json")),
        "graph",
        Files.readString(folder.resolve("plan/execution_graph.json")),
        "tools",
        Files.readString(folder.resolve("tools.yaml")));
  }
}
