package dev.signalbox.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.signalbox.definition.DefinitionException;
import dev.signalbox.definition.Json;
import dev.signalbox.definition.Source;
import dev.signalbox.kernel.Actor;
import dev.signalbox.server.access.SignedApprover;
import dev.signalbox.services.approval.Action;
import dev.signalbox.services.approval.Approvals;
import dev.signalbox.services.approval.Asker;
import dev.signalbox.services.approval.Request;
import dev.signalbox.services.notification.NotificationSettings;
import dev.signalbox.services.notification.Rules;
import dev.signalbox.services.notification.WebhookSecret;
import dev.signalbox.services.notification.WebhookSignature;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Approvals that are answered by signed webhooks. */
class SignedAnswersTest {
  private static final WebhookSecret KIM = secret('k');
  private static final WebhookSecret LEE = secret('l');
  private static final Action MERGE = Action.of("run-1", "merge", Map.of("branch", "topic"));

  @TempDir Path folder;
  private final AtomicReference<Instant> now =
      new AtomicReference<>(Instant.parse("2026-01-31T12:00:00Z"));

  private static WebhookSecret secret(char letter) {
    return WebhookSecret.of(
        "whsec_"
            + Base64.getEncoder()
                .encodeToString(
                    String.valueOf(letter).repeat(32).getBytes(StandardCharsets.UTF_8)));
  }

  private Served served() {
    List<SignedApprover> approvers =
        SignedApprover.read(
            new Source(
                "approvers.yaml",
                """
                approvers:
                  - { name: kim, roles: [approver], secret: kim-key }
                  - { name: lee, roles: [viewer], secret: lee-key }
                  - { name: ann, secret: kim-key }
                """));
    Care care =
        Care.NONE
            .notifying(
                Rules.standard(),
                name -> List.of(name.equals("kim-key") ? KIM : LEE),
                NotificationSettings.DEFAULT)
            .approvedBy(approvers);
    return new Served(folder, Served.SETTINGS.care(care), now::get, List.of());
  }

  private static String asked(Served served) {
    return Approvals.on(served.box)
        .request(
            Request.of(MERGE, Asker.of(new Actor(Actor.Kind.USER, "ann", List.of("operator")))));
  }

  private static Map<String, Object> yes(String approver, String id) {
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("approver", approver);
    body.put("approval_id", id);
    body.put("answer", "approve");
    body.put("digest", MERGE.digest());
    return body;
  }

  private Served.Answer send(
      Served served, String message, Map<String, Object> body, WebhookSecret secret)
      throws Exception {
    String text = Json.text(body);
    long seconds = now.get().getEpochSecond();
    return sendSigned(
        served,
        message,
        seconds,
        text,
        WebhookSignature.of(
            message, seconds, text.getBytes(StandardCharsets.UTF_8), List.of(secret)));
  }

  private static Served.Answer sendSigned(
      Served served, String message, long seconds, String text, String signature) throws Exception {
    return served.send(
        served
            .request("/api/v1/approvals/answers")
            .POST(HttpRequest.BodyPublishers.ofString(text))
            .header("Content-Type", "application/json")
            .header(WebhookSignature.ID, message)
            .header(WebhookSignature.TIMESTAMP, String.valueOf(seconds))
            .header(WebhookSignature.SIGNATURE, signature),
        null);
  }

  private static String state(Served served, String id) {
    return Approvals.on(served.box).approval(id).state();
  }

  @Test
  void what_the_approvers_secret_signed_is_the_approvers_answer() throws Exception {
    try (Served served = served()) {
      String id = asked(served);

      assertThat(send(served, "m-1", yes("kim", id), KIM).status()).isEqualTo(200);

      assertThat(state(served, id)).isEqualTo("APPROVED");
      assertThat(Approvals.on(served.box).approval(id).approvers()).containsExactly("kim");
    }
  }

  @Test
  void rejecting_needs_a_reason_and_ends_it() throws Exception {
    try (Served served = served()) {
      String id = asked(served);
      Map<String, Object> no = new LinkedHashMap<>(yes("kim", id));
      no.put("answer", "reject");
      assertThat(send(served, "m-1", no, KIM).status()).isEqualTo(400);
      no.put("reason", "not today");

      assertThat(send(served, "m-2", no, KIM).status()).isEqualTo(200);

      assertThat(state(served, id)).isNotIn("AWAITING_HUMAN", "APPROVED");
    }
  }

  @Test
  void the_same_message_counts_once_and_gets_the_same_answer_also_after_a_restart()
      throws Exception {
    String id;
    String first;
    try (Served served = served()) {
      id = asked(served);
      first = send(served, "m-1", yes("kim", id), KIM).text();
      assertThat(send(served, "m-1", yes("kim", id), KIM).text()).isEqualTo(first);
    }
    try (Served served = served()) {
      assertThat(send(served, "m-1", yes("kim", id), KIM).text()).isEqualTo(first);
      assertThat(served.box.history(id, 1, 10).stream().filter(e -> e.sequence() > 2)).isEmpty();
    }
  }

  @Test
  void another_secret_another_body_an_old_time_or_an_unknown_name_proves_nothing()
      throws Exception {
    try (Served served = served()) {
      String id = asked(served);
      Map<String, Object> yes = yes("kim", id);
      String text = Json.text(yes);
      long seconds = now.get().getEpochSecond();
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      String good = WebhookSignature.of("m-1", seconds, bytes, List.of(KIM));

      assertThat(send(served, "m-1", yes, LEE).status()).isEqualTo(401);
      assertThat(send(served, "m-1", yes("eve", id), KIM).status()).isEqualTo(401);
      assertThat(sendSigned(served, "m-1", seconds, text + " ", good).status()).isEqualTo(401);
      assertThat(sendSigned(served, "m-2", seconds, text, good).status()).isEqualTo(401);
      assertThat(sendSigned(served, "m-1", seconds + 1, text, good).status()).isEqualTo(401);
      assertThat(served.post("/api/v1/approvals/answers", null, yes).status()).isEqualTo(401);
      now.updateAndGet(time -> time.plusSeconds(301));
      assertThat(sendSigned(served, "m-1", seconds, text, good).status()).isEqualTo(401);
      assertThat(state(served, id)).isEqualTo("AWAITING_HUMAN");
    }
  }

  @Test
  void who_has_not_the_role_who_asked_and_who_saw_something_else_can_not_answer() throws Exception {
    try (Served served = served()) {
      String id = asked(served);

      assertThat(send(served, "m-1", yes("lee", id), LEE).status()).isBetween(403, 409);
      assertThat(send(served, "m-2", yes("ann", id), KIM).status()).isBetween(403, 422);
      Map<String, Object> no = new LinkedHashMap<>(yes("ann", id));
      no.put("answer", "reject");
      no.put("reason", "it is mine");
      assertThat(send(served, "m-4", no, KIM).status()).isEqualTo(409);
      Map<String, Object> other = yes("kim", id);
      other.put("digest", "0".repeat(64));
      assertThat(send(served, "m-3", other, KIM).status()).isBetween(403, 422);
      assertThat(state(served, id)).isEqualTo("AWAITING_HUMAN");
    }
  }

  @Test
  void without_such_approvers_there_is_no_open_door() throws Exception {
    try (Served served = new Served(folder)) {
      String id = asked(served);
      assertThat(served.server.routes()).noneMatch(r -> r.path().equals(SignedAnswerRoute.PATH));
      assertThat(send(served, "m-1", yes("kim", id), KIM).status()).isEqualTo(401);
    }
  }

  @Test
  void nobody_is_given_a_role_of_the_engine() {
    assertThatThrownBy(() ->
            SignedApprover.read(
                new Source(
                    "approvers.yaml", "approvers:\n  - { name: kim, roles: [system], secret: k }")))
        .isInstanceOf(DefinitionException.class);
  }
}
