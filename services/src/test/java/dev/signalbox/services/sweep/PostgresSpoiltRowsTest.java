package dev.signalbox.services.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.services.SharedPostgres;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class PostgresSpoiltRowsTest extends SpoiltRowsContract {
  private @Nullable String store;

  @Override
  String store() throws Exception {
    if (store == null) {
      store = SharedPostgres.database();
    }
    return store;
  }

  /** Here a timer is found by a column of its own, which is never after the moment it is due. */
  @Test
  void a_timer_that_nobody_wakes_up_for_fires_after_the_sweep() throws Exception {
    String id = start("lamp", "l-1", Map.of());
    send(id, "light", Map.of());
    plant("update instance set wake = ? where id = ?", Long.MAX_VALUE, id);
    clock.advance(Duration.ofHours(1).plusMinutes(6));
    assertThat(sweeper().sweep(true).counts()).containsOnlyKeys("stuck");
    assertThat(box.instance(id).sequence()).isEqualTo(2);
    assertThat(sweeper().sweep(false).corrected()).isEqualTo(1);
    String entry = new String(box.history(id, 3, 1).getFirst().body(), StandardCharsets.UTF_8);
    assertThat(entry)
        .contains("\"kind\":\"correct\"")
        .contains("its timer was due 360 s ago and has not fired");
    clock.advance(Duration.ofSeconds(1));
    until(() -> box.instance(id).leaves().equals(List.of("DARK")));
    assertThat(sweeper().sweep(false).isClean()).isTrue();
  }
}
