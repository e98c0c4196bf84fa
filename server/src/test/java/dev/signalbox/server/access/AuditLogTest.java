package dev.signalbox.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.testkit.ManualClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A log that strangers write into can't fill the disk, and they push away nobody's lines. */
class AuditLogTest {
  private static final int LINES = 60_000;
  private static final String ENDLESS = "/" + "x".repeat(5_000);

  @TempDir Path folder;
  private final ManualClock clock = new ManualClock();

  private List<String> files() throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  void strangers_stay_within_two_files_of_their_own_and_push_away_nobody_else() throws Exception {
    AuditLog log = new AuditLog(folder, clock);
    log.note("sign-in", "ann", "127.0.0.1", "POST", "/api/v1/session", 201, "");
    for (int i = 0; i < LINES; i++) {
      log.note("refused", "", ENDLESS, ENDLESS, ENDLESS, 401, "unauthenticated");
    }
    assertThat(files())
        .containsExactly("audit-strangers.1.jsonl", "audit-strangers.jsonl", "audit.jsonl");
    for (String file : files()) {
      assertThat(Files.size(folder.resolve(file))).isLessThanOrEqualTo(AuditFile.FULL);
    }
    for (AuditLog each : List.of(log, new AuditLog(folder, clock))) {
      assertThat(each.newest(AuditLog.MOST, null, null, null))
          .hasSize(AuditLog.MOST)
          .first()
          .satisfies(line -> assertThat(line).containsEntry("number", LINES + 1L));
      assertThat(each.newest(10, "sign-in", null, null))
          .singleElement()
          .satisfies(line -> assertThat(line).containsEntry("who", "ann"));
    }
  }

  @Test
  void one_who_is_known_pushes_away_nobody_else_and_what_is_left_out_is_counted() throws Exception {
    AuditLog log = new AuditLog(folder, clock);
    log.note("refused", "ann", "127.0.0.1", "POST", "/api/v1/tokens", 403, "forbidden");
    for (int i = 0; i < LINES; i++) {
      log.note("refused", "bot", "127.0.0.1", "POST", "/api/v1/x", 409, "no-transition");
      log.note("sign-in", "bot", "127.0.0.1", "POST", "/api/v1/session", 201, "");
    }
    log.note("refused", "bot", "127.0.0.1", "POST", "/api/v1/tokens", 403, "forbidden");
    assertThat(log.newest(AuditLog.MOST, null, "ann", null)).hasSize(1);
    assertThat(log.newest(1, null, null, null).getFirst())
        .containsEntry("code", "forbidden")
        .containsEntry("who", "bot");
    assertThat(files()).containsExactly("audit.jsonl");
    assertThat(Files.size(folder.resolve("audit.jsonl"))).isLessThan(100_000);
    clock.advance(Duration.ofMinutes(2));
    log.note("refused", "bot", "127.0.0.1", "POST", "/api/v1/x", 409, "no-transition");
    Map<String, Object> next = log.newest(1, null, null, null).getFirst();
    assertThat(next).containsEntry("omitted", (long) LINES - AuditLog.BURST);
  }
}
