package dev.signalbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Json;
import dev.signalbox.runtime.Audit;
import dev.signalbox.runtime.Signalbox;
import java.io.BufferedReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code signalbox up} as a process of its own: it starts, looks after its store, and ends well.
 */
class UpProcessTest {
  @TempDir Path folder;

  private static HttpResponse<String> get(HttpClient client, String address, String token)
      throws Exception {
    return client.send(
        HttpRequest.newBuilder(URI.create(address))
            .header("Authorization", "Bearer " + token)
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void it_starts_serves_looks_after_its_store_and_ends_when_told() throws Exception {
    Path data = folder.resolve("data");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.signalbox.cli.Main",
                "up",
                "--data",
                data.toString(),
                "--port",
                "0",
                "--json")
            .directory(folder.toFile())
            .redirectError(folder.resolve("log.txt").toFile())
            .start();
    try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
        HttpClient client = HttpClient.newHttpClient()) {
      String line = Objects.requireNonNull(out.readLine(), () -> log());
      Map<?, ?> up = (Map<?, ?>) Objects.requireNonNull(Json.parse(line));
      String address = String.valueOf(up.get("address"));
      String token = Files.readString(data.resolve("token")).strip();
      assertThat(String.valueOf(up.get("sign_in"))).startsWith(address + "/sign-in#");
      assertThat(get(client, address + "/api/v1/health", token).statusCode()).isEqualTo(200);
      assertThat(get(client, address + "/api/v1/metrics", token).body())
          .contains("signalbox_instances{machine=\"alert\",state=\"QUIET\"}");
      assertThat(get(client, address + "/api/v1/alerts", token).body()).contains("commands-wait");
      assertThat(get(client, address + "/api/v1/systems", token).body()).contains("\"research\"");

      process.destroy();
      assertThat(process.waitFor(30, TimeUnit.SECONDS)).as(log()).isTrue();
      assertThat(log()).doesNotContain("SEVERE");
    } finally {
      process.destroyForcibly();
    }
    try (Signalbox box = Signalbox.open("jdbc:sqlite:" + data.resolve("signalbox.db"))) {
      assertThat(Audit.verify(box.journal(), _ -> {}).isSound()).isTrue();
    }
  }

  private String log() {
    try {
      return Files.readString(folder.resolve("log.txt"));
    } catch (java.io.IOException e) {
      return e.toString();
    }
  }
}
