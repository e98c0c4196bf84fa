package dev.signalbox.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.journal.Journal;
import dev.signalbox.journal.PublishedMachine;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a cut-off write leaves is what a disk can have. */
class TornFilesTest {
  private final Random random = new Random(1);

  private static byte[] bytes(int length, int value) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  private static byte[] log(int length, int heading, int value) {
    byte[] log = bytes(length, value);
    Arrays.fill(log, 0, 32, (byte) heading);
    return log;
  }

  @Test
  void of_a_log_that_grew_the_old_part_stays_and_any_part_of_the_new_one_may_be_there() {
    byte[] before = log(4_096, 9, 1);
    byte[] after = Arrays.copyOf(before, 8_192);
    Arrays.fill(after, 4_096, 8_192, (byte) 2);
    Set<Integer> lengths = new HashSet<>();
    boolean holes = false;
    for (int i = 0; i < 200; i++) {
      Map<String, byte[]> left =
          new TornFiles(random)
              .of(
                  Map.of("db", bytes(512, 0), "wal", before),
                  Map.of("db", bytes(512, 0), "wal", after),
                  "db",
                  "wal");
      byte[] wal = Objects.requireNonNull(left.get("wal"));
      assertThat(Arrays.mismatch(Arrays.copyOf(wal, 4_096), before)).isEqualTo(-1);
      for (int at = 4_096; at < wal.length; at++) {
        assertThat(wal[at]).isIn((byte) 0, (byte) 2);
        holes |= wal[at] == 2 && wal[at - 1] == 0;
      }
      lengths.add(wal.length);
    }
    assertThat(lengths).hasSizeGreaterThan(50).contains(4_096, 8_192);
    assertThat(holes).isTrue();
  }

  @Test
  void while_the_log_is_brought_in_it_is_whole_and_the_file_is_torn() {
    byte[] log = log(4_096, 9, 1);
    Set<Integer> news = new HashSet<>();
    for (int i = 0; i < 100; i++) {
      Map<String, byte[]> left =
          new TornFiles(random)
              .of(
                  Map.of("db", bytes(8_192, 1), "wal", log),
                  Map.of("db", bytes(8_192, 2), "wal", log),
                  "db",
                  "wal");
      assertThat(left.get("wal")).isEqualTo(log);
      int fresh = 0;
      for (byte each : Objects.requireNonNull(left.get("db"))) {
        fresh += each == 2 ? 1 : 0;
      }
      news.add(fresh);
    }
    assertThat(news).hasSizeGreaterThan(20);
  }

  @Test
  void where_the_log_was_begun_anew_nothing_is_torn() {
    for (int i = 0; i < 50; i++) {
      Map<String, byte[]> after = Map.of("db", bytes(4_096, 2), "wal", log(4_096, 8, 2));
      assertThat(
              new TornFiles(random)
                  .of(Map.of("db", bytes(4_096, 1), "wal", log(8_192, 9, 1)), after, "db", "wal"))
          .isEqualTo(after);
    }
  }

  @Test
  void whoever_looks_at_a_write_that_was_cut_off_sees_what_the_next_one_finds(
      @TempDir Path folder) {
    Set<Boolean> kept = new HashSet<>();
    for (int i = 0; i < 30; i++) {
      ManualClock clock = new ManualClock();
      SqliteFiles files = new SqliteFiles(folder.resolve("store-" + i), clock);
      Journal dying = files.open(clock);
      files.remember();
      var _ = dying.publish(new PublishedMachine(0, "lamp", 1, "00", "machine: lamp", 0));
      files.cutOff(random);
      boolean seen = !files.view().machines().isEmpty();
      files.killed(dying);
      assertThat(!files.open(clock).machines().isEmpty()).isEqualTo(seen);
      kept.add(seen);
      files.close();
    }
    assertThat(kept).containsExactlyInAnyOrder(true, false);
  }

  @Test
  void a_log_that_is_begun_anew_has_its_new_heading_before_anything_else() {
    for (int i = 0; i < 50; i++) {
      Map<String, byte[]> left =
          new TornFiles(random)
              .of(
                  Map.of("db", bytes(512, 0), "wal", log(8_192, 9, 1)),
                  Map.of("db", bytes(512, 0), "wal", log(8_192, 8, 2)),
                  "db",
                  "wal");
      assertThat(Objects.requireNonNull(left.get("wal"))).startsWith(bytes(32, 8));
    }
  }
}
