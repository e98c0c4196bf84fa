package dev.signalbox.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The governance services over HTTP. */
class ServicesTest {
  @TempDir Path folder;

  @Test
  void a_worker_of_another_process_takes_a_task_and_reports() throws Exception {
    try (Served served = new Served(folder)) {
      String agent = served.token("bot", "agent");
      String other = served.token("other", "agent");
      Served.Answer submitted =
          served.post(
              "/api/v1/tasks", served.admin, Map.of("kind", "lint", "input", Map.of("file", "a")));
      assertThat(submitted.status()).isEqualTo(201);
      String task = submitted.word("instance");

      String worker =
          served.post("/api/v1/workers", agent, Map.of("kinds", List.of("lint"))).word("instance");
      String base = "/api/v1/workers/" + worker;
      assertThat(served.post(base + "/ready", other, null).status()).isEqualTo(403);
      assertThat(served.post(base + "/ready", agent, null).status()).isEqualTo(200);
      Served.Answer polled = served.post(base + "/poll", agent, Map.of("wait_ms", 5_000L));
      Map<?, ?> lease = (Map<?, ?>) polled.list("leases").getFirst();
      assertThat(lease.get("task")).isEqualTo(task);
      assertThat(lease.get("input")).isEqualTo(Map.of("file", "a"));
      Object fence = Objects.requireNonNull(lease.get("fence"));
      Map<String, Object> held = Map.of("task", task, "fence", fence);
      assertThat(
              served.post(base + "/heartbeat", agent, Map.of("tasks", List.of(held))).list("gone"))
          .isEmpty();
      assertThat(
              served
                  .post(
                      base + "/succeeded",
                      agent,
                      Map.of("task", task, "fence", fence, "result", "ok"))
                  .status())
          .isEqualTo(200);
      assertThat(served.get("/api/v1/tasks/" + task, agent).at("outcome")).isEqualTo("completed");
      assertThat(served.get("/api/v1/workers", served.admin).list("workers")).hasSize(1);
      assertThat(served.get("/api/v1/locks", served.admin).list("locks")).isEmpty();
      assertThat(served.get("/api/v1/approvals", served.admin).list("approvals")).isEmpty();
    }
  }
}
