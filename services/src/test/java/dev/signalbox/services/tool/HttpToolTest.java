package dev.signalbox.services.tool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.signalbox.services.evidence.Evidence;
import dev.signalbox.services.evidence.EvidenceStore;
import dev.signalbox.services.notification.UrlPolicy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HttpToolTest {
  private static final String SECRET = "bearer-secret-1";

  @TempDir Path temp;
  private EvidenceStore evidence;
  private HttpServer server;
  private String base;
  private final CountDownLatch asked = new CountDownLatch(1);
  private final CountDownLatch over = new CountDownLatch(1);

  @BeforeEach
  void open() throws IOException {
    evidence = EvidenceStore.open(temp.resolve("evidence"));
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext(
        "/echo",
        exchange -> {
          String body =
              "%s %s %s %s %s"
                  .formatted(
                      exchange.getRequestMethod(),
                      exchange.getRequestURI(),
                      exchange.getRequestHeaders().getFirst("idempotency-key"),
                      Objects.requireNonNullElse(
                          exchange.getRequestHeaders().getFirst("authorization"), "-"),
                      new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
          answer(exchange, 200, body);
        });
    server.createContext("/teapot", exchange -> answer(exchange, 418, "short and stout"));
    server.createContext(
        "/away",
        exchange -> {
          exchange.getResponseHeaders().add("location", base + "/echo");
          answer(exchange, 302, "");
        });
    server.createContext("/large", exchange -> answer(exchange, 200, "x".repeat(100_000)));
    server.createContext(
        "/never",
        exchange -> {
          asked.countDown();
          try {
            over.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          exchange.close();
        });
    server.start();
    base = "http://127.0.0.1:" + server.getAddress().getPort();
  }

  @AfterEach
  void close() {
    over.countDown();
    server.stop(0);
  }

  @Test
  void an_answer_of_2xx_is_a_pass_with_the_answer_as_evidence() throws Exception {
    ToolResult result =
        run(HttpEndpoint.get(base + "/echo/{a}?q={b}"), Map.of("a", "x/../y z", "b", "1&c=2"));
    assertThat(result.status()).isEqualTo(ToolStatus.PASS);
    assertThat(text(result, "body")).isEqualTo("GET /echo/x%2F..%2Fy%20z?q=1%26c%3D2 k-1 - ");
    assertThat(text(result, "status")).isEqualTo("200\n");
    assertThat(text(result, "headers")).contains("\"content-length\"");
  }

  @Test
  void arguments_are_the_body_where_there_is_one() throws Exception {
    ToolResult result = run(HttpEndpoint.post(base + "/echo"), Map.of("b", 1, "a", "x"));
    assertThat(text(result, "body")).isEqualTo("POST /echo k-1 - {\"a\":\"x\",\"b\":1}");
  }

  @Test
  void a_secret_reaches_the_server_and_nothing_else() throws Exception {
    HttpEndpoint endpoint =
        HttpEndpoint.get(base + "/echo").withSecret("Authorization", "Bearer {api-token}");
    try (HttpTool tool = tool(endpoint)) {
      ToolResult result = tool.run(call(Map.of()), evidence);
      assertThat(text(result, "body")).isEqualTo("GET /echo k-1 Bearer [secret api-token] ");
      assertThat(tool.identity(call(Map.of())).toString()).doesNotContain(SECRET);
    }
    HttpEndpoint broken =
        HttpEndpoint.get(base + "/echo").withSecret("Authorization", "{api-token}\n{api-token}");
    assertThat(run(broken, Map.of()).message())
        .contains("a value that HTTP can carry")
        .doesNotContain(SECRET);
  }

  @Test
  void another_answer_is_a_fail() throws Exception {
    ToolResult result = run(HttpEndpoint.get(base + "/teapot"), Map.of());
    assertThat(result.status()).isEqualTo(ToolStatus.FAIL);
    assertThat(text(result, "body")).isEqualTo("short and stout");
    assertThat(run(HttpEndpoint.get(base + "/away"), Map.of()).message())
        .contains("redirects are not followed");
    server.stop(0);
    assertThat(run(HttpEndpoint.get(base + "/echo"), Map.of()).message())
        .contains("could not be connected");
  }

  @Test
  void an_answer_over_the_limit_is_a_fail() throws Exception {
    try (HttpTool tool = tool(HttpEndpoint.get(base + "/large"))) {
      ToolCall call = call(Map.of()).within(new ToolLimits(Duration.ofMinutes(1), 1000));
      assertThat(tool.run(call, evidence).message()).contains("at most 1,000 bytes");
    }
  }

  @Test
  void other_hosts_are_not_called() throws Exception {
    ToolResult result =
        run(HttpEndpoint.get(base.replace("127.0.0.1", "localhost") + "/echo"), Map.of());
    assertThat(result.status()).isEqualTo(ToolStatus.FAIL);
    assertThat(result.message()).contains("'localhost' is none");
    try (HttpTool tool =
        new HttpTool(
            HttpEndpoint.get(base + "/echo"),
            Set.of("127.0.0.1"),
            UrlPolicy.PUBLIC,
            SecretSource.NONE)) {
      assertThat(tool.run(call(Map.of()), evidence).message()).contains("not https");
    }
    assertThatThrownBy(() -> HttpEndpoint.get("http://{host}/x"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void a_server_that_never_answers_is_left_when_the_time_is_over() throws Exception {
    try (HttpTool tool = tool(HttpEndpoint.get(base + "/never"))) {
      ToolCall call = call(Map.of()).within(new ToolLimits(Duration.ofMillis(300), 1000));
      assertThat(tool.run(call, evidence).message()).contains("within PT0.3S");
    }
  }

  @Test
  void an_interrupt_ends_the_call() throws Exception {
    CompletableFuture<ToolResult> result = new CompletableFuture<>();
    Thread thread =
        Thread.ofPlatform()
            .start(() -> {
              try {
                result.complete(run(HttpEndpoint.get(base + "/never"), Map.of()));
              } catch (Throwable e) {
                result.completeExceptionally(e);
              }
            });
    asked.await();
    thread.interrupt();
    assertThatThrownBy(result::get)
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(InterruptedException.class);
  }

  private ToolResult run(HttpEndpoint endpoint, Map<String, Object> arguments)
      throws InterruptedException {
    try (HttpTool tool = tool(endpoint)) {
      return tool.run(call(arguments), evidence);
    }
  }

  private static HttpTool tool(HttpEndpoint endpoint) {
    return new HttpTool(endpoint, Set.of("127.0.0.1"), UrlPolicy.LOOPBACK_AND_PRIVATE, _ -> SECRET);
  }

  private ToolCall call(Map<String, Object> arguments) {
    return ToolCall.of("k-1", "t", arguments, temp);
  }

  private static void answer(HttpExchange exchange, int status, String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  private String text(ToolResult result, String name) {
    Evidence piece =
        Objects.requireNonNull(result.evidence(name), () -> result + " has no " + name);
    return new String(evidence.bytes(piece.sha256()), StandardCharsets.UTF_8);
  }
}
