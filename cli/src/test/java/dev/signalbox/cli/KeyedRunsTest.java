package dev.signalbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.journal.Query;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A run that is asked for twice with one key. */
class KeyedRunsTest {
  @TempDir Path folder;

  private static HttpResponse<String> start(House house, String token, String key, String plan)
      throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(
          HttpRequest.newBuilder(URI.create(house.server.address() + "/api/v1/runs"))
              .header("Authorization", "Bearer " + token)
              .header("Content-Type", "application/yaml")
              .header("Idempotency-Key", key)
              .POST(HttpRequest.BodyPublishers.ofString(plan))
              .build(),
          HttpResponse.BodyHandlers.ofString());
    }
  }

  @Test
  void one_key_starts_one_run() throws Exception {
    Files.createDirectories(folder.resolve("work"));
    String plan =
        """
        project: demo
        folder: work
        tools:
          - { name: look, command: ["true"], access: read }
        checks:
          - { name: there, command: ["true"] }
        """;
    try (House house = House.open(folder)) {
      String token = house.token("olga", "operator");
      HttpResponse<String> first = start(house, token, "k", plan);
      assertThat(first.statusCode()).as(first.body()).isEqualTo(201);
      HttpResponse<String> second = start(house, token, "k", plan);
      assertThat(second.statusCode()).isEqualTo(201);
      assertThat(second.body()).isEqualTo(first.body());
      assertThat(second.headers().firstValue("Location"))
          .isEqualTo(first.headers().firstValue("Location"));
      assertThat(start(house, token, "k", plan.replace("look", "gaze")).statusCode())
          .isEqualTo(422);
      assertThat(house.box.instances(Query.ALL.ofMachine("runs.run"))).hasSize(1);
    }
  }
}
