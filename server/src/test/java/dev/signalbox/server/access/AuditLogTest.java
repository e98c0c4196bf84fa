package dev.signalbox.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A log that strangers write into can't fill the disk. */
class AuditLogTest {
  private static final int LINES = 40_000;

  @TempDir Path folder;

  @Test
  void it_stays_within_two_files_and_the_newest_can_be_asked_for() throws Exception {
    AuditLog log = new AuditLog(folder, InstantSource.system());
    String endless = "/" + "x".repeat(5_000);
    for (int i = 0; i < LINES; i++) {
      log.note("refused", endless, endless, endless, endless, 404, "not-found");
    }
    List<Path> files;
    try (Stream<Path> all = Files.list(folder)) {
      files = all.sorted().toList();
    }
    assertThat(files)
        .extracting(file -> file.getFileName().toString())
        .containsExactly("audit.1.jsonl", "audit.jsonl");
    for (Path file : files) {
      assertThat(Files.size(file)).isLessThanOrEqualTo(AuditLog.FULL);
    }
    assertThat(log.newest(AuditLog.MOST, null, null, null))
        .hasSize(AuditLog.MOST)
        .first()
        .satisfies(line -> assertThat(line).containsEntry("number", (long) LINES));
  }
}
