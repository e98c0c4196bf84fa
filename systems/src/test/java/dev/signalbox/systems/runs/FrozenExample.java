package dev.signalbox.systems.runs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Source;
import dev.signalbox.services.Sha256;
import dev.signalbox.systems.runs.frozen.FrozenPlan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A copy of examples/frozen-plan, to run it and to spoil it. */
final class FrozenExample {
  private static final Path EXAMPLE =
      Path.of(System.getProperty("project.root")).resolve("examples/frozen-plan");

  final Path folder;
  final Path plan;

  private FrozenExample(Path folder) {
    this.folder = folder;
    this.plan = folder.resolve("plan");
  }

  /** The example below a folder, with the project that it creates. */
  static FrozenExample in(Path temp) throws IOException, InterruptedException {
    Path folder = temp.toRealPath();
    Files.createDirectories(folder.resolve("plan"));
    try (Stream<Path> files = Files.walk(EXAMPLE)) {
      for (Path file : files.filter(FrozenExample::isShipped).toList()) {
        Files.copy(file, folder.resolve(EXAMPLE.relativize(file).toString()));
      }
    }
    Process created =
        new ProcessBuilder("sh", "create.sh", "project")
            .directory(folder.toFile())
            .inheritIO()
            .start();
    assertThat(created.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(created.exitValue()).isZero();
    return new FrozenExample(folder);
  }

  /** Changes a file and nothing else, so that its hash is another. */
  void spoil(String file, String from, String to) throws IOException {
    String text = Files.readString(folder.resolve(file));
    assertThat(text).contains(from);
    Files.writeString(folder.resolve(file), text.replace(from, to));
  }

  /** Changes the graph as the coordinator would: the manifest has the new hash. */
  void graph(String from, String to) throws IOException {
    String before = Sha256.hex(Files.readAllBytes(graph()));
    spoil("plan/execution_graph.json", from, to);
    spoil("plan/manifest.json", before, Sha256.hex(Files.readAllBytes(graph())));
  }

  Path graph() {
    return plan.resolve(FrozenPlan.GRAPH);
  }

  Plan read() throws IOException {
    Path tools = folder.resolve("tools.yaml");
    return FrozenPlanReader.read(
        FrozenPlan.in(plan), new Source("tools.yaml", Files.readString(tools)), folder);
  }

  /** Whoever has tried the example has a project and a store there too. */
  private static boolean isShipped(Path file) {
    Path inside = EXAMPLE.relativize(file);
    return Files.isRegularFile(file) && (inside.getNameCount() == 1 || inside.startsWith("plan"));
  }
}
