package dev.signalbox.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What strangers can do to those who have a credential, and with half of one. */
class GateTest {
  /** It stands still, so that nothing is forgiven meanwhile. */
  private static final InstantSource STILL =
      InstantSource.fixed(Instant.parse("2026-05-01T00:00:00Z"));

  @TempDir Path folder;

  private Served strict(Set<String> proxies) {
    return new Served(
        folder,
        ServerSettings.DEFAULT.rates(100_000, 5).care(Care.NONE).proxies(proxies),
        STILL,
        List.of());
  }

  @Test
  void a_good_credential_is_never_refused_because_of_bad_ones_from_the_same_address()
      throws Exception {
    try (Served served = strict(Set.of())) {
      String fresh = served.token("fresh", "viewer");
      for (int i = 0; i < 50; i++) {
        served.get("/api/v1/machines", "sbx_wrong" + i);
        served.post("/api/v1/session", null, Map.of("token", "sbx_wrong" + i));
      }
      assertThat(served.get("/api/v1/machines", "sbx_wrong").status()).isEqualTo(429);
      assertThat(served.get("/api/v1/machines", served.admin).status()).isEqualTo(200);
      assertThat(served.get("/api/v1/machines", fresh).status()).isEqualTo(200);
      assertThat(served.post("/api/v1/session", null, Map.of("token", fresh)).status())
          .isEqualTo(201);
      String link = served.server.signInLink(fresh);
      assertThat(
              served
                  .post(
                      "/api/v1/session",
                      null,
                      Map.of("code", link.substring(link.indexOf('#') + 1)))
                  .status())
          .isEqualTo(201);
    }
  }

  @Test
  void requests_that_need_no_token_do_not_use_up_signing_in_and_health() throws Exception {
    try (Served served =
        new Served(
            folder, ServerSettings.DEFAULT.rates(5, 100).care(Care.NONE), STILL, List.of())) {
      for (int i = 0; i < 30; i++) {
        served.get("/sign-in/sign-in.js", null);
      }
      assertThat(served.get("/sign-in/sign-in.js", null).status()).isEqualTo(429);
      assertThat(served.get("/api/v1/health", null).status()).isEqualTo(200);
      assertThat(served.post("/api/v1/session", null, Map.of("token", served.admin)).status())
          .isEqualTo(201);
    }
  }

  private static int guess(Served served, String forwarded) throws Exception {
    return served
        .send(served.request("/api/v1/machines").header("X-Forwarded-For", forwarded), "sbx_wrong")
        .status();
  }

  @Test
  void behind_a_trusted_proxy_each_client_has_its_own_share() throws Exception {
    try (Served served = strict(Set.of("127.0.0.0/8", "::1"))) {
      for (int i = 0; i < 5; i++) {
        assertThat(guess(served, "203.0.113.9, 10.1.1." + i + ", 198.51.100.7")).isEqualTo(401);
      }
      assertThat(guess(served, "198.51.100.7")).isEqualTo(429);
      assertThat(guess(served, "198.51.100.7, 203.0.113.9")).isEqualTo(401);
      assertThat(guess(served, "198.51.100.7, 203.0.113.9, 127.0.0.1")).isEqualTo(401);
      assertThat(served.get("/api/v1/audit?q=198.51.100.7", served.admin).list("lines")).hasSize(6);
    }
  }

  @Test
  void addresses_of_one_network_of_ipv6_share() throws Exception {
    try (Served served = strict(Set.of("127.0.0.1"))) {
      for (int i = 0; i < 5; i++) {
        assertThat(guess(served, "2001:db8:1:1::" + i)).isEqualTo(401);
      }
      assertThat(guess(served, "2001:db8:1:1:ffff::9")).isEqualTo(429);
      assertThat(guess(served, "2001:db8:1:2::1")).isEqualTo(401);
    }
  }

  @Test
  void without_a_trusted_proxy_nobody_chooses_an_address() throws Exception {
    try (Served served = strict(Set.of())) {
      for (int i = 0; i < 5; i++) {
        assertThat(guess(served, "198.51.100." + i)).isEqualTo(401);
      }
      assertThat(guess(served, "203.0.113.9")).isEqualTo(429);
    }
  }

  private static String raw(Served served, String path, String more) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), served.server.port())) {
      socket.setSoTimeout(30_000);
      socket
          .getOutputStream()
          .write(
              ("GET "
                      + path
                      + " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
                      + more
                      + "\r\n")
                  .getBytes(StandardCharsets.ISO_8859_1));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void a_path_that_can_be_read_in_two_ways_is_refused() throws Exception {
    try (Served served = new Served(folder)) {
      for (String path :
          List.of(
              "/sign-in/../mcp",
              "/sign-in/%2e%2e/mcp",
              "/sign-in/.%2E/mcp",
              "/sign-in/..;/mcp",
              "/sign-in;/../mcp",
              "/sign-in//../mcp",
              "/sign-in/./../mcp",
              "/sign-in/../api/v1/tokens",
              "/api/v1/session/../tokens",
              "/api/v1/./session",
              "//mcp",
              "/%6dcp",
              "/%61pi/v1/machines",
              "/mcp;a=b")) {
        assertThat(raw(served, path, "")).as(path).startsWith("HTTP/1.1 400 ");
      }
      assertThat(raw(served, "/mcp", "")).startsWith("HTTP/1.1 401 ");
      assertThat(raw(served, "/sign-in", "")).startsWith("HTTP/1.1 200 ");
      served.post("/api/v1/instances", served.admin, Map.of("machine", "deploy", "id", "a:b@c.d"));
      assertThat(served.get("/api/v1/instances/a%3Ab%40c.d", served.admin).status()).isEqualTo(200);
    }
  }

  @Test
  void a_jwt_is_an_agents_wherever_and_however_its_roles_say_so() throws Exception {
    Issuer issuer = new Issuer(folder);
    try (Served served =
        new Served(folder, issuer.settings(Served.SETTINGS), InstantSource.system(), List.of())) {
      for (String agent : List.of("agent", "Agent", " agent ")) {
        List<String> roles = new ArrayList<>(List.of("admin", "operator"));
        for (int i = 0; i < 60; i++) {
          roles.add("team-" + i);
        }
        roles.add(agent);
        String jwt = issuer.jwt("kim", Instant.now().plusSeconds(600), roles);
        assertThat(served.get("/api/v1/session", jwt).at("kind")).isEqualTo("agent");
        assertThat(served.get("/api/v1/session", jwt).list("roles"))
            .as(agent)
            .hasSize(32)
            .first()
            .isEqualTo("agent");
        assertThat(served.get("/api/v1/tokens", jwt).status()).as(agent).isEqualTo(403);
      }
    }
  }

  private static HttpRequest.Builder with(Served served, String path, String cookie) {
    return served.request(path).header("Cookie", cookie);
  }

  @Test
  void the_cookie_alone_opens_nothing_but_the_files_of_the_page() throws Exception {
    try (Served served = new Served(folder)) {
      Served.Answer in = served.post("/api/v1/session", null, Map.of("token", served.admin));
      String cookie = in.header("Set-Cookie").split(";")[0];
      String csrf = in.word("csrf_token");
      for (String path : List.of("/", "/app.js")) {
        assertThat(served.send(with(served, path, cookie), null).status()).isEqualTo(200);
      }
      for (var route : served.server.routes()) {
        if (route.isOpen()) {
          continue;
        }
        String path = "/api/v1" + route.path().replaceAll("\\{[a-z_0-9]+}", "nothing");
        for (String wrong : List.of("", "wrong", cookie.substring(cookie.indexOf('=') + 1))) {
          HttpRequest.Builder request =
              with(served, path, cookie)
                  .method(route.method(), HttpRequest.BodyPublishers.ofString("{}"))
                  .header("Content-Type", "application/json");
          Served.Answer refused =
              served.send(wrong.isEmpty() ? request : request.header("X-CSRF-Token", wrong), null);
          assertThat(refused.status()).as("%s %s", route.method(), path).isEqualTo(403);
          assertThat(refused.at("code")).isEqualTo("csrf-token-missing");
          assertThat(refused.text()).doesNotContain(csrf);
        }
      }
      assertThat(served.send(with(served, "/mcp", cookie), null).status()).isEqualTo(403);
      Served.Answer whole =
          served.send(with(served, "/api/v1/session", cookie).header("X-CSRF-Token", csrf), null);
      assertThat(whole.status()).isEqualTo(200);
      assertThat(whole.text()).doesNotContain(csrf).doesNotContain("csrf_token");
      assertThat(
              served
                  .send(served.request("/api/v1/session").header("X-CSRF-Token", csrf), null)
                  .status())
          .isEqualTo(401);
      Served.Answer other = served.post("/api/v1/session", null, Map.of("token", served.admin));
      assertThat(
              served
                  .send(
                      with(served, "/api/v1/session", other.header("Set-Cookie").split(";")[0])
                          .header("X-CSRF-Token", csrf),
                      null)
                  .status())
          .as("one session's token with another's cookie")
          .isEqualTo(403);
    }
  }

  @Test
  void many_sign_ins_of_one_end_no_session_of_another() throws Exception {
    try (Served served = new Served(folder)) {
      Served.Answer in = served.post("/api/v1/session", null, Map.of("token", served.admin));
      String agent = served.token("bot", "agent");
      for (int i = 0; i < 1_100; i++) {
        assertThat(served.post("/api/v1/session", null, Map.of("token", agent)).status())
            .isEqualTo(201);
      }
      assertThat(
              served
                  .send(
                      with(served, "/api/v1/session", in.header("Set-Cookie").split(";")[0])
                          .header("X-CSRF-Token", in.word("csrf_token")),
                      null)
                  .status())
          .isEqualTo(200);
    }
  }

  @Test
  void one_credential_does_not_take_all_streams() throws Exception {
    ServerSettings.Limits usual = Served.SETTINGS.limits();
    ServerSettings settings =
        Served.SETTINGS.limits(
            new ServerSettings.Limits(
                usual.bodyBytes(),
                usual.perSecond(),
                usual.failuresPerMinute(),
                8,
                3,
                usual.patience(),
                usual.head(),
                usual.check(),
                usual.grace()));
    try (Served served = new Served(folder, settings, InstantSource.system(), List.of())) {
      String greedy = served.token("greedy", "viewer");
      List<StreamTest.Reader> open = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        open.add(StreamTest.Reader.open(served, greedy, "/api/v1/stream", null));
      }
      assertThat(served.get("/api/v1/stream", greedy).status()).isEqualTo(429);
      open.add(StreamTest.Reader.open(served, "/api/v1/stream", null));
      for (StreamTest.Reader reader : open) {
        reader.close();
      }
    }
  }
}
