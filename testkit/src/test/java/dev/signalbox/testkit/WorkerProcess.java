package dev.signalbox.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A {@link LoadWorker} in a process of its own. */
final class WorkerProcess implements AutoCloseable {
  private final Process process;
  private final String node;
  private final Path complaints;
  private final BufferedReader output;
  private boolean ready;

  private WorkerProcess(Process process, String node, Path complaints) {
    this.process = process;
    this.node = node;
    this.complaints = complaints;
    this.output = process.inputReader();
  }

  static WorkerProcess start(String url, Path folder, String node, long seed) throws IOException {
    return start(List.of(), url, folder, node, seed);
  }

  /**
   * Starts a worker.
   *
   * @param before words that go before the command, such as a shell that sets a limit
   */
  static WorkerProcess start(List<String> before, String url, Path folder, String node, long seed)
      throws IOException {
    List<String> command = new ArrayList<>(before);
    command.addAll(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx256m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-XX:+ExitOnOutOfMemoryError",
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-cp",
            System.getProperty("java.class.path"),
            LoadWorker.class.getName(),
            url,
            folder.toString(),
            node,
            Long.toString(seed)));
    Path complaints = folder.resolve(node + ".stderr");
    Process process =
        new ProcessBuilder(command)
            .redirectError(ProcessBuilder.Redirect.appendTo(complaints.toFile()))
            .start();
    return new WorkerProcess(process, node, complaints);
  }

  String node() {
    return node;
  }

  /** Waits until the worker has opened the store. */
  void awaitReady() throws IOException {
    if (!ready) {
      assertThat(output.readLine()).as("%s\n%s", this, complaints()).isEqualTo("ready");
      ready = true;
    }
  }

  /** Lets it run for a while, which it must survive. */
  void run(long millis) throws IOException, InterruptedException {
    assertThat(process.waitFor(millis, TimeUnit.MILLISECONDS))
        .as("%s ended by itself\n%s", this, complaints())
        .isFalse();
  }

  String complaints() throws IOException {
    return Files.exists(complaints) ? Files.readString(complaints) : "";
  }

  /** Kills it as the operating system does, without a last word. */
  void kill() {
    process.destroyForcibly().onExit().join();
  }

  @Override
  public void close() {
    kill();
  }

  @Override
  public String toString() {
    return node + " (process " + process.pid() + ")";
  }
}
