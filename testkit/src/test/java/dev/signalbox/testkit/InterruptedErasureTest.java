package dev.signalbox.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.journal.Journal;
import dev.signalbox.journal.sqlite.SqliteJournal;
import dev.signalbox.runtime.Audit;
import dev.signalbox.runtime.Keyring;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.runtime.Verification;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real process that ends in the middle of an erasure. */
class InterruptedErasureTest {
  @TempDir Path folder;

  @Test
  void an_erasure_that_was_cut_off_is_finished_when_the_store_is_opened() throws Exception {
    Path file = folder.resolve("box.db");
    Path keys = folder.resolve("operator");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                InterruptedEraser.class.getName(),
                file.toString(),
                keys.toString())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    String id = Objects.requireNonNull(process.inputReader().readLine());
    assertThat(process.waitFor()).isEqualTo(137);
    long number;
    byte[] wrapped;
    try (Journal journal = SqliteJournal.read(file)) {
      number = Objects.requireNonNull(journal.load(id)).number();
      wrapped = Objects.requireNonNull(journal.key(number), "the key is still there");
    }
    Keyring keyring = Keyring.at(keys);
    try (Signalbox box =
        Signalbox.open("jdbc:sqlite:" + file, Settings.DEFAULT, InstantSource.system(), keyring)) {
      assertThat(box.instance(id).status()).isEqualTo("erased");
      assertThat(box.journal().key(number)).isNull();
      Verification verification = Audit.verify(box.journal(), keyring, _ -> {});
      assertThat(verification.findings()).isEmpty();
      assertThat(verification.erased()).isEqualTo(1);
    }
    String left = Files.readString(folder.resolve("box.db.keys"), StandardCharsets.ISO_8859_1);
    assertThat(left.contains(new String(wrapped, StandardCharsets.ISO_8859_1))).isFalse();
  }
}
