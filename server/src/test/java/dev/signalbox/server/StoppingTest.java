package dev.signalbox.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.runtime.FeedEntry;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that is told to stop while somebody is inside. */
class StoppingTest {
  @TempDir Path folder;

  private static void chunk(OutputStream out, String text) throws Exception {
    out.write("%x\r\n%s\r\n".formatted(text.length(), text).getBytes(StandardCharsets.UTF_8));
    out.flush();
  }

  @Test
  void it_is_not_ready_lets_nobody_in_and_those_inside_finish() throws Exception {
    Served served = new Served(folder);
    CountDownLatch begun = new CountDownLatch(1);
    try (Socket inside = new Socket(InetAddress.getLoopbackAddress(), served.server.port());
        StreamTest.Reader stream = StreamTest.Reader.open(served, "/api/v1/stream", null);
        var _ =
            served
                .box
                .feed()
                .onCommit(() -> {
                  for (FeedEntry entry : served.box.feed().read(0, 1_000)) {
                    if (entry.instance().equals("d-1")) {
                      begun.countDown();
                    }
                  }
                })) {
      inside.setSoTimeout(20_000);
      OutputStream out = inside.getOutputStream();
      out.write(
          """
          POST /api/v1/events HTTP/1.1\r
          Host: 127.0.0.1\r
          Authorization: Bearer %s\r
          Content-Type: application/x-ndjson\r
          Transfer-Encoding: chunked\r
          Connection: close\r
          \r
          """
              .formatted(served.admin)
              .getBytes(StandardCharsets.UTF_8));
      chunk(out, "{\"start\":\"deploy\",\"id\":\"d-1\"}\n");
      assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();

      Thread stopping = Thread.ofVirtual().start(served.server::close);
      Served.Answer health = served.get("/api/v1/health", null);
      for (int looks = 0; looks < 10_000 && health.status() == 200; looks++) {
        health = served.get("/api/v1/health", null);
      }
      assertThat(health.status()).isEqualTo(503);
      assertThat(health.at("ready")).isEqualTo(false);
      assertThat(health.at("live")).isEqualTo(true);
      assertThat(served.get("/api/v1/health?probe=live", null).status()).isEqualTo(200);
      Served.Answer late = served.get("/api/v1/machines", served.admin);
      assertThat(late.status()).isEqualTo(503);
      assertThat(late.at("code")).isEqualTo("shutting-down");
      assertThat(stream.untilEnd()).contains("event: end");

      chunk(out, "{\"instance\":\"d-1\",\"event\":\"approve\"}\n");
      out.write("0\r\n\r\n".getBytes(StandardCharsets.UTF_8));
      out.flush();
      String answer = new String(inside.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(answer)
          .startsWith("HTTP/1.1 200")
          .contains("\"line\":1", "\"line\":2", "\"sequence\":2")
          .doesNotContain("problem");
      assertThat(stopping.join(java.time.Duration.ofSeconds(20))).isTrue();
      assertThat(served.box.instance("d-1").context().get("approvals")).isEqualTo(1L);
    } finally {
      served.close();
    }
  }
}
