package dev.signalbox.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The journal is verified in a job: for those who answer for it, one at a time. */
class VerifyJobTest {
  @TempDir Path folder;

  @Test
  void operators_start_it_see_how_far_it_is_and_others_do_not() throws Exception {
    try (Served served = new Served(folder)) {
      for (String role : new String[] {"viewer", "agent"}) {
        String token = served.token("some-" + role, role);
        assertThat(served.post("/api/v1/verify", token, Map.of()).status()).isEqualTo(403);
        assertThat(served.get("/api/v1/verify", token).status()).isEqualTo(403);
      }
      String operator = served.token("otto", "operator");
      assertThat(served.get("/api/v1/verify", operator).at("state")).isEqualTo("never");
      Served.Answer asked = served.post("/api/v1/verify", operator, Map.of());
      assertThat(asked.status()).isIn(200, 202);
      Served.Answer now = asked;
      for (int i = 0; i < 600 && now.at("state").equals("running"); i++) {
        LockSupport.parkNanos(100_000_000);
        now = served.get("/api/v1/verify", operator);
      }
      assertThat(now.at("state")).isEqualTo("done");
      assertThat(now.at("sound")).isEqualTo(true);
      assertThat(now.at("by")).isEqualTo("otto");
      assertThat((Long) now.at("groups_read")).isPositive();
    }
  }
}
