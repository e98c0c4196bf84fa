package dev.signalbox.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import dev.signalbox.server.access.Oidc;
import dev.signalbox.server.access.Tokens;
import dev.signalbox.services.system.Role;
import dev.signalbox.services.system.Route;
import dev.signalbox.testkit.ManualClock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who comes in, and how far. */
class AccessTest {
  @TempDir Path folder;

  private static HttpRequest.Builder call(Served served, Route route) {
    String path = "/api/v1" + route.path().replaceAll("\\{[a-z_]+}", "nothing");
    HttpRequest.BodyPublisher body =
        route.isSafe() || route.method().equals("DELETE")
            ? HttpRequest.BodyPublishers.noBody()
            : HttpRequest.BodyPublishers.ofString("{}");
    return served
        .request(path)
        .timeout(Duration.ofSeconds(20))
        .header("Content-Type", "application/json")
        .method(route.method(), body);
  }

  @Test
  void without_a_token_everything_but_what_is_open_answers_401() throws Exception {
    try (Served served = new Served(folder)) {
      List<String> open = new ArrayList<>();
      for (Route route : served.server.routes()) {
        Served.Answer answer = served.send(call(served, route), null);
        if (route.isOpen()) {
          open.add(route.method() + " " + route.path());
        } else {
          assertThat(answer.status()).as(route.method() + " " + route.path()).isEqualTo(401);
          assertThat(answer.at("code")).isEqualTo("unauthenticated");
        }
      }
      assertThat(open).containsExactlyInAnyOrder("GET /health", "POST /session");
      for (String path :
          List.of("/", "/page.js", "/api", "/api/v1", "/api/v1/nothing", "/webjars/x.js", "/mcp")) {
        assertThat(served.get(path, null).status()).as(path).isEqualTo(401);
      }
    }
  }

  @Test
  void each_role_may_use_its_routes_and_no_others() throws Exception {
    try (Served served = new Served(folder)) {
      for (Role role : Role.values()) {
        boolean person = role == Role.APPROVER;
        String token =
            person
                ? served.person(role.word(), role.word())
                : served.token(role.word(), role.word());
        for (Route route : served.server.routes()) {
          boolean leaving = person && route.path().equals("/session");
          if (route.path().endsWith("/stream") || route.isOpen() || leaving) {
            continue;
          }
          Served.Answer answer = served.send(call(served, route), token);
          int status = answer.status();
          boolean refused = status == 403 && !answer.text().contains("passphrase-needed");
          assertThat(refused)
              .as("%s: %s %s gave %d", role, route.method(), route.path(), status)
              .isEqualTo(!route.roles().contains(role));
        }
      }
    }
  }

  @Test
  void an_agent_never_approves_publishes_migrates_or_makes_tokens() throws Exception {
    try (Served served = new Served(folder)) {
      for (Route route : served.server.routes()) {
        if (route.path().contains("migrat")
            || route.path().startsWith("/tokens")
            || route.path().contains("approve")
            || route.path().contains("erase")
            || (route.method().equals("POST") && route.path().equals("/machines"))) {
          assertThat(route.roles()).as(route.path()).doesNotContain(Role.AGENT);
        }
      }
      assertThat(
              served
                  .post(
                      "/api/v1/tokens",
                      served.admin,
                      Map.of("name", "bot", "roles", List.of("agent", "admin")))
                  .status())
          .isEqualTo(400);
      String agent = served.token("bot", "agent");
      Served.Answer started =
          served.post("/api/v1/instances", agent, Map.of("machine", "deploy", "id", "d-1"));
      assertThat(started.status()).isEqualTo(201);
      Served.Answer approved =
          served.post("/api/v1/instances/d-1/events", agent, Map.of("event", "approve"));
      assertThat(approved.status()).isEqualTo(403);
      assertThat(approved.at("code")).isEqualTo("role-required");
      Served.Answer forged =
          served.post(
              "/api/v1/instances",
              agent,
              Map.of("machine", Tokens.MACHINE, "input", Map.of("roles", List.of("admin"))));
      assertThat(forged.status()).isEqualTo(403);
      assertThat(served.get("/api/v1/instances/d-1/history", served.admin).text())
          .contains("\"kind\":\"agent\"", "\"name\":\"bot\"");
    }
  }

  @Test
  void a_token_for_some_machines_sees_no_others() throws Exception {
    try (Served served = new Served(folder)) {
      served.post("/api/v1/instances", served.admin, Map.of("machine", "deploy", "id", "d-1"));
      String narrow =
          served
              .server
              .tokens()
              .create(
                  new Tokens.Order(
                      "narrow", List.of("operator"), List.of("other"), Duration.ofDays(1)),
                  Server.owner("owner"))
              .secret();
      assertThat(served.get("/api/v1/instances/d-1", narrow).status()).isEqualTo(403);
      assertThat(served.get("/api/v1/instances", narrow).list("instances")).isEmpty();
      assertThat(served.get("/api/v1/machines", narrow).list("machines")).isEmpty();
      assertThat(served.post("/api/v1/instances", narrow, Map.of("machine", "deploy")).status())
          .isEqualTo(403);
      assertThat(
              served
                  .post("/api/v1/instances/d-1/events", narrow, Map.of("event", "start"))
                  .status())
          .isEqualTo(403);
    }
  }

  @Test
  void other_hosts_and_origins_are_refused() throws Exception {
    try (Served served = new Served(folder)) {
      String answer = raw(served, "GET /api/v1/health HTTP/1.1\r\nHost: evil.example\r\n\r\n");
      assertThat(answer).startsWith("HTTP/1.1 421").contains("wrong-host");
      Served.Answer foreign =
          served.send(
              served.request("/api/v1/machines").header("Origin", "https://evil.example"),
              served.admin);
      assertThat(foreign.status()).isEqualTo(403);
      assertThat(foreign.at("code")).isEqualTo("wrong-origin");
      Served.Answer own =
          served.send(
              served.request("/api/v1/machines").header("Origin", served.server.address()),
              served.admin);
      assertThat(own.status()).isEqualTo(200);
    }
  }

  private static String raw(Served served, String request) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), served.server.port())) {
      socket.setSoTimeout(10_000);
      socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
      socket.getOutputStream().flush();
      byte[] bytes = new byte[8_192];
      int count = socket.getInputStream().read(bytes);
      return new String(bytes, 0, Math.max(0, count), StandardCharsets.UTF_8);
    }
  }

  @Test
  void nothing_but_loopback_without_protection() {
    assertThatThrownBy(() -> Listening.check(ServerSettings.DEFAULT.at("0.0.0.0", 0)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("--insecure");
    Listening.check(ServerSettings.DEFAULT.at("0.0.0.0", 0).insecure(true));
  }

  @Test
  void too_many_wrong_credentials_are_slowed_down() throws Exception {
    try (Served served =
        new Served(
            folder,
            ServerSettings.DEFAULT.rates(100_000, 5),
            InstantSource.fixed(Instant.parse("2026-05-01T00:00:00Z")),
            List.of())) {
      for (int i = 0; i < 5; i++) {
        assertThat(served.get("/api/v1/machines", "sbx_wrong" + i).status()).isEqualTo(401);
      }
      assertThat(served.get("/api/v1/machines", "sbx_wrong").status()).isEqualTo(429);
    }
  }

  @Test
  void one_caller_that_asks_too_much_is_slowed_down_and_no_other() throws Exception {
    ManualClock clock = new ManualClock();
    ServerSettings settings = ServerSettings.DEFAULT.rates(5, 100).care(Care.NONE);
    try (Served served = new Served(folder, settings, clock, List.of())) {
      String greedy = served.token("greedy", "viewer");
      for (int i = 0; i < 10; i++) {
        assertThat(served.get("/api/v1/machines", greedy).status()).isEqualTo(200);
      }
      Served.Answer slowed = served.get("/api/v1/machines", greedy);
      assertThat(slowed.status()).isEqualTo(429);
      assertThat(slowed.at("code")).isEqualTo("too-many-requests");
      assertThat(slowed.header("Retry-After")).isEqualTo("1");
      assertThat(served.get("/api/v1/machines", served.admin).status()).isEqualTo(200);
      clock.advance(Duration.ofSeconds(1));
      assertThat(served.get("/api/v1/machines", greedy).status()).isEqualTo(200);
    }
  }

  @Test
  void jwts_of_the_issuer_come_in_and_no_others() throws Exception {
    RSAKey key = new RSAKeyGenerator(2048).keyID("k1").generate();
    RSAKey stranger = new RSAKeyGenerator(2048).keyID("k1").generate();
    Path keys = folder.resolve("keys.json");
    Files.writeString(keys, new JWKSet(key.toPublicJWK()).toString());
    ServerSettings settings =
        ServerSettings.DEFAULT
            .rates(100_000, 100_000)
            .oidc(Oidc.of("https://issuer.example", "signalbox", keys.toString()));
    try (Served served = new Served(folder, settings, InstantSource.system(), List.of())) {
      Date later = Date.from(Instant.now().plusSeconds(600));
      JWTClaimsSet claims = claims("https://issuer.example", "signalbox", later, "operator");
      JWSSigner signer = new RSASSASigner(key);
      assertThat(status(served, signed(claims, JWSAlgorithm.RS256, signer))).isEqualTo(200);

      assertThat(status(served, new PlainJWT(claims).serialize())).as("alg none").isEqualTo(401);
      byte[] publicKey = key.toPublicKey().getEncoded();
      assertThat(status(served, signed(claims, JWSAlgorithm.HS256, new MACSigner(publicKey))))
          .as("HMAC with the public key")
          .isEqualTo(401);
      assertThat(status(served, signed(claims, JWSAlgorithm.RS256, new RSASSASigner(stranger))))
          .as("another key")
          .isEqualTo(401);
      Date earlier = Date.from(Instant.now().minusSeconds(600));
      for (JWTClaimsSet bad :
          List.of(
              claims("https://issuer.example", "signalbox", earlier, "operator"),
              claims("https://other.example", "signalbox", later, "operator"),
              claims("https://issuer.example", "other", later, "operator"))) {
        assertThat(status(served, signed(bad, JWSAlgorithm.RS256, signer)))
            .as(bad.toString())
            .isEqualTo(401);
      }
      JWTClaimsSet both =
          claims("https://issuer.example", "signalbox", later, "agent", "admin", "system");
      String agent = signed(both, JWSAlgorithm.RS256, signer);
      assertThat(served.get("/api/v1/session", agent).at("roles")).isEqualTo(List.of("agent"));
      assertThat(served.get("/api/v1/tokens", agent).status()).isEqualTo(403);
    }
  }

  private static JWTClaimsSet claims(String issuer, String audience, Date end, String... roles) {
    return new JWTClaimsSet.Builder()
        .issuer(issuer)
        .audience(audience)
        .subject("kim")
        .expirationTime(end)
        .claim("roles", List.of(roles))
        .build();
  }

  private static String signed(JWTClaimsSet claims, JWSAlgorithm algorithm, JWSSigner signer)
      throws JOSEException {
    SignedJWT jwt = new SignedJWT(new JWSHeader.Builder(algorithm).keyID("k1").build(), claims);
    jwt.sign(signer);
    return jwt.serialize();
  }

  private static int status(Served served, String jwt) throws Exception {
    return served.get("/api/v1/machines", jwt).status();
  }

  @Test
  void closing_lets_those_inside_finish_and_ends_streams() throws Exception {
    Served served = new Served(folder);
    StreamTest.Reader reader = StreamTest.Reader.open(served, "/api/v1/stream", null);
    served.server.close();
    assertThat(reader.untilEnd()).contains("event: end");
    served.box.close();
    served.client.close();
  }
}
