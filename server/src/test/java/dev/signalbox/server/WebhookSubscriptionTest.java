package dev.signalbox.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.services.notification.UrlPolicy;
import dev.signalbox.services.notification.WebhookSecret;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Webhooks that are subscribed with nothing prepared on the server. */
class WebhookSubscriptionTest {
  @TempDir Path folder;

  @Test
  void a_webhook_that_names_no_secret_gets_one_which_is_shown_once() throws Exception {
    ServerSettings settings =
        Served.SETTINGS.care(
            Care.NONE.notifying(
                Care.NONE.rules(),
                Care.NONE.secrets(),
                Care.NONE.webhooks().to(UrlPolicy.LOOPBACK_AND_PRIVATE)));
    try (Served served = new Served(folder, settings, InstantSource.system(), List.of())) {
      String boss = served.token("boss", "admin");
      Map<String, Object> hook =
          Map.of(
              "name", "hook",
              "audiences", List.of("user"),
              "url", "http://127.0.0.1:9/hook");
      Served.Answer made = served.post("/api/v1/subscriptions", boss, hook);
      assertThat(made.status()).isEqualTo(201);
      assertThat(made.at("secret")).isEqualTo("made-hook");
      String secret = made.word("signing_secret");
      assertThat(WebhookSecret.of(secret)).isNotNull();
      Path file = folder.resolve("webhook-secrets/made-hook");
      assertThat(Files.readString(file)).isEqualTo(secret);
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
          .isEqualTo("rw-------");

      Served.Answer again = served.post("/api/v1/subscriptions", boss, hook);
      assertThat(again.json().containsKey("signing_secret")).isFalse();
      assertThat(Files.readString(file)).isEqualTo(secret);
      assertThat(served.get("/api/v1/subscriptions", boss).text()).doesNotContain(secret);
      assertThat(served.get("/api/v1/instances/subscription-hook/history", boss).text())
          .doesNotContain(secret);

      Map<String, Object> bad =
          Map.of("name", "bad", "audiences", List.of("user"), "url", "ftp://127.0.0.1/");
      assertThat(served.post("/api/v1/subscriptions", boss, bad).status()).isEqualTo(400);
      assertThat(folder.resolve("webhook-secrets/made-bad")).doesNotExist();
      Map<String, Object> out =
          Map.of("name", "../out", "audiences", List.of("user"), "url", "http://127.0.0.1/");
      assertThat(served.post("/api/v1/subscriptions", boss, out).status()).isEqualTo(400);
      assertThat(served.post("/api/v1/subscriptions/hook/remove", boss, null).status())
          .isEqualTo(200);
      assertThat(served.get("/api/v1/subscriptions", boss).list("subscriptions")).isEmpty();
    }
  }
}
