package dev.signalbox.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.journal.Query;
import dev.signalbox.services.system.Route;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whatever is thrown at the API: a 4xx with a problem, never a 5xx, and nothing grows but the audit
 * log. {@code -Dfuzz.seed} and {@code -Dfuzz.requests} choose another run or a longer one.
 */
class ApiFuzzTest {
  private static final long SEED = Long.getLong("fuzz.seed", 20_260);
  private static final int REQUESTS = Integer.getInteger("fuzz.requests", 1_500);

  static final List<String> BODIES =
      List.of(
          "",
          "{",
          "null",
          "[]",
          "42",
          "\"text\"",
          "{\"machine\":7}",
          "{\"machine\":null}",
          "{\"machine\":{\"a\":[1,2,{\"b\":null}]}}",
          "{\"event\":[]}",
          "{\"event\":\"" + "x".repeat(70_000) + "\"}",
          "{\"event\":\"start\",\"data\":1e999}",
          "{\"event\":\"start\",\"expected_sequence\":\"one\"}",
          "{\"event\":\"start\",\"expected_sequence\":99999999999999999999}",
          "{\"event\":\"\\ud800\"}",
          "{\"to\":-1}",
          "{\"to\":1e3,\"states\":{\"a\":1}}",
          "{\"sequence\":0}",
          "{\"name\":\"\",\"roles\":\"admin\"}",
          "{\"name\":\"x\",\"roles\":[\"system\"]}",
          "{\"clocks\":\"broken\"}",
          "{\"a\":1,\"a\":2}",
          "[".repeat(5_000),
          "{\"a\":".repeat(400) + "1" + "}".repeat(400),
          "{\"token\":\"sbx_forged\"}",
          "{\"code\":\"forged\"}",
          "machine: x\nstates: [",
          "<scxml><!DOCTYPE x></scxml>",
          "\u0000\u0001\u0002");

  private static final List<String> PARTS =
      List.of(
          "d-1",
          "nothing",
          "%00",
          "%2e%2e",
          "..",
          "%2f",
          "%5c",
          ";x=1",
          "%c3%28",
          "%",
          "a%20b",
          "deploy@0",
          "deploy@99999999999",
          "deploy@x",
          "@",
          "'%20or%201=1--",
          "x".repeat(3_000),
          "%F0%9F%9A%82");

  private static final List<String> QUERIES =
      List.of(
          "",
          "?most=0",
          "?most=-1",
          "?most=abc",
          "?most=99999999999999999999",
          "?after=zzz",
          "?after=%00",
          "?at=-5",
          "?at=99999",
          "?status=odd",
          "?field.=x",
          "?field.x=%27",
          "?q=%27%22",
          "?entered_before=x",
          "?theme=odd",
          "?from=x&to=y",
          "?&&&===",
          "?x=%",
          "?name=../../etc/passwd");

  private static final List<String> HEADERS =
      List.of(
          "",
          "If-Match: nonsense\r\n",
          "If-Match: \"-1\"\r\n",
          "Idempotency-Key: " + "k".repeat(300) + "\r\n",
          "Last-Event-ID: abc\r\n",
          "Cookie: signalbox_1=x; =; ;;\r\n",
          "Cookie: " + "c=d; ".repeat(200) + "\r\n",
          "X-Forwarded-Host: evil.example\r\nX-HTTP-Method-Override: DELETE\r\n",
          "Transfer-Encoding: chunked\r\n",
          "Transfer-Encoding: chunked, identity\r\n",
          "Content-Length: 5\r\nContent-Length: 6\r\n",
          "Content-Type: text/plain\r\n",
          "Content-Type: application/json; charset=utf-7\r\n",
          "Content-Encoding: gzip\r\n",
          "Expect: 100-continue\r\n",
          "Range: bytes=0-999999999999\r\n",
          "Accept: \u0001\r\n",
          "X: " + "y".repeat(20_000) + "\r\n",
          "Bad Header: x\r\n",
          "Host: second.example\r\n");

  private static final List<String> METHODS =
      List.of("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "TRACE", "CONNECT", "get", "G E T");

  @TempDir Path folder;

  @Test
  void bad_input_gives_a_problem_and_never_our_fault() throws Exception {
    Random random = new Random(SEED);
    try (Overheard log = new Overheard();
        Served served = new Served(folder)) {
      served.post("/api/v1/instances", served.admin, Map.of("machine", "deploy", "id", "d-1"));
      List<Route> routes =
          served.server.routes().stream().filter(r -> !r.path().endsWith("/stream")).toList();
      long entries = served.box.feed().end();
      long instances = made(served);
      List<String> credentials =
          List.of(
              "Authorization: Bearer " + served.admin + "\r\n",
              "Authorization: Bearer " + served.token("bot", "agent") + "\r\n",
              "",
              "Authorization: Bearer sbx_" + "A".repeat(43) + "\r\n",
              "Authorization: Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZG1pbiJ9.\r\n",
              "Authorization: Basic YWRtaW46YWRtaW4=\r\n",
              "Authorization: Bearer\r\n",
              "Cookie: signalbox_" + served.server.port() + "=forged\r\n");
      long tokens = served.box.feed().end() - entries;
      int silent = 0;
      for (int i = 0; i < REQUESTS; i++) {
        String request = request(random, routes, credentials);
        String answer = send(served, request);
        String shown = "seed %d, request %d: %s%n→ %s".formatted(SEED, i, head(request), answer);
        if (answer.isEmpty()) {
          silent++;
          continue;
        }
        int status = Integer.parseInt(answer.substring(9, 12));
        assertThat(status).as(shown).isLessThan(500);
        if (status >= 400 && !request.startsWith("HEAD")) {
          assertThat(answer).as(shown).contains("application/problem+json");
        }
      }
      assertThat(silent).as("requests that were not answered").isLessThan(REQUESTS / 50);
      assertThat(tokens).isEqualTo(1);
      assertThat(made(served)).as("nothing was made").isEqualTo(instances + 1);
      assertThat(Files.size(folder.resolve("audit-strangers.jsonl"))).isPositive();
      assertThat(served.get("/api/v1/health", null).status()).isEqualTo(200);
      assertThat(log.lines).as("what strangers can fill a disk with").isEmpty();
    }
  }

  /** What Jetty writes into the log. */
  private static final class Overheard extends Handler implements AutoCloseable {
    private static final Logger JETTY = Logger.getLogger("org.eclipse.jetty");
    final List<String> lines = new CopyOnWriteArrayList<>();

    Overheard() {
      JETTY.addHandler(this);
    }

    @Override
    public void publish(LogRecord line) {
      lines.add(line.getLevel() + " " + line.getMessage());
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
      JETTY.removeHandler(this);
    }
  }

  @Test
  void bodies_that_are_no_text_broken_or_too_large_are_refused() throws Exception {
    try (Served served = new Served(folder)) {
      long entries = served.box.feed().end();
      byte[] noText = "{\"machine\":\"?(\"}".getBytes(StandardCharsets.ISO_8859_1);
      noText[12] = (byte) 0xc3;
      byte[] large = new byte[1_100_000];
      Arrays.fill(large, (byte) ' ');
      for (String path : List.of("/instances", "/tasks", "/machines/check", "/budgets")) {
        String head = head(served, path);
        assertThat(status(served, head + length(noText.length), noText)).as(path).isEqualTo(400);
        assertThat(status(served, head + length(2_000_000), large)).as(path).isEqualTo(413);
        assertThat(
                status(
                    served,
                    head + "Transfer-Encoding: chunked\r\n\r\n",
                    "ZZZ\r\n{}".getBytes(StandardCharsets.US_ASCII)))
            .as(path)
            .isEqualTo(400);
      }
      assertThat(served.box.feed().end()).isEqualTo(entries);
    }
  }

  @Test
  void a_body_that_never_comes_is_not_waited_for_long() throws Exception {
    ServerSettings.Limits limits = Served.SETTINGS.limits();
    ServerSettings impatient =
        Served.SETTINGS.limits(limits.slow(Duration.ofMillis(300), limits.head()));
    try (Served served = new Served(folder, impatient, InstantSource.system(), List.of())) {
      int status = status(served, head(served, "/instances") + length(50), new byte[] {'{'});
      assertThat(status).isIn(408, 0);
      assertThat(served.get("/api/v1/health", null).status()).isEqualTo(200);
    }
  }

  private static String head(Served served, String path) {
    return "POST /api/v1%s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"
        .formatted(path, served.admin);
  }

  private static String length(int bytes) {
    return "Content-Length: " + bytes + "\r\n\r\n";
  }

  /** The status of the answer; 0 when the server closed the connection without a word. */
  private static int status(Served served, String head, byte[] body) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), served.server.port())) {
      socket.setSoTimeout(30_000);
      socket.getOutputStream().write(head.getBytes(StandardCharsets.UTF_8));
      socket.getOutputStream().write(body);
      socket.getOutputStream().flush();
      String answer = new String(socket.getInputStream().readNBytes(4_000), StandardCharsets.UTF_8);
      if (answer.isEmpty()) {
        return 0;
      }
      assertThat(answer).contains("application/problem+json");
      return Integer.parseInt(answer.substring(9, 12));
    }
  }

  /**
   * Instances that no request may make without saying what; a worker or a lock needs no more than a
   * token.
   */
  private static long made(Served served) {
    return served.box.instances(Query.ALL.page(0, 1_000)).stream()
        .filter(instance -> !List.of("worker", "lock").contains(instance.machine()))
        .count();
  }

  private static String head(String request) {
    return request.substring(0, Math.min(400, request.length()));
  }

  private static <T> T any(Random random, List<T> list) {
    return list.get(random.nextInt(list.size()));
  }

  private static String request(Random random, List<Route> routes, List<String> credentials) {
    Route route = any(random, routes);
    String method = random.nextInt(10) == 0 ? any(random, METHODS) : route.method();
    String path = "/api/v1" + route.path().replaceAll("\\{[a-z_]+}", "PART");
    while (path.contains("PART")) {
      path =
          path.replaceFirst("PART", java.util.regex.Matcher.quoteReplacement(any(random, PARTS)));
    }
    if (random.nextInt(12) == 0) {
      path =
          any(
              random,
              List.of("//", "/../", "/%2e%2e/etc", "*", "/api/v1//machines", "/sign-in/../x"));
    }
    String body = any(random, BODIES);
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    String credential = any(random, credentials);
    return method
        + " "
        + path
        + any(random, QUERIES)
        + " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
        + credential
        + (random.nextInt(3) == 0 ? any(random, HEADERS) : "")
        + (random.nextInt(4) == 0 ? "" : "Content-Type: application/json\r\n")
        + "Content-Length: "
        + bytes.length
        + "\r\n\r\n"
        + body;
  }

  /** What came back; empty when the server closed the connection without a word. */
  private static String send(Served served, String request) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), served.server.port())) {
      socket.setSoTimeout(30_000);
      try {
        socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
        socket.getOutputStream().flush();
        socket.shutdownOutput();
        InputStream in = socket.getInputStream();
        return new String(in.readNBytes(4_000), StandardCharsets.UTF_8);
      } catch (SocketException e) {
        return "";
      }
    }
  }
}
