package dev.signalbox.services.notification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.standardwebhooks.Webhook;
import java.net.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Signatures of Standard Webhooks, from both sides. */
class WebhookSignatureTest {
  /** The example that the specification and its libraries share. */
  private static final String KEY = "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

  private static final String ID = "msg_p5jXN8AQM9LWM0D4loKWxJek";
  private static final long SECONDS = 1_614_265_330;
  private static final byte[] BODY = "{\"test\": 2432232314}".getBytes(StandardCharsets.UTF_8);
  private static final String SIGNATURE = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

  private static final String OTHER = "whsec_bmV3LXNlY3JldC1vZi0zMi1ieXRlcy1sZW5ndGghISE=";

  @TempDir Path folder;

  private static final WebhookSecret SECRET = WebhookSecret.of("whsec_" + KEY);

  private static Map<String, String> headers(String id, long seconds, String signature) {
    Map<String, String> headers = new HashMap<>();
    headers.put(WebhookSignature.ID, id);
    headers.put(WebhookSignature.TIMESTAMP, Long.toString(seconds));
    headers.put(WebhookSignature.SIGNATURE, signature);
    return headers;
  }

  private static InstantSource at(long seconds) {
    return InstantSource.fixed(Instant.ofEpochSecond(seconds));
  }

  @Test
  void the_published_example_is_signed_as_published() {
    assertThat(WebhookSignature.of(ID, SECONDS, BODY, List.of(SECRET))).isEqualTo(SIGNATURE);
    assertThat(WebhookSignature.of(ID, SECONDS, BODY, List.of(WebhookSecret.of(KEY))))
        .isEqualTo(SIGNATURE);
  }

  @Test
  void the_standards_own_library_verifies_what_we_sign_also_while_a_secret_is_replaced() {
    long now = InstantSource.system().instant().getEpochSecond();
    String signed = WebhookSignature.of(ID, now, BODY, List.of(WebhookSecret.of(OTHER), SECRET));
    assertThat(signed.split(" ")).hasSize(2);
    HttpHeaders headers =
        HttpHeaders.of(
            Map.of(
                WebhookSignature.ID, List.of(ID),
                WebhookSignature.TIMESTAMP, List.of(Long.toString(now)),
                WebhookSignature.SIGNATURE, List.of(signed)),
            (_, _) -> true);
    String body = new String(BODY, StandardCharsets.UTF_8);
    for (String secret : List.of("whsec_" + KEY, OTHER)) {
      assertThatCode(() -> new Webhook(secret).verify(body, headers)).doesNotThrowAnyException();
    }
  }

  @Test
  void a_replay_a_stale_one_and_a_forged_one_are_told_apart() {
    WebhookVerifier verifier = new WebhookVerifier(List.of(SECRET), at(SECONDS + 10));
    Map<String, String> genuine = headers(ID, SECONDS, SIGNATURE);
    assertThat(verifier.verify(genuine::get, BODY))
        .isEqualTo(new WebhookVerifier.Verdict.Accepted(ID));
    assertThat(verifier.verify(genuine::get, BODY))
        .isEqualTo(new WebhookVerifier.Verdict.Replayed(ID));
    assertThat(verifier.verify(genuine::get, "{}".getBytes(StandardCharsets.UTF_8)))
        .isInstanceOf(WebhookVerifier.Verdict.Refused.class);
    assertThat(verifier.verify(headers("msg_other", SECONDS, SIGNATURE)::get, BODY))
        .isInstanceOf(WebhookVerifier.Verdict.Refused.class);
    assertThat(verifier.verify(headers(ID, SECONDS + 1, SIGNATURE)::get, BODY))
        .isInstanceOf(WebhookVerifier.Verdict.Refused.class);
    assertThat(verifier.verify(headers(ID, SECONDS, "v1, v1a,x =")::get, BODY))
        .isInstanceOf(WebhookVerifier.Verdict.Refused.class);
    assertThat(verifier.verify(_ -> null, BODY))
        .isInstanceOf(WebhookVerifier.Verdict.Refused.class);
    assertThat(
            new WebhookVerifier(List.of(WebhookSecret.of(OTHER)), at(SECONDS))
                .verify(genuine::get, BODY))
        .isInstanceOf(WebhookVerifier.Verdict.Refused.class);
    for (long late : new long[] {-301, 301}) {
      assertThat(
              new WebhookVerifier(List.of(SECRET), at(SECONDS + late)).verify(genuine::get, BODY))
          .isInstanceOf(WebhookVerifier.Verdict.Refused.class);
    }
  }

  @Test
  void secrets_come_from_variables_or_files_and_are_never_shown() throws Exception {
    Secrets variables =
        Secrets.environment(
            Map.of(
                "SIGNALBOX_SECRET_SIGNING_KEY",
                OTHER + " whsec_" + KEY,
                "SIGNALBOX_SECRET_BAD",
                "hush"));
    assertThat(variables.named("signing-key")).hasSize(2);
    assertThat(variables.named("signing-key").toString()).isEqualTo("[***, ***]");
    Files.writeString(folder.resolve("signing-key"), "whsec_" + KEY + "\n" + OTHER + "\n");
    assertThat(Secrets.folder(folder).named("signing-key")).hasSize(2);
    assertThatThrownBy(() -> variables.named("bad"))
        .hasMessageContaining("whsec_ and 24 to 64 bytes")
        .hasMessageNotContaining("hush");
    assertThatThrownBy(() -> variables.named("other")).hasMessageContaining("'other'");
    assertThatThrownBy(() -> Secrets.folder(folder).named("../signing-key"))
        .hasMessageContaining("small letters");
    assertThatThrownBy(() -> Secrets.folder(folder).named("gone")).hasMessageContaining("'gone'");
  }

  @Test
  void waiting_doubles_up_to_the_longest_and_is_the_same_for_the_same_seed() {
    Backoff backoff = new Backoff(Duration.ofSeconds(5), Duration.ofMinutes(1));
    for (int attempt = 1; attempt <= 40; attempt++) {
      long whole = Math.min(60_000, 5_000L << Math.min(attempt - 1, 20));
      long wait = backoff.before(attempt, new java.util.SplittableRandom(7)).toMillis();
      assertThat(wait).isBetween(whole / 2, whole);
      assertThat(backoff.before(attempt, new java.util.SplittableRandom(7)).toMillis())
          .isEqualTo(wait);
    }
  }
}
