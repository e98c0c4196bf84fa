package dev.signalbox.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.runtime.FeedEntry;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Map;
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
          on: { stop: DONE }
        DONE: { final: true }
      """;

  @TempDir Path folder;

  @Test
  void a_machine_that_invokes_the_machine_of_tokens_makes_none() throws Exception {
    try (Served served = new Served(folder)) {
      served.box.publish(MachineReader.read(new Source("minter.yaml", MINTER)));
      CountDownLatch born = new CountDownLatch(1);
      try (var _ =
          served
              .box
              .feed()
              .onCommit(() -> {
                for (FeedEntry entry : served.box.feed().read(0, 1_000)) {
                  if (entry.instance().equals("m-1/t~1")) {
                    born.countDown();
                  }
                }
              })) {
        String secret = "sbx_known-to-the-stranger";
        String digest =
            HexFormat.of()
                .formatHex(
                    MessageDigest.getInstance("SHA-256")
                        .digest(secret.getBytes(StandardCharsets.UTF_8)));
        assertThat(
                served
                    .post(
                        "/api/v1/instances",
                        served.token("bot", "agent"),
                        Map.of("machine", "minter", "id", "m-1", "input", Map.of("digest", digest)))
                    .status())
            .isEqualTo(201);
        assertThat(born.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(served.get("/api/v1/machines", secret).status()).isEqualTo(401);
        assertThat(served.get("/api/v1/tokens", served.admin).text()).doesNotContain("mallory");
      }
    }
  }
}
