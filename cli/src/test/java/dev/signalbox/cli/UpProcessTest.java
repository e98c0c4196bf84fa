package dev.signalbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.runtime.Audit;
import dev.signalbox.runtime.Signalbox;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code signalbox up} as a process of its own: it starts, looks after its store, and ends well.
 */
class UpProcessTest {
  @TempDir Path folder;

  @Test
  void it_starts_serves_looks_after_its_store_and_ends_when_told() throws Exception {
    try (Up up = Up.in(folder)) {
      assertThat(String.valueOf(up.said.get("sign_in"))).startsWith(up.address + "/sign-in#");
      assertThat(up.get("/health").statusCode()).isEqualTo(200);
      assertThat(up.get("/metrics").body())
          .contains("signalbox_instances{machine=\"alert\",state=\"QUIET\"}");
      assertThat(up.get("/alerts").body()).contains("commands-wait");
      assertThat(up.get("/systems").body()).contains("\"research\"");
      assertThat(up.end()).isZero();
      assertThat(up.log()).doesNotContain("SEVERE");
    }
    try (Signalbox box = Signalbox.open("jdbc:sqlite:" + folder.resolve("data/signalbox.db"))) {
      assertThat(Audit.verify(box.journal(), _ -> {}).isSound()).isTrue();
    }
  }
}
