package dev.signalbox.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.runtime.Instance;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a machine of somebody else cannot do for whoever starts it. */
class StrangersMachineTest {
  private static final String MINTER =
      """
      machine: minter
      context:
        digest: { type: string, default: "" }
      states:
        ASKING:
          waits: nobody
          invoke:
            machine: token
            id: t
            with:
              name: "'mallory'"
              digest: ctx.digest
              roles: { value: [admin] }
              lifetime_ms: 1000000
              expires_at: now + 1000000
          on: { stop: DONE, error.communication: REFUSED }
        DONE: { final: true }
        REFUSED: { final: true }
      """;

  private static final String RELAY =
      """
      machine: relay
      context:
        to: { type: string, default: "" }
        event: { type: string, default: "" }
      states:
        WAITING:
          waits: somebody says go
          on:
            go:
              to: SENT
              do:
                - send: { event: { expr: ctx.event }, to: { instance: ctx.to } }
        SENT:
          waits: nobody
          on: { stop: DONE, error.communication: REFUSED }
        DONE: { final: true }
        REFUSED: { final: true }
      """;

  @TempDir Path folder;

  @Test
  void a_machine_that_invokes_the_machine_of_tokens_makes_none() throws Exception {
    try (Served served = new Served(folder)) {
      served.box.publish(MachineReader.read(new Source("minter.yaml", MINTER)));
      String secret = "sbx_known-to-the-stranger";
      String digest =
          HexFormat.of()
              .formatHex(
                  MessageDigest.getInstance("SHA-256")
                      .digest(secret.getBytes(StandardCharsets.UTF_8)));
      start(served, served.token("bot", "agent"), "minter", "m-1", Map.of("digest", digest));

      isRefused(served, "m-1");

      assertThat(served.get("/api/v1/machines", secret).status()).isEqualTo(401);
      assertThat(served.get("/api/v1/tokens", served.admin).text()).doesNotContain("mallory");
    }
  }

  @Test
  void a_machine_that_passes_events_on_lends_nobody_a_role() throws Exception {
    try (Served served = new Served(folder)) {
      served.box.publish(MachineReader.read(new Source("relay.yaml", RELAY)));
      String agent = served.token("bot", "agent");
      start(served, agent, "deploy", "d-1", Map.of());
      start(served, agent, "relay", "r-1", Map.of("to", "d-1", "event", "approve"));
      assertThat(send(served, agent, "r-1", "go")).isEqualTo(200);

      isRefused(served, "r-1");

      Instance deploy = Objects.requireNonNull(served.box.find("d-1"));
      assertThat(deploy.context()).containsEntry("approvals", 0L);
      assertThat(send(served, agent, "d-1", "approve")).isEqualTo(403);
    }
  }

  @Test
  void nor_does_it_revoke_the_token_of_an_admin() throws Exception {
    try (Served served = new Served(folder)) {
      served.box.publish(MachineReader.read(new Source("relay.yaml", RELAY)));
      String agent = served.token("bot", "agent");
      Map<?, ?> token =
          (Map<?, ?>) served.get("/api/v1/tokens", served.admin).list("tokens").getFirst();
      String id = String.valueOf(token.get("id"));
      start(served, agent, "relay", "r-1", Map.of("to", id, "event", "revoke"));
      assertThat(send(served, agent, "r-1", "go")).isEqualTo(200);

      isRefused(served, "r-1");

      Instance kept = Objects.requireNonNull(served.box.find(id));
      assertThat(kept.status()).isEqualTo("live");
    }
  }

  private static void start(
      Served served, String token, String machine, String id, Map<String, String> input)
      throws Exception {
    Map<String, Object> body = Map.of("machine", machine, "id", id, "input", input);
    assertThat(served.post("/api/v1/instances", token, body).status()).isEqualTo(201);
  }

  private static int send(Served served, String token, String id, String event) throws Exception {
    return served
        .post("/api/v1/instances/" + id + "/events", token, Map.of("event", event))
        .status();
  }

  /** Waits until the instance was told that what it sent or invoked was refused. */
  private static void isRefused(Served served, String id) throws Exception {
    CountDownLatch refused = new CountDownLatch(1);
    Runnable look =
        () -> {
          Instance instance = served.box.find(id);
          if (instance != null && instance.states().contains("REFUSED")) {
            refused.countDown();
          }
        };
    try (var _ = served.box.feed().onCommit(look)) {
      look.run();
      assertThat(refused.await(20, TimeUnit.SECONDS)).isTrue();
    }
  }
}
