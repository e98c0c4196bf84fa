package dev.signalbox.cli;

import dev.signalbox.definition.Json;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** {@code signalbox up} as a process of its own, on a folder and a free port. */
final class Up implements AutoCloseable {
  private final Path folder;
  private final Process process;
  private final BufferedReader out;
  private final HttpClient client = HttpClient.newHttpClient();
  final Map<?, ?> said;
  final String address;

  private Up(Path folder, Process process) throws Exception {
    this.folder = folder;
    this.process = process;
    this.out = process.inputReader(StandardCharsets.UTF_8);
    String line = out.readLine();
    if (line == null) {
      close();
      throw new AssertionError("It did not start: " + log(folder));
    }
    this.said = (Map<?, ?>) Objects.requireNonNull(Json.parse(line));
    this.address = String.valueOf(said.get("address"));
  }

  /** Starts it on the folder's {@code data}, and waits until it is up. */
  static Up in(Path folder, String... options) throws Exception {
    List<String> all = new ArrayList<>(List.of(options));
    all.add("--json");
    return new Up(folder, process(folder, all.toArray(String[]::new)));
  }

  /** What it answers when it does not start. */
  record Refused(int code, String out, String err) {}

  /** Starts it where it can't be. */
  static Refused refused(Path folder, String... options) throws Exception {
    Process process = process(folder, options);
    try (InputStream in = process.getInputStream()) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      if (!process.waitFor(30, TimeUnit.SECONDS)) {
        throw new AssertionError("It runs, which it should not: " + text);
      }
      return new Refused(process.exitValue(), text, log(folder));
    } finally {
      process.destroyForcibly();
    }
  }

  private static Process process(Path folder, String... options) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.signalbox.cli.Main",
                "up",
                "--data",
                folder.resolve("data").toString()));
    if (!List.of(options).contains("--port")) {
      command.addAll(List.of("--port", "0"));
    }
    command.addAll(List.of(options));
    return new ProcessBuilder(command)
        .directory(folder.toFile())
        .redirectError(folder.resolve("log.txt").toFile())
        .start();
  }

  static String log(Path folder) throws IOException {
    return Files.readString(folder.resolve("log.txt"));
  }

  String log() throws IOException {
    return log(folder);
  }

  private HttpRequest.Builder request(String path) throws IOException {
    String token = Files.readString(folder.resolve("data/token")).strip();
    return HttpRequest.newBuilder(URI.create(address + "/api/v1" + path))
        .header("Authorization", "Bearer " + token);
  }

  HttpResponse<String> get(String path) throws Exception {
    return client.send(request(path).build(), HttpResponse.BodyHandlers.ofString());
  }

  HttpResponse<String> post(String path, Object body, String... headers) throws Exception {
    HttpRequest.Builder builder =
        request(path)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(Json.text(body)));
    if (headers.length > 0) {
      builder.headers(headers);
    }
    return client.send(builder.build(), HttpResponse.BodyHandlers.ofString());
  }

  /** The protocol's own client, signed in; the headers come with every request. */
  McpSyncClient mcp(String... headers) throws IOException {
    HttpRequest.Builder builder =
        HttpRequest.newBuilder()
            .header(
                "Authorization",
                "Bearer " + Files.readString(folder.resolve("data/token")).strip());
    if (headers.length > 0) {
      builder.headers(headers);
    }
    McpSyncClient client =
        McpClient.sync(
                HttpClientStreamableHttpTransport.builder(address)
                    .endpoint("/mcp")
                    .requestBuilder(builder)
                    .build())
            .build();
    client.initialize();
    return client;
  }

  /** Publishes a machine. */
  void publish(String text) throws Exception {
    HttpResponse<String> answer =
        client.send(
            request("/machines").POST(HttpRequest.BodyPublishers.ofString(text)).build(),
            HttpResponse.BodyHandlers.ofString());
    if (answer.statusCode() / 100 != 2) {
      throw new AssertionError(answer.body());
    }
  }

  /** The lines of an event stream, as they come. */
  BufferedReader stream(String path) throws Exception {
    HttpResponse<InputStream> response =
        client.send(request(path).build(), HttpResponse.BodyHandlers.ofInputStream());
    return new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8));
  }

  /**
   * Tells it to stop and waits until it has.
   *
   * @return the code with which it ended
   */
  int end() throws InterruptedException {
    process.destroy();
    if (!process.waitFor(30, TimeUnit.SECONDS)) {
      throw new AssertionError("It did not end.");
    }
    return process.exitValue();
  }

  /** Ends it at once, as a failing machine would. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  @Override
  public void close() {
    process.destroyForcibly();
    client.shutdownNow();
  }
}
