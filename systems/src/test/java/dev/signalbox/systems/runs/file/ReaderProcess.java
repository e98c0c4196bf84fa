package dev.signalbox.systems.runs.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A {@link StateReader} in a process of its own. */
public final class ReaderProcess implements AutoCloseable {
  private final Process process;

  private ReaderProcess(Process process) {
    this.process = process;
  }

  /** Begins to read the states below the folder; when this returns, it reads. */
  public static ReaderProcess of(Path runs) throws IOException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                StateReader.class.getName(),
                runs.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    ReaderProcess reader = new ReaderProcess(process);
    assertThat(process.getInputStream().read()).isEqualTo('r');
    return reader;
  }

  /**
   * Ends it, and makes sure that every state it read was whole.
   *
   * @return how many different states it saw
   */
  public long states() throws IOException, InterruptedException {
    process.getOutputStream().close();
    InputStream out = process.getInputStream();
    String said = new String(out.readAllBytes(), StandardCharsets.UTF_8).strip();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(said).isZero();
    String[] numbers = said.split(" ", -1);
    assertThat(Long.parseLong(numbers[0])).as("reads").isPositive();
    return Long.parseLong(numbers[1]);
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
