package dev.signalbox.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.journal.Query;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whatever is thrown at the door for agents is no fault of ours and makes nothing. {@code
 * -Dfuzz.seed} chooses another run.
 */
class McpFuzzTest {
  private static final long SEED = Long.getLong("fuzz.seed", 20_260);
  private static final int REQUESTS = 300;

  private static final List<String> MESSAGES =
      List.of(
          "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"tools/list\"}",
          "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"tools/list\"}",
          "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}",
          "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"nothing\"}",
          "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":[]}",
          "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}",
          "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}",
          "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/nothing\"}",
          "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"start_instance\",\"arguments\":{\"machine\":7}}}",
          "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":[],\"arguments\":\"x\"}}",
          "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}]");

  private static final List<String> TYPES =
      List.of("application/json", "text/plain", "application/json; charset=utf-7", "x");

  private static final List<String> ACCEPTED =
      List.of("application/json, text/event-stream", "application/json", "text/html", "*/*");

  @TempDir Path folder;

  private static <T> T any(Random random, List<T> list) {
    return list.get(random.nextInt(list.size()));
  }

  @Test
  void bad_messages_are_refused_and_never_our_fault() throws Exception {
    Random random = new Random(SEED);
    List<String> bodies = new ArrayList<>(ApiFuzzTest.BODIES);
    bodies.addAll(MESSAGES);
    bodies.addAll(MESSAGES);
    try (Served served = new Served(folder)) {
      String agent = served.token("bot", "agent");
      int before = served.box.instances(Query.ALL.page(0, 1_000)).size();
      for (int i = 0; i < REQUESTS; i++) {
        String body = any(random, bodies);
        HttpRequest.Builder request =
            served
                .request("/mcp" + any(random, List.of("", "?instance=nothing", "?instance=%00")))
                .timeout(Duration.ofSeconds(20))
                .header("Content-Type", any(random, TYPES))
                .header("Accept", any(random, ACCEPTED))
                .method(
                    any(random, List.of("POST", "POST", "POST", "DELETE", "PUT")),
                    HttpRequest.BodyPublishers.ofString(body));
        if (random.nextInt(3) == 0) {
          request.header("Mcp-Session-Id", any(random, List.of("x", "", "a".repeat(300))));
        }
        Served.Answer answer = answer(served, request, random.nextInt(5) == 0 ? null : agent);
        assertThat(answer.status())
            .as("seed %d, request %d: %s%n→ %s", SEED, i, body, answer.text())
            .isBetween(200, 499);
        assertThat(answer.text()).doesNotContain("stackTrace", "java.");
      }
      assertThat(served.box.instances(Query.ALL.page(0, 1_000))).hasSize(before);
      assertThat(served.get("/api/v1/health", null).status()).isEqualTo(200);
    }
  }

  /**
   * The answer to a request. The server ends a connection on which it refused something, and the
   * client may be sending the next request on it already; that one is sent again on another.
   */
  private static Served.Answer answer(
      Served served, HttpRequest.Builder request, @Nullable String token) throws Exception {
    try {
      return served.send(request, token);
    } catch (IOException e) {
      return served.send(request, null);
    }
  }
}
