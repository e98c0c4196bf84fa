package dev.signalbox.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Command;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The API end to end, over a socket. */
class ApiTest {
  @TempDir Path folder;
  private Served served;

  @BeforeEach
  void start() {
    served = new Served(folder);
  }

  @AfterEach
  void stop() {
    served.close();
  }

  private String started() throws Exception {
    Served.Answer answer =
        served.post("/api/v1/instances", served.admin, Map.of("machine", "deploy"));
    assertThat(answer.status()).isEqualTo(201);
    return answer.word("instance");
  }

  @Test
  void health_needs_no_token() throws Exception {
    Served.Answer answer = served.get("/api/v1/health", null);
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.at("ready")).isEqualTo(true);
  }

  @Test
  void an_instance_is_started_sent_to_and_shown() throws Exception {
    String id = started();
    for (int i = 0; i < 2; i++) {
      Served.Answer approved =
          served.post(
              "/api/v1/instances/" + id + "/events", served.admin, Map.of("event", "approve"));
      assertThat(approved.status()).isEqualTo(200);
    }
    Served.Answer running =
        served.post("/api/v1/instances/" + id + "/events", served.admin, Map.of("event", "start"));
    assertThat(running.at("states")).isEqualTo(List.of("RUNNING"));

    Served.Answer shown = served.get("/api/v1/instances/" + id, served.admin);
    assertThat(shown.at("leaves")).isEqualTo(List.of("RUNNING"));
    assertThat(shown.at("context")).isEqualTo(Map.of("approvals", 2L, "service", ""));
    assertThat(shown.list("deadlines")).hasSize(1);
    assertThat(shown.word("permitted")).contains("succeeded", "failed");

    Served.Answer past = served.get("/api/v1/instances/" + id + "?at=2", served.admin);
    assertThat(past.at("leaves")).isEqualTo(List.of("PLANNED"));
    assertThat(past.at("context")).isEqualTo(Map.of("approvals", 1L, "service", ""));

    Served.Answer history = served.get("/api/v1/instances/" + id + "/history", served.admin);
    assertThat(history.list("entries")).hasSize(4);
    assertThat(history.word("entries")).contains("ctx.approvals >= 2", "answer=yes");

    Served.Answer picture =
        served.get("/api/v1/instances/" + id + "/diagram.svg?at=2", served.admin);
    assertThat(picture.header("Content-Type")).startsWith("image/svg+xml");
    assertThat(picture.text()).contains("PLANNED");
  }

  @Test
  void a_refusal_says_why_and_what_is_permitted_instead() throws Exception {
    String id = started();
    Served.Answer refused =
        served.post("/api/v1/instances/" + id + "/events", served.admin, Map.of("event", "start"));
    assertThat(refused.status()).isEqualTo(409);
    assertThat(refused.header("Content-Type")).isEqualTo("application/problem+json");
    assertThat(refused.at("code")).isEqualTo("guard-refused");
    assertThat(refused.word("detail")).contains("ctx.approvals is 0");
    assertThat(refused.word("permitted")).contains("approve");
    assertThat(refused.word("hint")).isNotEmpty();
    Served.Answer refusals = served.get("/api/v1/instances/" + id + "/refusals", served.admin);
    assertThat(refusals.list("entries")).hasSize(1);
  }

  @Test
  void a_machine_is_paused_and_resumed_as_a_whole() throws Exception {
    String id = started();
    Served.Answer paused =
        served.post("/api/v1/machines/deploy/pause", served.admin, Map.of("clocks", "running"));
    assertThat(paused.at("done")).isEqualTo(1L);
    assertThat(served.get("/api/v1/instances/" + id, served.admin).at("status"))
        .isEqualTo("paused");
    Served.Answer refused =
        served.post("/api/v1/instances", served.admin, Map.of("machine", "deploy"));
    assertThat(refused.status()).isEqualTo(409);
    assertThat(refused.at("code")).isEqualTo("machine-paused");
    Served.Answer shown = served.get("/api/v1/machines/deploy", served.admin);
    assertThat(shown.at("paused", "clocks")).isEqualTo("running");
    assertThat(served.get("/api/v1/machines", served.admin).word("machines"))
        .contains("clocks=running");
    assertThat(
            served
                .post(
                    "/api/v1/instances/signalbox.standstill-deploy/events",
                    served.admin,
                    Map.of("event", "resume"))
                .at("code"))
        .isEqualTo("reserved-machine");
    Served.Answer resumed = served.post("/api/v1/machines/deploy/resume", served.admin, Map.of());
    assertThat(resumed.at("done")).isEqualTo(1L);
    assertThat(served.get("/api/v1/machines/deploy", served.admin).text())
        .contains("\"paused\":null");
    assertThat(started()).isNotEqualTo(id);
  }

  private Served.Answer keyed(String path, String key, String body, String token) throws Exception {
    return served.send(
        served
            .request("/api/v1" + path)
            .header("Content-Type", "application/json")
            .header("Idempotency-Key", key)
            .POST(HttpRequest.BodyPublishers.ofString(body)),
        token);
  }

  @Test
  void a_key_answers_for_one_command_of_one_caller() throws Exception {
    String start = "{\"machine\":\"deploy\",\"input\":{\"service\":\"a\"}}";
    Served.Answer first = keyed("/instances", "k", start, served.admin);
    assertThat(first.status()).isEqualTo(201);
    assertThat(keyed("/instances", "k", start, served.admin).at("instance"))
        .isEqualTo(first.at("instance"));
    String other = start.replace("\"a\"", "\"b\"");
    Served.Answer taken = keyed("/instances", "k", other, served.admin);
    assertThat(taken.status()).isEqualTo(422);
    assertThat(taken.at("code")).isEqualTo("key-taken");
    String bob = served.token("bob", "admin", "operator", "viewer");
    assertThat(keyed("/instances", "k", start, bob).at("instance"))
        .isNotEqualTo(first.at("instance"));

    String id = String.valueOf(first.at("instance"));
    String approve = "{\"event\":\"approve\"}";
    String events = "/instances/" + id + "/events";
    assertThat(keyed(events, "e", approve, served.admin).status()).isEqualTo(200);
    for (String path : List.of("cancel", "pause", "resume", "migrate", "fork")) {
      String body =
          switch (path) {
            case "migrate" -> "{\"to\":1}";
            case "fork" -> "{\"sequence\":1,\"id\":\"" + id + "\"}";
            default -> "{}";
          };
      Served.Answer refused = keyed("/instances/" + id + "/" + path, "e", body, served.admin);
      assertThat(refused.at("code")).as(path).isEqualTo("key-taken");
      assertThat(refused.status()).as(path).isEqualTo(422);
    }
    assertThat(served.get("/api/v1/instances/" + id, served.admin).at("sequence")).isEqualTo(2L);
    Served.Answer many =
        served.send(
            served
                .request("/api/v1/events")
                .header("Content-Type", "application/x-ndjson")
                .POST(
                    HttpRequest.BodyPublishers.ofString(
                        "{\"instance\":\"%s\",\"event\":\"other\",\"key\":\"e\"}%n{\"instance\":\"%s\",\"event\":\"approve\",\"key\":\"signalbox/e\"}%n"
                            .formatted(id, id))),
            served.admin);
    assertThat(many.text()).contains("key-taken", "reserved-key");
  }

  @Test
  void keys_of_the_services_are_refused_from_outside() throws Exception {
    String id = started();
    for (String path :
        List.of(
            "/instances",
            "/instances/" + id + "/events",
            "/instances/" + id + "/cancel",
            "/machines/deploy/pause",
            "/machines/deploy/resume")) {
      String body =
          path.endsWith("/instances")
              ? "{\"machine\":\"deploy\"}"
              : path.endsWith("events") ? "{\"event\":\"approve\"}" : "{}";
      Served.Answer refused = keyed(path, "signalbox/x", body, served.admin);
      assertThat(refused.at("code")).as(path).isEqualTo("reserved-key");
      assertThat(refused.status()).as(path).isEqualTo(403);
    }
  }

  @Test
  void the_same_key_gives_the_same_answer_and_a_stale_tag_is_refused() throws Exception {
    String id = started();
    HttpRequest.Builder approve =
        served
            .request("/api/v1/instances/" + id + "/events")
            .header("Content-Type", "application/json")
            .header("Idempotency-Key", "k-1")
            .POST(HttpRequest.BodyPublishers.ofString("{\"event\":\"approve\"}"));
    Served.Answer first = served.send(approve, served.admin);
    Served.Answer second = served.send(approve.copy(), null);
    assertThat(second.text()).isEqualTo(first.text());
    assertThat(first.header("ETag")).isEqualTo("\"2\"");

    Served.Answer stale =
        served.send(
            served
                .request("/api/v1/instances/" + id + "/events")
                .header("Content-Type", "application/json")
                .header("If-Match", "\"1\"")
                .POST(HttpRequest.BodyPublishers.ofString("{\"event\":\"approve\"}")),
            served.admin);
    assertThat(stale.status()).isEqualTo(412);
    assertThat(stale.at("code")).isEqualTo("stale-sequence");

    String events = "/api/v1/instances/" + id + "/events";
    Map<String, Object> late = Map.of("event", "approve", "expected_sequence", 1L);
    assertThat(served.post(events, served.admin, late).at("code")).isEqualTo("stale-sequence");
    Map<String, Object> fresh = Map.of("event", "approve", "expected_sequence", 2L);
    assertThat(served.post(events, served.admin, fresh).at("sequence")).isEqualTo(3L);
    assertThat(served.get("/api/v1/instances/" + id, served.admin).header("ETag"))
        .isEqualTo("\"3\"");
  }

  @Test
  void instances_come_page_by_page_and_by_what_they_are() throws Exception {
    for (int i = 0; i < 5; i++) {
      served.post(
          "/api/v1/instances",
          served.admin,
          Map.of("machine", "deploy", "id", "d-" + i, "input", Map.of("service", "s" + i % 2)));
    }
    Map<?, ?> first = served.get("/api/v1/instances?machine=deploy&most=3", served.admin).json();
    assertThat((List<?>) first.get("instances")).hasSize(3);
    Map<?, ?> rest =
        served
            .get("/api/v1/instances?machine=deploy&most=3&after=" + first.get("next"), served.admin)
            .json();
    assertThat((List<?>) rest.get("instances")).hasSize(2);
    assertThat(rest.get("next")).isNull();
    assertThat(served.get("/api/v1/instances?field.service=s1", served.admin).list("instances"))
        .hasSize(2);
    assertThat(served.get("/api/v1/instances?q=d-3", served.admin).list("instances")).hasSize(1);
    assertThat(ids("q=d-3&machine=other")).isEmpty();
    assertThat(ids("state=RUNNING")).isEmpty();
    assertThat(ids("state=PLANNED&status=live")).hasSize(5);
  }

  private List<String> ids(String query) throws Exception {
    return served.get("/api/v1/instances?" + query, served.admin).list("instances").stream()
        .map(one -> String.valueOf(((Map<?, ?>) one).get("id")))
        .toList();
  }

  @Test
  void those_that_an_instance_invoked_are_found_by_it() throws Exception {
    served.box.publish(
        MachineReader.read(
            new Source(
                "train.yaml",
                """
                machine: train
                states:
                  RUNS: { waits: for its deploy, invoke: { machine: deploy, id: kid }, on: { done.invoke.kid: OVER } }
                  OVER: { final: true }
                """)));
    served.box.submit(new Command.Start("train", "t-1", Map.of(), Server.owner("ann"), null));
    started();
    List<String> below = ids("parent=t-1");
    for (int looks = 0; looks < 10_000 && below.isEmpty(); looks++) {
      below = ids("parent=t-1");
    }
    assertThat(below).hasSize(1);
    Served.Answer children = served.get("/api/v1/instances/t-1/children", served.admin);
    assertThat(children.word("instances")).contains("id=" + below.getFirst(), "parent=t-1");
  }

  @Test
  void what_falls_due_first_comes_first_whatever_its_age() throws Exception {
    Actor approver = new Actor(Actor.Kind.USER, "kim", List.of("reviewer"));
    for (String id : List.of("d-1", "d-2", "d-3")) {
      Map<String, Object> input = Map.of("service", id.equals("d-2") ? "web" : "mail");
      served.box.submit(new Command.Start("deploy", id, input, approver, null));
    }
    for (int i = 0; i < 2; i++) {
      served.box.submit(Command.Send.of("d-1", "approve", null).by(approver));
    }
    served.box.send("d-1", "start");
    assertThat(ids("order=due&machine=deploy")).containsExactly("d-2", "d-3", "d-1");
    assertThat(ids("order=due&machine=deploy&most=1")).containsExactly("d-2");
    assertThat(ids("order=due&state=RUNNING")).containsExactly("d-1");
    assertThat(ids("order=due&field.service=mail")).containsExactly("d-3", "d-1");
    assertThat(ids("order=due&machine=deploy&status=paused")).isEmpty();
    assertThat(ids("order=due&parent=nobody")).isEmpty();
    assertThat(served.get("/api/v1/instances?order=odd", served.admin).status()).isEqualTo(400);
    String narrow = served.token("vic", "viewer");
    assertThat(served.get("/api/v1/instances?order=due&machine=token", narrow).list("instances"))
        .isEmpty();
  }

  @Test
  void a_machine_is_checked_published_drawn_and_compared() throws Exception {
    String next =
        Served.DEPLOY
            .replace("machine: deploy", "machine: deploy\nversion: 2")
            .replace("failed: ABORTED", "failed: ABORTED, stop: ABORTED");
    Served.Answer checked =
        served.send(
            served
                .request("/api/v1/machines/check")
                .POST(HttpRequest.BodyPublishers.ofString(next)),
            served.admin);
    assertThat(checked.json().toString()).contains("verdict=proved");
    Served.Answer published =
        served.send(
            served.request("/api/v1/machines").POST(HttpRequest.BodyPublishers.ofString(next)),
            served.admin);
    assertThat(published.status()).isEqualTo(201);
    assertThat(served.get("/api/v1/machines/deploy@1", served.admin).at("version")).isEqualTo(1L);
    assertThat(served.get("/api/v1/machines/deploy", served.admin).at("version")).isEqualTo(2L);
    assertThat(served.get("/api/v1/machines/deploy/diagram.svg", served.admin).text())
        .contains("<svg");
    assertThat(
            served
                .get("/api/v1/machines/deploy/diff?from=1&to=2", served.admin)
                .word("transitions"))
        .contains("stop");
    Served.Answer bad =
        served.send(
            served
                .request("/api/v1/machines")
                .POST(HttpRequest.BodyPublishers.ofString("machine: x\nstates: {}\n")),
            served.admin);
    assertThat(bad.status()).isEqualTo(422);
    assertThat(bad.list("problems")).isNotEmpty();
  }

  @Test
  void a_link_signs_in_once_and_the_session_needs_its_token_for_everything() throws Exception {
    String link = served.server.signInLink(served.admin);
    String code = link.substring(link.indexOf('#') + 1);
    Served.Answer in = served.post("/api/v1/session", null, Map.of("code", code));
    assertThat(in.status()).isEqualTo(201);
    assertThat(served.post("/api/v1/session", null, Map.of("code", code)).status()).isEqualTo(401);
    assertThat(in.header("Set-Cookie")).contains("HttpOnly", "SameSite=Strict");
    String cookie = in.header("Set-Cookie").split(";")[0];

    assertThat(
            served.send(served.request("/api/v1/machines").header("Cookie", cookie), null).status())
        .isEqualTo(403);
    HttpRequest.Builder start =
        served
            .request("/api/v1/instances")
            .header("Cookie", cookie)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString("{\"machine\":\"deploy\"}"));
    Served.Answer without = served.send(start.copy(), null);
    assertThat(without.status()).isEqualTo(403);
    assertThat(without.at("code")).isEqualTo("csrf-token-missing");
    String csrf = in.word("csrf_token");
    assertThat(served.send(start.copy().header("X-CSRF-Token", csrf), null).status())
        .isEqualTo(201);

    served.send(
        served
            .request("/api/v1/session")
            .header("Cookie", cookie)
            .header("X-CSRF-Token", csrf)
            .DELETE(),
        null);
    assertThat(
            served.send(served.request("/api/v1/machines").header("Cookie", cookie), null).status())
        .isEqualTo(401);
  }

  @Test
  void a_revoked_token_and_its_sessions_are_worth_nothing() throws Exception {
    Served.Answer made =
        served.post(
            "/api/v1/tokens",
            served.admin,
            Map.of("name", "bob", "roles", List.of("viewer"), "days", 1L));
    assertThat(made.status()).isEqualTo(201);
    String secret = made.word("secret");
    String id = made.word("token", "id");
    Served.Answer in = served.post("/api/v1/session", null, Map.of("token", secret));
    String cookie = in.header("Set-Cookie").split(";")[0];
    assertThat(served.get("/api/v1/machines", secret).status()).isEqualTo(200);
    assertThat(served.get("/api/v1/instances/" + id + "/history", served.admin).text())
        .contains("digest")
        .doesNotContain(secret);
    for (String file : List.of("box.db", "box.db-wal")) {
      assertThat(Files.readString(folder.resolve(file), StandardCharsets.ISO_8859_1))
          .as("the secret of a token is not at rest in " + file)
          .doesNotContain(secret.substring(4));
    }
    assertThat(served.post("/api/v1/tokens/" + id + "/revoke", served.admin, null).status())
        .isEqualTo(200);
    assertThat(served.get("/api/v1/machines", secret).status()).isEqualTo(401);
    assertThat(
            served.send(served.request("/api/v1/machines").header("Cookie", cookie), null).status())
        .isEqualTo(401);
    assertThat(served.get("/api/v1/audit", served.admin).text()).contains("bob", "refused");
  }

  @Test
  void a_browser_without_a_session_sees_the_sign_in_page() throws Exception {
    Served.Answer page = served.send(served.request("/").header("Accept", "text/html"), null);
    assertThat(page.status()).isEqualTo(401);
    assertThat(page.text()).contains("Sign in to Signalbox");
    assertThat(page.header("Content-Security-Policy"))
        .contains("default-src 'none'", "style-src 'self';", "frame-ancestors 'none'")
        .containsPattern("script-src 'self' 'sha256-[A-Za-z0-9+/]{43}=';")
        .doesNotContain("unsafe", "http:", "https:", "*");
    assertThat(served.get("/sign-in/sign-in.js", null).status()).isEqualTo(200);
    assertThat(served.get("/", served.admin).text()).contains("<title>Signalbox</title>");
  }
}
