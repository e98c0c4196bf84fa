package dev.signalbox.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Json;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.system.Route;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node whose database can't be written, and one whose database is gone. */
class LostDatabaseTest {
  @TempDir Path folder;

  private static EmbeddedPostgres postgres() throws IOException {
    return EmbeddedPostgres.builder()
        .setServerConfig("fsync", "on")
        .setServerConfig("synchronous_commit", "on")
        .start();
  }

  private static String url(EmbeddedPostgres postgres) {
    return postgres.getJdbcUrl("postgres", "postgres");
  }

  private Served served(EmbeddedPostgres postgres) {
    return new Served(
        Signalbox.open(url(postgres), Settings.DEFAULT, InstantSource.system()),
        folder,
        Served.SETTINGS,
        InstantSource.system(),
        List.of());
  }

  private static void execute(EmbeddedPostgres postgres, String... statements) throws Exception {
    try (Connection connection = postgres.getPostgresDatabase().getConnection();
        Statement statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
  }

  /** Waits up to a minute. */
  private static int statusUntil(Served served, String path, int wanted) throws Exception {
    int status = 0;
    for (int i = 0; i < 600 && status != wanted; i++) {
      status = served.get(path, null).status();
      LockSupport.parkNanos(status == wanted ? 0 : 100_000_000);
    }
    return status;
  }

  @Test
  void health_is_not_ready_while_nothing_can_be_written_although_everything_can_be_read()
      throws Exception {
    try (EmbeddedPostgres postgres = postgres();
        Served served = served(postgres)) {
      assertThat(statusUntil(served, "/api/v1/health", 200)).isEqualTo(200);
      execute(
          postgres,
          "alter database postgres set default_transaction_read_only = on",
          "select pg_terminate_backend(pid) from pg_stat_activity"
              + " where pid <> pg_backend_pid() and datname = 'postgres'");
      assertThat(statusUntil(served, "/api/v1/health", 503)).isEqualTo(503);
      Served.Answer refused =
          served.post("/api/v1/instances", served.admin, Map.of("machine", "deploy"));
      assertThat(refused.status()).isEqualTo(503);
      assertThat(served.get("/api/v1/machines", served.admin).status()).isEqualTo(200);
      execute(
          postgres,
          "set default_transaction_read_only = off",
          "alter database postgres reset default_transaction_read_only",
          "select pg_terminate_backend(pid) from pg_stat_activity"
              + " where pid <> pg_backend_pid() and datname = 'postgres'");
      assertThat(statusUntil(served, "/api/v1/health", 200)).isEqualTo(200);
    }
  }

  /** What is wrong with the answer of a server that has no database; empty for nothing. */
  private static CompletableFuture<String> asked(
      Served served, String method, String path, @Nullable String token, String body) {
    HttpRequest.Builder request =
        served
            .request(path)
            .timeout(Duration.ofMinutes(3))
            .header("Content-Type", "application/json")
            .method(method, HttpRequest.BodyPublishers.ofString(body));
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            Served.Answer answer = served.send(request, token);
            boolean right =
                answer.status() == 503
                    && answer.header("Retry-After").equals("1")
                    && answer.text().contains("end the same again");
            return right ? "" : method + " " + path + " " + answer.status() + " " + answer.text();
          } catch (IOException | InterruptedException e) {
            return method + " " + path + " " + e;
          }
        },
        McpTest.APART);
  }

  @Test
  void without_its_database_every_path_says_to_send_the_same_again() throws Exception {
    EmbeddedPostgres postgres = postgres();
    try (Served served = served(postgres)) {
      String fresh = served.token("fresh", "admin", "operator", "viewer");
      assertThat(served.get("/api/v1/machines", served.admin).status()).isEqualTo(200);
      postgres.close();
      List<CompletableFuture<String>> all = new ArrayList<>();
      for (String token : List.of(fresh, "sbx_" + "x".repeat(43))) {
        for (Route route : served.server.routes()) {
          String path = "/api/v1" + route.path().replaceAll("\\{[a-z_0-9]+}", "nothing");
          if (!route.isOpen()) {
            all.add(asked(served, route.method(), path, token, "{}"));
          }
        }
        all.add(asked(served, "POST", "/mcp", token, "{}"));
        all.add(asked(served, "POST", "/api/v1/session", null, Json.text(Map.of("token", token))));
      }
      List<String> others =
          all.stream().map(CompletableFuture::join).filter(each -> !each.isEmpty()).toList();
      assertThat(others).isEmpty();
    }
  }
}
