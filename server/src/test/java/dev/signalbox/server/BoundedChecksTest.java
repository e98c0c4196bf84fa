package dev.signalbox.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A machine that takes for ever to check stops nobody. */
class BoundedChecksTest {
  @TempDir Path folder;

  /** Sixty parallel regions of two states each: 2^60 configurations. */
  private static String endless() {
    StringBuilder text =
        new StringBuilder("machine: big\nstates:\n  ALL:\n    parallel: true\n    states:\n");
    for (int i = 0; i < 200; i++) {
      text.append(
          """
                R%1$d:
                  initial: A%1$d
                  states:
                    A%1$d: { on: { e%1$d: B%1$d } }
                    B%1$d: { on: { f%1$d: A%1$d } }
          """
              .formatted(i));
    }
    return text.toString();
  }

  private static CompletableFuture<Served.Answer> check(Served served, String token, String text) {
    HttpRequest.Builder request =
        served
            .request("/api/v1/machines/check")
            .header("Content-Type", "text/plain")
            .POST(HttpRequest.BodyPublishers.ofString(text));
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return served.send(request, token);
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
        },
        McpTest.APART);
  }

  private static long checking() {
    return Thread.getAllStackTraces().entrySet().stream()
        .filter(each -> each.getKey().getName().startsWith("signalbox-check-"))
        .filter(each ->
            List.of(each.getValue()).stream()
                .anyMatch(frame -> frame.getClassName().contains(".definition.")))
        .count();
  }

  @Test
  void one_that_never_ends_is_ended_and_meanwhile_others_are_answered() throws Exception {
    ServerSettings.Limits usual = Served.SETTINGS.limits();
    ServerSettings settings =
        Served.SETTINGS.limits(
            new ServerSettings.Limits(
                usual.bodyBytes(),
                usual.perSecond(),
                usual.failuresPerMinute(),
                usual.streams(),
                usual.streamsOfOne(),
                usual.patience(),
                usual.head(),
                Duration.ofSeconds(2),
                usual.grace()));
    try (Served served = new Served(folder, settings, InstantSource.system(), List.of())) {
      String hostile = served.token("hostile", "viewer");
      CompletableFuture<Served.Answer> first = check(served, hostile, endless());
      while (checking() == 0 && !first.isDone()) {
        LockSupport.parkNanos(10_000_000);
      }
      Served.Answer second = check(served, hostile, endless()).get(60, TimeUnit.SECONDS);
      assertThat(second.status()).isEqualTo(429);
      assertThat(
              served.post("/api/v1/instances", served.admin, Map.of("machine", "deploy")).status())
          .isEqualTo(201);
      Served.Answer ended = first.get(60, TimeUnit.SECONDS);
      assertThat(ended.status()).as(ended.text()).isEqualTo(422);
      assertThat(ended.at("code")).isEqualTo("takes-too-long");
      for (int i = 0; i < 600 && checking() > 0; i++) {
        LockSupport.parkNanos(100_000_000);
      }
      assertThat(checking()).as("the checker has really ended").isZero();
      assertThat(check(served, hostile, Served.DEPLOY).get(60, TimeUnit.SECONDS).status())
          .isEqualTo(200);
    }
  }
}
