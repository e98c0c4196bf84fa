package dev.signalbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Json;
import dev.signalbox.services.notification.WebhookSecret;
import dev.signalbox.services.notification.WebhookSignature;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs whose approvals are answered by signed webhooks, at a server in a process of its own. */
class SignedAnswersProcessTest {
  private static final String PLAN =
      """
      project: demo
      folder: work
      tools:
        - { name: note, command: [cp, a.txt, b.txt], writes: [b.txt] }
        - { name: merge, command: [cp, b.txt, c.txt], writes: [c.txt], risks: [merge_to_main] }
      checks:
        - { name: there, command: [test, -f, c.txt] }
      """;

  /** Whose token the tests use: who started the server. */
  private static final String STARTER = System.getProperty("user.name");

  @TempDir Path folder;

  /** A message as it goes over the wire. */
  private record Message(String id, long seconds, String text, String signature) {}

  /** What was asked: the run, its approval, and what the approval is for. */
  private record Asked(String run, String approval, String digest) {}

  private static String secret(String name) {
    return "whsec_"
        + Base64.getEncoder()
            .encodeToString((name + "-".repeat(32)).getBytes(StandardCharsets.UTF_8));
  }

  @BeforeEach
  void people_and_their_secrets() throws IOException {
    Files.createDirectories(folder.resolve("work"));
    Files.writeString(folder.resolve("work/a.txt"), "a\n");
    Files.createDirectories(folder.resolve("secrets"));
    for (String name : List.of("kim", "lee", "local")) {
      Files.writeString(folder.resolve("secrets").resolve(name + "-key"), secret(name) + "\n");
    }
    Files.writeString(
        folder.resolve("approvers.yaml"),
        """
        approvers:
          - { name: kim, roles: [approver], secret: kim-key }
          - { name: lee, roles: [viewer], secret: lee-key }
          - { name: %s, roles: [approver], secret: local-key }
        """
            .formatted(STARTER));
  }

  private Up up() throws Exception {
    return Up.in(
        folder,
        "--approval-webhooks",
        folder.resolve("approvers.yaml").toString(),
        "--webhook-secrets",
        folder.resolve("secrets").toString());
  }

  private static Map<?, ?> json(String text) throws Exception {
    return (Map<?, ?>) Objects.requireNonNull(Json.parse(text));
  }

  private static Map<?, ?> until(Up up, String run, String substate) throws Exception {
    for (int looks = 0; looks < 3_000; looks++) {
      Map<?, ?> story = json(up.get("/runs/" + run).body());
      if (substate.equals(story.get("substate"))) {
        return story;
      }
      assertThat(story.get("status")).as("%s", story).isEqualTo("live");
      LockSupport.parkNanos(10_000_000);
    }
    throw new AssertionError("not in " + substate);
  }

  private static Asked asked(Up up) throws Exception {
    HttpResponse<String> created = up.post("/runs", Map.of("plan", PLAN));
    assertThat(created.statusCode()).as(created.body()).isEqualTo(201);
    String run = String.valueOf(json(created.body()).get("run_id"));
    Map<?, ?> story = until(up, run, "awaiting_decision");
    String approval = String.valueOf(RunTeller.list(story, "approvals_pending").getFirst());
    String digest = String.valueOf(json(up.get("/approvals/" + approval).body()).get("digest"));
    return new Asked(run, approval, digest);
  }

  private static Map<String, Object> yes(String approver, Asked asked) {
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("approver", approver);
    body.put("approval_id", asked.approval());
    body.put("answer", "approve");
    body.put("digest", asked.digest());
    return body;
  }

  private static Message signed(String id, Instant at, Map<String, Object> body, String by) {
    String text = Json.text(body);
    String signature =
        WebhookSignature.of(
            id,
            at.getEpochSecond(),
            text.getBytes(StandardCharsets.UTF_8),
            List.of(WebhookSecret.of(secret(by))));
    return new Message(id, at.getEpochSecond(), text, signature);
  }

  /** Sends it as anybody would: without a token. */
  private static HttpResponse<String> send(Up up, Message message) throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(
          HttpRequest.newBuilder(URI.create(up.address + "/api/v1/approvals/answers"))
              .header("Content-Type", "application/json")
              .header(WebhookSignature.ID, message.id())
              .header(WebhookSignature.TIMESTAMP, String.valueOf(message.seconds()))
              .header(WebhookSignature.SIGNATURE, message.signature())
              .POST(HttpRequest.BodyPublishers.ofString(message.text()))
              .build(),
          HttpResponse.BodyHandlers.ofString());
    }
  }

  private static void assertRefused(Up up, Message message, Integer... codes) throws Exception {
    HttpResponse<String> answer = send(up, message);
    assertThat(answer.statusCode()).as(answer.body()).isIn((Object[]) codes);
  }

  @Test
  void a_signed_webhook_answers_and_the_run_goes_on_to_its_end() throws Exception {
    try (Up up = up()) {
      Asked asked = asked(up);
      Message message = signed("m-1", Instant.now(), yes("kim", asked), "kim");

      HttpResponse<String> answer = send(up, message);

      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      until(up, asked.run(), "COMPLETE");
      assertThat(folder.resolve("work/c.txt")).hasContent("a");
      Map<?, ?> approval = json(up.get("/approvals/" + asked.approval()).body());
      assertThat(approval.get("state")).isEqualTo("EXECUTED");
      assertThat(RunTeller.list(approval, "approvers").toString()).isEqualTo("[kim]");
      up.end();
      assertThat(up.log()).doesNotContain("SEVERE");
    }
  }

  @Test
  void a_wrong_signature_a_wrong_person_and_an_old_message_answer_nothing() throws Exception {
    try (Up up = up()) {
      Asked asked = asked(up);
      Instant now = Instant.now();
      Message good = signed("m-1", now, yes("kim", asked), "kim");

      // Signed by another, for another name, for other bytes, or not in this name at all.
      assertRefused(up, signed("m-2", now, yes("kim", asked), "lee"), 401);
      assertRefused(up, signed("m-3", now, yes("eve", asked), "kim"), 401);
      assertRefused(
          up, new Message("m-1", good.seconds(), good.text() + " ", good.signature()), 401);
      assertRefused(up, new Message("m-1", good.seconds(), good.text(), "v1,AAAA"), 401);
      // Somebody caught it and sends it under another id, or later.
      assertRefused(up, new Message("m-4", good.seconds(), good.text(), good.signature()), 401);
      Instant old = now.minus(Duration.ofMinutes(6));
      assertRefused(up, signed("m-5", old, yes("kim", asked), "kim"), 401);
      // Rightly signed, by one who is no approver and by the one who started the run.
      Map<?, ?> request = json(up.get("/instances/" + asked.approval()).body());
      assertThat(request.get("context"))
          .asInstanceOf(InstanceOfAssertFactories.MAP)
          .containsEntry("requester", STARTER);
      assertRefused(up, signed("m-6", now, yes("lee", asked), "lee"), 403, 409, 422);
      assertRefused(up, signed("m-7", now, yes(STARTER, asked), "local"), 403, 409, 422);

      assertThat(json(up.get("/runs/" + asked.run()).body()).get("substate"))
          .isEqualTo("awaiting_decision");
      assertThat(folder.resolve("work/c.txt")).doesNotExist();
    }
  }

  private static Object entries(Up up, String approval) throws Exception {
    return Objects.requireNonNull(json(up.get("/instances/" + approval).body()).get("sequence"));
  }

  @Test
  void a_message_that_comes_again_counts_once_also_after_a_restart() throws Exception {
    Asked first;
    Message message;
    String answer;
    Object entries;
    try (Up up = up()) {
      first = asked(up);
      message = signed("m-1", Instant.now(), yes("kim", first), "kim");
      answer = send(up, message).body();
      until(up, first.run(), "COMPLETE");
      entries = entries(up, first.approval());
      assertThat(send(up, message).body()).isEqualTo(answer);
      up.end();
    }
    try (Up up = up()) {
      assertThat(send(up, message).body()).isEqualTo(answer);
      assertThat(entries(up, first.approval())).isEqualTo(entries);
      // The same bytes can't answer what the next run asks: they name the approval.
      Asked second = asked(up);
      assertThat(send(up, message).body()).isEqualTo(answer);
      assertThat(json(up.get("/runs/" + second.run()).body()).get("substate"))
          .isEqualTo("awaiting_decision");
    }
  }
}
