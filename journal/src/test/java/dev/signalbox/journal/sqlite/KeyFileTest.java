package dev.signalbox.journal.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.signalbox.journal.InstanceKey;
import dev.signalbox.journal.JournalException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class KeyFileTest {
  @TempDir Path folder;

  private Path journal() {
    return folder.resolve("box.db");
  }

  private Path file() {
    return folder.resolve("box.db.keys");
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static InstanceKey key(long instance) {
    return new InstanceKey(instance, bytes("the key of instance " + instance + "."));
  }

  private String content() throws Exception {
    return Files.readString(file(), StandardCharsets.ISO_8859_1);
  }

  @Test
  void there_is_no_file_before_the_first_key() {
    try (KeyFile keys = KeyFile.of(journal(), true)) {
      assertThat(keys.key(1)).isNull();
      keys.destroy(List.of(1L));
    }
    assertThat(file()).doesNotExist();
  }

  @Test
  void a_reader_that_is_interrupted_leaves_the_file_open_for_the_others() {
    try (KeyFile keys = KeyFile.of(journal(), true)) {
      keys.keep(List.of(key(1)));
      Thread.currentThread().interrupt();
      try {
        assertThat(keys.key(1)).isEqualTo(key(1).wrapped());
        keys.keep(List.of(key(2)));
      } finally {
        assertThat(Thread.interrupted()).isTrue();
      }
      assertThat(keys.key(1)).isEqualTo(key(1).wrapped());
      assertThat(keys.key(2)).isEqualTo(key(2).wrapped());
    }
  }

  @Test
  void nothing_of_a_destroyed_key_is_left_in_the_file() throws Exception {
    try (KeyFile keys = KeyFile.of(journal(), true)) {
      keys.keep(List.of(key(1), key(2)));
      assertThat(content()).contains("the key of instance 2.");
      keys.destroy(List.of(2L));
      assertThat(content()).contains("the key of instance 1.").doesNotContain("of instance 2.");
    }
  }

  @Test
  void a_new_key_that_was_cut_off_is_not_there_and_its_place_is_taken() throws Exception {
    try (KeyFile keys = KeyFile.of(journal(), true)) {
      keys.keep(List.of(key(1), key(2)));
    }
    byte[] whole = Files.readAllBytes(file());
    for (int length = whole.length - 79; length < whole.length; length++) {
      Files.write(file(), Arrays.copyOf(whole, length));
      try (KeyFile keys = KeyFile.of(journal(), true)) {
        assertThat(keys.key(2)).isNull();
        keys.keep(List.of(key(3)));
        assertThat(keys.key(1)).isEqualTo(key(1).wrapped());
        assertThat(keys.key(3)).isEqualTo(key(3).wrapped());
      }
    }
  }

  @Test
  void a_destruction_that_was_cut_off_is_finished() throws Exception {
    try (KeyFile keys = KeyFile.of(journal(), true)) {
      keys.keep(List.of(key(1), key(2)));
      keys.condemn(List.of(2L));
    }
    byte[] torn = Files.readAllBytes(file());
    Arrays.fill(torn, torn.length - 80 + 9, torn.length - 55, (byte) 0);
    Files.write(file(), torn);
    try (KeyFile keys = KeyFile.of(journal(), true)) {
      assertThat(keys.key(2)).isNull();
      assertThat(keys.condemned()).isEmpty();
    }
    assertThat(content()).doesNotContain("instance 2.").doesNotContain("2.");
  }

  @Test
  void a_reader_beside_the_owner_sees_what_came_and_went() throws Exception {
    try (KeyFile reading = KeyFile.of(journal(), false);
        KeyFile keys = KeyFile.of(journal(), true)) {
      assertThat(reading.key(1)).isNull();
      keys.keep(List.of(key(1)));
      assertThat(reading.key(1)).isEqualTo(key(1).wrapped());
      keys.destroy(List.of(1L));
      assertThat(reading.key(1)).isNull();
      assertThatThrownBy(() -> reading.keep(List.of(key(2)))).isInstanceOf(JournalException.class);
    }
  }

  @Test
  void a_file_of_something_else_is_left_alone() throws Exception {
    Files.writeString(file(), "these are not keys at all, but a letter");
    assertThatThrownBy(() -> KeyFile.of(journal(), true))
        .isInstanceOf(JournalException.class)
        .hasMessageContaining("box.db.keys");
  }

  @Test
  void whatever_is_kept_and_destroyed_in_whatever_order_the_rest_is_there() {
    for (int seed = 1; seed <= 50; seed++) {
      Random random = new Random(seed);
      Map<Long, InstanceKey> expected = new HashMap<>();
      Path journal = folder.resolve("s" + seed + ".db");
      KeyFile keys = KeyFile.of(journal, true);
      for (int i = 0; i < 60; i++) {
        long instance = random.nextInt(30);
        switch (random.nextInt(4)) {
          case 0, 1 -> {
            keys.keep(List.of(key(instance)));
            expected.put(instance, key(instance));
          }
          case 2 -> {
            keys.destroy(List.of(instance));
            expected.remove(instance);
          }
          default -> {
            keys.close();
            keys = KeyFile.of(journal, true);
          }
        }
      }
      for (long instance = 0; instance < 30; instance++) {
        InstanceKey key = expected.get(instance);
        assertThat(keys.key(instance))
            .as("seed %d", seed)
            .isEqualTo(key == null ? null : key.wrapped());
      }
      keys.close();
    }
  }
}
