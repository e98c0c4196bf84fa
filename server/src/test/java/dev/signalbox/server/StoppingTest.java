package dev.signalbox.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.journal.sqlite.SqliteJournal;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.FeedEntry;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.testkit.HeldJournal;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
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
      assertThat(stopping.join(Duration.ofSeconds(20))).isTrue();
      assertThat(served.box.instance("d-1").context().get("approvals")).isEqualTo(1L);
    } finally {
      served.close();
    }
  }

  /** A stream of the protocol for agents, opened without its client. */
  private static CompletableFuture<HttpResponse<InputStream>> opened(Served served, String token)
      throws Exception {
    Served.Answer begun =
        served.send(McpTest.message(served, "?instance=d-1", "", McpTest.HELLO), token);
    String connection = begun.header("Mcp-Session-Id");
    served.send(McpTest.message(served, "", connection, McpTest.LIST), token);
    return served.client.sendAsync(
        served
            .request("/mcp")
            .header("Authorization", "Bearer " + token)
            .header("Accept", "text/event-stream")
            .header("Mcp-Session-Id", connection)
            .build(),
        HttpResponse.BodyHandlers.ofInputStream());
  }

  @Test
  @Timeout(120)
  void streams_of_pages_and_agents_end_whole_and_a_call_under_way_is_answered() throws Exception {
    InstantSource clock = InstantSource.system();
    HeldJournal journal = new HeldJournal(SqliteJournal.open(folder.resolve("box.db"), clock));
    Signalbox box = Signalbox.open(journal, Settings.DEFAULT, clock);
    Served served = new Served(box, folder, Served.SETTINGS, clock, List.of());
    String agent = served.token("robin", "agent");
    Actor approver = new Actor(Actor.Kind.USER, "kim", List.of("reviewer"));
    box.submit(new Command.Start("deploy", "d-1", Map.of(), Actor.SYSTEM, null));
    for (int i = 0; i < 2; i++) {
      box.submit(Command.Send.of("d-1", "approve", null).by(approver));
    }
    BlockingQueue<List<McpSchema.Tool>> changes = new LinkedBlockingQueue<>();
    McpSyncClient client = McpTest.unopened(served, agent, "?instance=d-1", changes);
    try (StreamTest.Reader page = StreamTest.Reader.open(served, "/api/v1/stream", null)) {
      client.initialize();
      client.listTools();
      CompletableFuture<HttpResponse<InputStream>> opened = opened(served, agent);
      box.send("d-1", "start");
      // Who is told of it has an open stream.
      assertThat(changes.poll(30, TimeUnit.SECONDS)).isNotNull();
      BufferedReader stream =
          new BufferedReader(
              new InputStreamReader(
                  opened.get(30, TimeUnit.SECONDS).body(), StandardCharsets.UTF_8));
      assertThat(until(stream, "list_changed")).isTrue();

      journal.hold();
      CompletableFuture<CallToolResult> call =
          CompletableFuture.supplyAsync(
              () -> McpTest.call(client, "succeeded", Map.of()), McpTest.APART);
      assertThat(journal.held().changes()).hasSize(1);
      Thread stopping = Thread.ofVirtual().start(served.server::close);
      Served.Answer late = served.get("/api/v1/machines", served.admin);
      for (int looks = 0; looks < 10_000 && late.status() == 200; looks++) {
        late = served.get("/api/v1/machines", served.admin);
      }
      assertThat(late.at("code")).isEqualTo("shutting-down");
      assertThat(page.untilEnd()).contains("event: end");
      assertThat(call).isNotDone();
      assertThat(stopping.isAlive()).isTrue();

      journal.release();
      assertThat(McpTest.good(call.get(30, TimeUnit.SECONDS)).get("states"))
          .isEqualTo(List.of("DONE"));
      // A stream that is cut off instead of ended throws.
      assertThat(until(stream, "never")).isFalse();
      assertThat(stopping.join(Duration.ofSeconds(30))).isTrue();
      assertThat(box.instance("d-1").leaves()).containsExactly("DONE");
    } finally {
      journal.release();
      client.close();
      served.close();
    }
  }

  /** Reads until a line has the word; false when the stream ends before. */
  private static boolean until(BufferedReader stream, String word) throws IOException {
    String line = stream.readLine();
    while (line != null && !line.contains(word)) {
      line = stream.readLine();
    }
    return line != null;
  }
}
