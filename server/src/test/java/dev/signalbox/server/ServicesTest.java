package dev.signalbox.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import java.nio.file.Path;
import java.util.LinkedHashMap;
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

  @Test
  void a_worker_reports_on_tasks_and_on_nothing_else() throws Exception {
    try (Served served = new Served(folder)) {
      served.box.publish(
          MachineReader.read(
              new Source(
                  "gate.yaml",
                  """
                  machine: gate
                  states:
                    SHUT:
                      waits: for a person
                      on: { succeeded: OPEN, failed: OPEN, heartbeat: OPEN }
                    OPEN: { final: true }
                  """)));
      String gate = served.box.start("gate", Map.of()).id();
      String agent = served.token("bot", "agent");
      String worker =
          served.post("/api/v1/workers", agent, Map.of("kinds", List.of("lint"))).word("instance");
      String base = "/api/v1/workers/" + worker;
      served.post(base + "/ready", agent, null);
      Map<String, Object> report = Map.of("task", gate, "fence", 1L);

      assertThat(served.post(base + "/succeeded", agent, report).status()).isEqualTo(404);
      assertThat(
              served
                  .post(
                      base + "/failed",
                      agent,
                      Map.of("task", gate, "fence", 1L, "cause", "temporary_error"))
                  .status())
          .isEqualTo(404);
      assertThat(
              served
                  .post(base + "/heartbeat", agent, Map.of("tasks", List.of(report)))
                  .list("gone"))
          .isEqualTo(List.of(gate));
      assertThat(served.box.instance(gate).sequence()).isEqualTo(1);
    }
  }

  @Test
  void a_lock_is_taken_waited_for_and_released_by_its_holder_alone() throws Exception {
    try (Served served = new Served(folder)) {
      String bot = served.token("bot", "agent");
      String other = served.token("other", "agent");
      String base = "/api/v1/locks/repo";
      assertThat(served.post(base + "/release", bot, Map.of("token", 1L)).status()).isEqualTo(404);
      Served.Answer held = served.post(base + "/take", bot, Map.of("limit_ms", 60_000L));
      assertThat(held.status()).isEqualTo(200);
      assertThat(held.at("state")).isEqualTo("held");
      assertThat(held.at("token")).isEqualTo(1L);
      assertThat(served.post(base + "/take", bot, Map.of()).status()).isEqualTo(409);

      Served.Answer queued = served.post(base + "/take", other, Map.of("for", "two"));
      assertThat(queued.at("state")).isEqualTo("queued");
      assertThat(queued.at("holder")).isEqualTo("other/two");
      assertThat(served.post(base + "/release", other, Map.of("token", 1L)).status())
          .isEqualTo(403);
      Map<String, Object> past = Map.of("event", "release", "data", Map.of("token", 1L));
      assertThat(served.post("/api/v1/instances/lock:repo/events", other, past).at("code"))
          .isEqualTo("reserved-machine");
      assertThat(served.post(base + "/release", bot, Map.of("token", 7L)).status()).isEqualTo(409);
      assertThat(served.post(base + "/release", bot, Map.of("token", 1L)).status()).isEqualTo(200);

      Served.Answer next =
          served.post(base + "/take", other, Map.of("for", "two", "wait_ms", 5_000L));
      assertThat(next.at("state")).isEqualTo("held");
      assertThat(next.at("token")).isEqualTo(2L);
      assertThat(served.post(base + "/take", bot, Map.of()).at("state")).isEqualTo("queued");
      assertThat(served.post(base + "/leave", bot, Map.of()).status()).isEqualTo(200);
      assertThat(served.post(base + "/take", bot, Map.of("wait_ms", 1L)).at("state"))
          .isEqualTo("queued");
      Map<?, ?> lock = (Map<?, ?>) served.get("/api/v1/locks", bot).list("locks").getFirst();
      assertThat(lock.get("queue")).isEqualTo(List.of());
      assertThat(served.post(base + "/take", bot, Map.of("wait_ms", 20_001L)).status())
          .isEqualTo(400);
      assertThat(served.post(base + "/take", bot, Map.of("limit_ms", 0L)).status())
          .isGreaterThanOrEqualTo(400);
    }
  }

  @Test
  void a_request_from_outside_is_in_the_caller_s_name_and_tells_nobody() throws Exception {
    try (Served served = new Served(folder)) {
      String agent = served.token("bot", "agent");
      Map<String, Object> merge =
          Map.of(
              "subject",
              "repo",
              "action",
              "merge",
              "arguments",
              Map.of("branch", "topic"),
              "identity",
              Map.of("command", List.of("git", "merge")));
      Served.Answer asked = served.post("/api/v1/approvals", agent, merge);
      assertThat(asked.status()).isEqualTo(201);
      assertThat(asked.at("state")).isEqualTo("AWAITING_HUMAN");
      Map<?, ?> asker = (Map<?, ?>) asked.list("chain").getLast();
      assertThat(asker.get("name")).isEqualTo("bot");
      assertThat(asker.get("kind")).isEqualTo("agent");

      Map<String, Object> telling = new LinkedHashMap<>(merge);
      telling.put("tell_events", Map.of("rejected", "escalated"));
      assertThat(served.post("/api/v1/approvals", agent, telling).status()).isEqualTo(400);
      assertThat(served.post("/api/v1/approvals", agent, Map.of("action", "m")).status())
          .isEqualTo(400);
      Served.Answer started =
          served.post(
              "/api/v1/instances",
              served.admin,
              Map.of("machine", "approval", "input", Map.of("requester", "kim")));
      assertThat(started.status()).isEqualTo(403);
      assertThat(served.get("/api/v1/approvals", served.admin).list("approvals")).hasSize(1);
    }
  }

  @Test
  void who_asked_is_told_so_and_neither_approves_rejects_nor_escalates() throws Exception {
    try (Served served = new Served(folder)) {
      String ann = served.person("ann", "operator", "approver");
      String kim = served.person("kim", "approver");
      Served.Answer asked =
          served.post("/api/v1/approvals", ann, Map.of("subject", "repo", "action", "merge"));
      String base = "/api/v1/approvals/" + asked.word("id");
      Map<String, Object> digest = Map.of("digest", asked.word("digest"));
      Map<String, Object> reason = Map.of("reason", "never mind");

      assertThat(served.get(base, ann).at("objection", "code")).isEqualTo("asked");
      assertThat(served.post(base + "/approve", ann, digest).status()).isEqualTo(409);
      assertThat(served.post(base + "/reject", ann, reason).at("code")).isEqualTo("guard-refused");
      assertThat(served.post(base + "/escalate", ann, reason).status()).isEqualTo(409);
      assertThat(served.get(base, kim).at("state")).isEqualTo("AWAITING_HUMAN");

      assertThat(served.post(base + "/reject", kim, reason).status()).isEqualTo(200);
      assertThat(served.get(base, ann).at("outcome")).isEqualTo("rejected");
    }
  }

  @Test
  void a_request_without_a_subject_is_listed_with_the_others() throws Exception {
    try (Served served = new Served(folder)) {
      served.box.start("approval", Map.of("digest", "d-1", "requester", "cron"));
      Map<String, Object> merge = Map.of("subject", "repo", "action", "merge");
      assertThat(served.post("/api/v1/approvals", served.token("bot", "agent"), merge).status())
          .isEqualTo(201);
      Served.Answer all = served.get("/api/v1/approvals", served.admin);
      assertThat(all.list("approvals"))
          .extracting(each -> String.valueOf(((Map<?, ?>) each).get("subject")))
          .containsExactly("", "repo");
      assertThat(all.word("approvals")).contains("name=cron");
    }
  }
}
