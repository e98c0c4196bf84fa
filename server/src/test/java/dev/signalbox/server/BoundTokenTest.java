package dev.signalbox.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.server.access.Tokens;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A token for one instance, and a worker's that is for itself. */
class BoundTokenTest {
  @TempDir Path folder;
  private Served served;
  private String bound;

  @BeforeEach
  void start() throws Exception {
    served = new Served(folder);
    for (String id : List.of("d-1", "d-2")) {
      served.post("/api/v1/instances", served.admin, Map.of("machine", "deploy", "id", id));
    }
    bound =
        served
            .server
            .tokens()
            .create(
                new Tokens.Order(
                    "robin",
                    List.of("agent", "approver.own"),
                    List.of(),
                    "d-1",
                    Duration.ofDays(1)),
                Server.owner("owner"))
            .secret();
  }

  @AfterEach
  void stop() {
    served.close();
  }

  @Test
  void it_is_for_that_instance_and_nothing_else() throws Exception {
    assertThat(served.get("/api/v1/instances/d-1", bound).status()).isEqualTo(200);
    assertThat(served.get("/api/v1/instances/d-1/history", bound).status()).isEqualTo(200);
    assertThat(served.get("/api/v1/session", bound).at("instance")).isEqualTo("d-1");
    for (String path :
        List.of(
            "/instances/d-2",
            "/instances/d-2/history",
            "/instances",
            "/machines",
            "/overview",
            "/approvals",
            "/tasks",
            "/budgets",
            "/alerts",
            "/activity",
            "/systems")) {
      assertThat(served.get("/api/v1" + path, bound).status()).as(path).isEqualTo(403);
    }
    assertThat(served.post("/api/v1/instances", bound, Map.of("machine", "deploy")).status())
        .isEqualTo(403);
    assertThat(
            served.post("/api/v1/instances/d-2/events", bound, Map.of("event", "start")).status())
        .isEqualTo(403);
    assertThat(
            served
                .post("/api/v1/instances/d-1/events", bound, Map.of("event", "start"))
                .word("code"))
        .isEqualTo("guard-refused");
  }

  @Test
  void many_commands_reach_that_instance_alone() throws Exception {
    Served.Answer answer =
        served.send(
            served
                .request("/api/v1/events")
                .header("Content-Type", "application/x-ndjson")
                .POST(
                    java.net.http.HttpRequest.BodyPublishers.ofString(
                        """
                        {"instance":"d-2","event":"start"}
                        {"start":"deploy"}
                        {"instance":"d-1","event":"start"}
                        """)),
            bound);
    List<String> lines = answer.text().lines().toList();
    assertThat(lines.get(0)).contains("forbidden");
    assertThat(lines.get(1)).contains("forbidden");
    assertThat(lines.get(2)).contains("guard-refused");
  }

  @Test
  void its_stream_tells_of_that_instance_alone() throws Exception {
    try (StreamTest.Reader reader = StreamTest.Reader.open(served, bound, "/api/v1/stream", null)) {
      for (String id : List.of("d-2", "d-1")) {
        served.post(
            "/api/v1/instances/" + id + "/events", served.admin, Map.of("event", "approve"));
      }
      Map<?, ?> entry = (Map<?, ?>) Objects.requireNonNull(reader.next().get("entry"));
      assertThat(entry.get("instance")).isEqualTo("d-1");
    }
  }

  @Test
  void a_task_is_ended_by_the_worker_that_has_it_and_no_other() throws Exception {
    String agent = served.token("bot", "agent");
    String other = served.token("mole", "agent");
    String task =
        served.post("/api/v1/tasks", served.admin, Map.of("kind", "lint")).word("instance");
    String worker =
        served.post("/api/v1/workers", agent, Map.of("kinds", List.of("lint"))).word("instance");
    String base = "/api/v1/workers/" + worker;
    served.post(base + "/ready", agent, null);
    Map<?, ?> lease =
        (Map<?, ?>)
            served.post(base + "/poll", agent, Map.of("wait_ms", 5_000L)).list("leases").getFirst();
    Map<String, Object> report =
        Map.of("task", task, "fence", Objects.requireNonNull(lease.get("fence")));
    assertThat(served.post(base + "/succeeded", other, report).status()).isEqualTo(403);
    String mole =
        served.post("/api/v1/workers", other, Map.of("kinds", List.of("lint"))).word("instance");
    assertThat(served.post("/api/v1/workers/" + mole + "/succeeded", other, report).status())
        .isEqualTo(403);
    assertThat(
            served
                .post(
                    "/api/v1/workers/" + mole + "/heartbeat",
                    other,
                    Map.of("tasks", List.of(report)))
                .status())
        .as("a worker that is not ready has no sign of life")
        .isEqualTo(409);
    served.post("/api/v1/workers/" + mole + "/ready", other, null);
    assertThat(
            served
                .post(
                    "/api/v1/workers/" + mole + "/heartbeat",
                    other,
                    Map.of("tasks", List.of(report)))
                .list("gone")
                .toString())
        .isEqualTo("[" + task + "]");
    for (String token : List.of(agent, other)) {
      assertThat(
              served
                  .post(
                      "/api/v1/instances/" + task + "/events",
                      token,
                      Map.of("event", "succeeded", "data", Map.of("fence", 1L)))
                  .word("code"))
          .isEqualTo("reserved-machine");
    }
    assertThat(served.post(base + "/succeeded", agent, report).status()).isEqualTo(200);
  }
}
