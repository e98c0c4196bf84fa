package dev.signalbox.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** A folder on the working folder's disk that goes away with everything in it. */
public record TemporaryFolder(Path path) implements AutoCloseable {

  public static TemporaryFolder temporary(String prefix) throws IOException {
    return new TemporaryFolder(Files.createTempDirectory(Path.of("").toAbsolutePath(), prefix));
  }

  @Override
  public void close() throws IOException {
    try (Stream<Path> files = Files.walk(path)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
