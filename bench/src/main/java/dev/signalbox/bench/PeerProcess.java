package dev.signalbox.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A library that is measured in a process of its own, as what it needs cannot be on our class path.
 */
public final class PeerProcess {
  private static final String MAIN = "dev.signalbox.bench.peers.PeerMain";

  private PeerProcess() {}

  /** What became of a peer. */
  public sealed interface Outcome {
    /** It was measured and printed these lines of words. */
    record Measured(List<List<String>> lines) implements Outcome {}

    /** It could not be measured. */
    record Missing(String reason) implements Outcome {}
  }

  /** Starts a peer with these words and reads what it prints, for no longer than the limit. */
  public static Outcome run(Duration limit, List<String> words)
      throws IOException, InterruptedException {
    String classPath = System.getProperty("signalbox.peers", "");
    if (classPath.isEmpty()) {
      return new Outcome.Missing("no class path for it; start the benchmark as 'signalbox bench'");
    }
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--sun-misc-unsafe-memory-access=allow");
    command.add("--enable-native-access=ALL-UNNAMED");
    command.addAll(List.of("-cp", classPath, MAIN));
    command.addAll(words);
    try (TemporaryFolder folder = TemporaryFolder.temporary("bench-peer-")) {
      Path lines = folder.path().resolve("lines");
      Path errors = folder.path().resolve("errors");
      Process process =
          new ProcessBuilder(command)
              .directory(folder.path().toFile())
              .redirectOutput(lines.toFile())
              .redirectError(errors.toFile())
              .start();
      Thread end = Thread.ofPlatform().unstarted(process::destroyForcibly);
      Runtime.getRuntime().addShutdownHook(end);
      try {
        return outcome(process, limit, lines, errors);
      } finally {
        process.destroyForcibly().waitFor();
        Runtime.getRuntime().removeShutdownHook(end);
      }
    }
  }

  private static Outcome outcome(Process process, Duration limit, Path lines, Path errors)
      throws IOException, InterruptedException {
    if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
      return new Outcome.Missing("it did not end within %d s".formatted(limit.toSeconds()));
    }
    if (process.exitValue() != 0) {
      List<String> said = Files.readAllLines(errors);
      return new Outcome.Missing(
          said.isEmpty() ? "it ended with " + process.exitValue() : said.getLast());
    }
    return new Outcome.Measured(
        Files.readAllLines(lines).stream().map(line -> List.of(line.split("\t"))).toList());
  }
}
