package dev.signalbox.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.testkit.ManualClock;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How long somebody may listen, on streams that are never silent. */
class StreamAttendanceTest {
  @TempDir Path folder;
  private final ManualClock clock = new ManualClock();
  private final AtomicBoolean busy = new AtomicBoolean(true);
  private final AtomicLong sent = new AtomicLong();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private Issuer issuer;
  private Served served;

  @BeforeEach
  void start() throws Exception {
    issuer = new Issuer(folder);
    served =
        new Served(
            Signalbox.open(
                "jdbc:sqlite:" + folder.resolve("box.db"),
                Settings.DEFAULT,
                InstantSource.system()),
            folder,
            issuer.settings(Served.SETTINGS),
            clock,
            List.of());
  }

  @AfterEach
  void stop() {
    busy.set(false);
    threads.close();
    served.close();
  }

  /** Something happens all the time, each as soon as the last is durable. */
  private void keepBusy() {
    threads.execute(() -> {
      while (busy.get()) {
        served.box.submit(
            new Command.Start(
                "deploy", "d-" + sent.incrementAndGet(), Map.of(), Server.owner("o"), null));
      }
    });
  }

  private CompletableFuture<String> rest(StreamTest.Reader reader) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return reader.untilEnd();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        },
        threads);
  }

  private static void assertEnds(CompletableFuture<String> rest) throws Exception {
    assertThat(rest.get(60, TimeUnit.SECONDS)).doesNotContain("event: end");
  }

  @Test
  void a_revoked_token_hears_nothing_more_although_the_stream_is_busy() throws Exception {
    String token = served.token("vic", "viewer");
    String id =
        served.server.tokens().list().stream()
            .filter(each -> each.name().equals("vic"))
            .findFirst()
            .orElseThrow()
            .id();
    keepBusy();
    try (StreamTest.Reader reader = StreamTest.Reader.open(served, token, "/api/v1/stream", null)) {
      assertThat(reader.next()).isNotNull();
      CompletableFuture<String> rest = rest(reader);
      served.post("/api/v1/tokens/" + id + "/revoke", served.admin, Map.of());
      clock.advance(Duration.ofSeconds(6));
      assertEnds(rest);
    }
    assertThat(busy).isTrue();
  }

  @Test
  void a_jwt_that_is_over_hears_nothing_more_on_any_stream() throws Exception {
    String jwt = issuer.jwt("kim", clock.instant().plusSeconds(120), List.of("viewer"));
    keepBusy();
    for (String path : List.of("/api/v1/stream", "/api/v1/notifications/stream")) {
      String fresh = issuer.jwt("kim", clock.instant().plusSeconds(120), List.of("viewer"));
      try (StreamTest.Reader reader = StreamTest.Reader.open(served, fresh, path, null)) {
        CompletableFuture<String> rest = rest(reader);
        clock.advance(Duration.ofSeconds(200));
        assertEnds(rest);
      }
    }
    assertThat(served.get("/api/v1/session", jwt).status()).isEqualTo(401);
  }

  @Test
  void a_session_that_signed_out_hears_nothing_more() throws Exception {
    Served.Answer in = served.post("/api/v1/session", null, Map.of("token", served.admin));
    String cookie = in.header("Set-Cookie").split(";")[0];
    String csrf = in.word("csrf_token");
    keepBusy();
    try (StreamTest.Reader reader =
        StreamTest.Reader.open(
            served.client,
            served.request("/api/v1/stream").header("Cookie", cookie).header("X-CSRF-Token", csrf),
            null)) {
      CompletableFuture<String> rest = rest(reader);
      Served.Answer out =
          served.send(
              served
                  .request("/api/v1/session")
                  .header("Cookie", cookie)
                  .header("X-CSRF-Token", csrf)
                  .DELETE(),
              null);
      assertThat(out.status()).isEqualTo(204);
      clock.advance(Duration.ofSeconds(6));
      assertEnds(rest);
    }
  }

  @Test
  void after_an_hour_a_busy_stream_ends_too() throws Exception {
    keepBusy();
    try (StreamTest.Reader reader = StreamTest.Reader.open(served, "/api/v1/stream", null)) {
      assertThat(reader.next()).isNotNull();
      CompletableFuture<String> rest = rest(reader);
      clock.advance(Duration.ofMinutes(61));
      assertEnds(rest);
    }
  }

  @Test
  void there_is_a_sign_of_life_although_what_happens_is_not_wanted() throws Exception {
    keepBusy();
    try (StreamTest.Reader reader =
        StreamTest.Reader.open(served, "/api/v1/stream?instance=none", null)) {
      CompletableFuture<String> first =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return reader.line();
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              },
              threads);
      clock.advance(Duration.ofSeconds(16));
      assertThat(first.get(60, TimeUnit.SECONDS)).startsWith("id: ");
    }
  }

  @Test
  void lines_of_one_request_that_come_after_the_token_was_revoked_are_not_carried_out()
      throws Exception {
    String token = served.token("op", "operator");
    String id =
        served.server.tokens().list().stream()
            .filter(each -> each.name().equals("op"))
            .findFirst()
            .orElseThrow()
            .id();
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), served.server.port())) {
      socket.setSoTimeout(60_000);
      OutputStream out = socket.getOutputStream();
      out.write(
          ("POST /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
                  + "Authorization: Bearer "
                  + token
                  + "\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n")
              .getBytes(StandardCharsets.US_ASCII));
      chunk(out, "{\"start\":\"deploy\",\"id\":\"b-1\"}\n");
      while (served.box.find("b-1") == null) {
        LockSupport.parkNanos(5_000_000);
      }
      served.post("/api/v1/tokens/" + id + "/revoke", served.admin, Map.of());
      clock.advance(Duration.ofSeconds(6));
      chunk(out, "{\"start\":\"deploy\",\"id\":\"b-2\"}\n");
      chunk(out, "");
      assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
          .contains("b-1", "unauthenticated");
    }
    assertThat(served.box.find("b-2")).isNull();
  }

  private static void chunk(OutputStream out, String text) throws IOException {
    out.write("%x\r\n%s\r\n".formatted(text.length(), text).getBytes(StandardCharsets.US_ASCII));
    out.flush();
  }
}
