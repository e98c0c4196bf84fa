package dev.signalbox.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients that are never silent and never done, on sockets of their own. */
class SlowClientTest {
  private static final Duration HEAD = Duration.ofMillis(400);
  private static final Duration PATIENCE = Duration.ofMillis(1_500);
  private static final int PACE = 100;

  @TempDir Path folder;
  private Served served;

  @BeforeEach
  void start() {
    served =
        new Served(
            folder,
            Served.SETTINGS.limits(Served.SETTINGS.limits().slow(PATIENCE, HEAD)),
            InstantSource.system(),
            List.of());
  }

  @AfterEach
  void stop() {
    served.close();
  }

  private Socket connected() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), served.server.port());
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(PACE);
    return socket;
  }

  private static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
    socket.getOutputStream().flush();
  }

  /**
   * Sends a byte whenever the server has said nothing for a while, until it closes the connection.
   *
   * @return what the server said meanwhile
   */
  private static String drip(Socket socket, String text) throws IOException {
    StringBuilder said = new StringBuilder();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    for (int at = 0; System.nanoTime() < end; at++) {
      try {
        send(socket, text.substring(at % text.length(), at % text.length() + 1));
        int heard = heard(socket, said);
        if (heard < 0) {
          return said.toString();
        }
      } catch (SocketException closed) {
        return said.toString();
      }
    }
    throw new AssertionError("It is still connected after 30 seconds.");
  }

  private static int heard(Socket socket, StringBuilder said) throws IOException {
    try {
      byte[] buffer = new byte[4_096];
      int count = socket.getInputStream().read(buffer);
      if (count > 0) {
        said.append(new String(buffer, 0, count, StandardCharsets.UTF_8));
      }
      return count;
    } catch (SocketTimeoutException nothing) {
      return 0;
    }
  }

  private String authorized(String start) {
    return start + "Host: 127.0.0.1\r\nAuthorization: Bearer " + served.admin + "\r\n";
  }

  @Test
  void a_head_that_drips_is_given_up() throws Exception {
    try (Socket socket = connected()) {
      assertThat(
              drip(
                  socket,
                  "GET /api/v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: " + "a".repeat(500)))
          .isEmpty();
    }
    try (Socket socket = connected()) {
      assertThat(drip(socket, "\r\n")).isEmpty();
    }
    assertThat(served.get("/api/v1/health", null).status()).isEqualTo(200);
    assertThat(served.get("/api/v1/audit?q=too-slow", served.admin).list("lines"))
        .hasSize(2)
        .allSatisfy(line -> assertThat(line.toString()).contains("from=127.0.0.1", "status=408"));
  }

  @Test
  void a_head_that_drips_behind_a_good_request_is_given_up_too() throws Exception {
    try (Socket socket = connected()) {
      send(socket, "GET /api/v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
      StringBuilder said = new StringBuilder();
      while (!said.toString().contains("}")) {
        assertThat(heard(socket, said)).isGreaterThanOrEqualTo(0);
      }
      assertThat(said.toString()).startsWith("HTTP/1.1 200");
      assertThat(drip(socket, "GET /api/v1/health HTTP/1.1\r\nX-A: " + "a".repeat(500))).isEmpty();
    }
  }

  @Test
  void a_body_that_drips_is_given_up() throws Exception {
    for (String path : List.of("/api/v1/instances", "/mcp")) {
      try (Socket socket = connected()) {
        send(
            socket,
            authorized("POST " + path + " HTTP/1.1\r\n")
                + "Content-Type: application/json\r\n"
                + "Accept: application/json, text/event-stream\r\n"
                + "Content-Length: 100000\r\n\r\n");
        assertThat(drip(socket, " ")).as(path).matches("(?s)(HTTP/1.1 4.*)?");
      }
    }
  }

  @Test
  void lines_that_drip_are_given_up_and_lines_that_come_are_not() throws Exception {
    String head =
        authorized("POST /api/v1/events HTTP/1.1\r\n")
            + "Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n";
    try (Socket socket = connected()) {
      send(socket, head);
      String said = drip(socket, "1\r\n \r\n");
      assertThat(said).doesNotContain("\"sequence\"");
    }
    String line = "{\"start\":\"deploy\"}\n";
    try (Socket socket = connected()) {
      send(socket, head);
      StringBuilder said = new StringBuilder();
      long end = System.nanoTime() + 2 * PATIENCE.toNanos();
      while (System.nanoTime() < end) {
        send(socket, Integer.toHexString(line.length()) + "\r\n" + line + "\r\n");
        assertThat(heard(socket, said)).isGreaterThanOrEqualTo(0);
      }
      send(socket, "0\r\n\r\n");
      while (!said.toString().endsWith("\r\n0\r\n\r\n")) {
        assertThat(heard(socket, said)).as(said.toString()).isGreaterThanOrEqualTo(0);
      }
      assertThat(said.toString()).startsWith("HTTP/1.1 200");
    }
  }

  @Test
  void a_stream_of_events_lasts_much_longer_than_a_head_may_take() throws Exception {
    try (Socket socket = connected()) {
      send(
          socket,
          authorized("GET /api/v1/stream HTTP/1.1\r\n") + "Accept: text/event-stream\r\n\r\n");
      StringBuilder said = new StringBuilder();
      long end = System.nanoTime() + 2 * PATIENCE.plus(HEAD).toNanos();
      while (System.nanoTime() < end) {
        assertThat(heard(socket, said)).as(said.toString()).isGreaterThanOrEqualTo(0);
        assertThat(
                served
                    .post("/api/v1/instances", served.admin, java.util.Map.of("machine", "deploy"))
                    .status())
            .isEqualTo(201);
      }
      int before = said.length();
      while (said.length() == before) {
        assertThat(heard(socket, said)).isGreaterThanOrEqualTo(0);
      }
      assertThat(said.toString()).startsWith("HTTP/1.1 200").contains("event: ");
    }
  }

  @Test
  void a_connection_is_kept_between_requests_longer_than_a_head_may_take() throws Exception {
    try (Socket socket = connected()) {
      InputStream in = socket.getInputStream();
      for (int i = 0; i < 3; i++) {
        send(socket, "GET /api/v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
        StringBuilder said = new StringBuilder();
        while (!said.toString().contains("}")) {
          assertThat(heard(socket, said)).isGreaterThanOrEqualTo(0);
        }
        long end = System.nanoTime() + HEAD.multipliedBy(2).toNanos();
        while (System.nanoTime() < end) {
          assertThat(heard(socket, said)).isGreaterThanOrEqualTo(0);
        }
      }
      assertThat(in.available()).isZero();
    }
  }
}
