package dev.signalbox.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every sign-in and every refused request leaves a line, and none of them a secret. */
class AuditTest {
  @TempDir Path folder;

  /** A line of the log that must be there. */
  private record Line(String kind, String who, String request, int status, String code) {}

  private static Line refused(String who, String request, int status, String code) {
    return new Line("refused", who, request, status, code);
  }

  @Test
  void whoever_signs_in_and_whatever_is_refused_is_noted() throws Exception {
    try (Served served = new Served(folder)) {
      String viewer = served.token("vic", "viewer");
      served.get("/api/v1/machines", null);
      served.get("/api/v1/instances", "sbx_wrong");
      served.post("/api/v1/instances", viewer, Map.of("machine", "deploy"));
      served.get("/api/v1/nothing", viewer);
      served.send(served.request("/api/v1/machines").DELETE(), viewer);
      served.get("/api/v1/instances?most=many", viewer);
      served.post("/api/v1/instances/none/events", served.admin, Map.of("event", "x"));
      served.post("/api/v1/instances", served.admin, Map.of("machine", "deploy", "id", "d-1"));
      served.post("/api/v1/instances/d-1/events", served.admin, Map.of("event", "fly"));
      served.post("/api/v1/locks/x/break", served.admin, Map.of("reason", "x".repeat(2_000_000)));
      served.send(
          served.request("/api/v1/overview").header("Origin", "https://evil.example"), viewer);
      host(served);
      raw(
          served,
          "GET /api/v1/machines HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Long: " + "x".repeat(20_000));
      raw(served, "NONSENSE\r\n");
      served.post("/mcp", null, Map.of());
      served.post("/api/v1/session", null, Map.of("code", "nonsense"));
      String cookie = signIn(served, viewer);
      served.send(
          served
              .request("/api/v1/verify")
              .header("Cookie", cookie)
              .header("Content-Type", "application/json")
              .POST(HttpRequest.BodyPublishers.ofString("{}")),
          null);

      List<Line> lines =
          served.get("/api/v1/audit?most=1000", served.admin).list("lines").stream()
              .map(AuditTest::line)
              .toList();
      assertThat(lines)
          .contains(
              refused("", "GET /api/v1/machines", 401, "unauthenticated"),
              refused("", "GET /api/v1/instances", 401, "unauthenticated"),
              refused("vic", "POST /api/v1/instances", 403, "forbidden"),
              refused("vic", "GET /api/v1/nothing", 404, "not-found"),
              refused("vic", "DELETE /api/v1/machines", 405, "method-not-allowed"),
              refused("vic", "GET /api/v1/instances", 400, "bad-request"),
              refused("ann", "POST /api/v1/instances/none/events", 404, "unknown-instance"),
              refused("ann", "POST /api/v1/instances/d-1/events", 409, "no-transition"),
              refused("ann", "POST /api/v1/locks/x/break", 413, "too-large"),
              refused("", "GET /api/v1/overview", 403, "wrong-origin"),
              refused("", "GET /api/v1/health", 421, "wrong-host"),
              refused("", "GET /api/v1/machines", 431, "too-large"),
              refused("", "POST /mcp", 401, "unauthenticated"),
              refused("", "POST /api/v1/session", 401, "unauthenticated"),
              new Line("sign-in", "vic", "POST /api/v1/session", 201, ""),
              refused("", "POST /api/v1/verify", 403, "csrf-token-missing"));
      assertThat(
              Files.readString(folder.resolve("audit.jsonl"))
                  + Files.readString(folder.resolve("audit-strangers.jsonl")))
          .doesNotContain("sbx_", "nonsense", cookie.substring(cookie.indexOf('=') + 1));
    }
  }

  @Test
  void lines_of_one_request_that_are_refused_are_noted_together_by_their_code() throws Exception {
    try (Served served = new Served(folder)) {
      served.send(
          served
              .request("/api/v1/events")
              .header("Content-Type", "application/x-ndjson")
              .POST(
                  HttpRequest.BodyPublishers.ofString(
                      """
                      {"start":"deploy","id":"d-1"}
                      nonsense
                      {"instance":"d-1","event":"fly"}
                      {"instance":"none","event":"fly"}
                      {"instance":"nobody","event":"fly"}
                      """)),
          served.admin);
      assertThat(
              served.get("/api/v1/audit", served.admin).list("lines").stream()
                  .map(AuditTest::line)
                  .toList())
          .containsExactlyInAnyOrder(
              refused("ann", "POST /api/v1/events, line 2", 400, "bad-request"),
              refused("ann", "POST /api/v1/events, line 3", 409, "no-transition"),
              refused("ann", "POST /api/v1/events, line 4 and 1 more", 404, "unknown-instance"));
    }
  }

  @Test
  void it_goes_on_after_a_restart_and_can_be_searched() throws Exception {
    try (Served served = new Served(folder)) {
      served.get("/api/v1/nothing", served.admin);
    }
    Files.writeString(
        folder.resolve("audit.jsonl"), "{\"number\":7,\"ki", StandardOpenOption.APPEND);
    try (Served served = new Served(folder)) {
      served.get("/api/v1/machines", null);
      List<?> all = served.get("/api/v1/audit", served.admin).list("lines");
      assertThat(all).hasSize(2);
      assertThat(all.stream().map(each -> ((Map<?, ?>) each).get("number")))
          .doesNotHaveDuplicates();
      for (String text : List.of("not-found", "/nothing")) {
        assertThat(served.get("/api/v1/audit?q=" + text, served.admin).list("lines"))
            .as(text)
            .singleElement()
            .hasToString(all.getLast().toString());
      }
      assertThat(served.get("/api/v1/audit?q=127.0.0.1", served.admin).list("lines")).hasSize(2);
    }
  }

  private static Line line(Object each) {
    Map<?, ?> line = (Map<?, ?>) each;
    return new Line(
        String.valueOf(line.get("kind")),
        String.valueOf(line.get("who")),
        line.get("method") + " " + line.get("path"),
        line.get("status") instanceof Number status ? status.intValue() : 0,
        String.valueOf(line.get("code")));
  }

  private static String signIn(Served served, String token) throws Exception {
    Served.Answer in = served.post("/api/v1/session", null, Map.of("token", token));
    assertThat(in.status()).isEqualTo(201);
    return in.header("Set-Cookie").split(";")[0];
  }

  private static void host(Served served) throws IOException {
    raw(served, "GET /api/v1/health HTTP/1.1\r\nHost: evil.example\r\n\r\n");
  }

  private static void raw(Served served, String request) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), served.server.port())) {
      socket.setSoTimeout(10_000);
      socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
      assertThat(socket.getInputStream().read()).isPositive();
    }
  }
}
