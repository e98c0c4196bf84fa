package dev.signalbox.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.journal.Journal;
import dev.signalbox.journal.Query;
import dev.signalbox.journal.Tombstone;
import dev.signalbox.journal.sqlite.SqliteJournal;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Audit;
import dev.signalbox.runtime.Keyring;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.runtime.Verification;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real process that ends in the middle of an erasure. */
class InterruptedErasureTest {
  private static final Query RECORDS = Query.ALL.ofMachine("signalbox.erasure");

  @TempDir Path folder;
  private Path file;
  private Keyring keyring;

  @BeforeEach
  void placed() {
    file = folder.resolve("box.db");
    keyring = Keyring.at(folder.resolve("operator"));
  }

  /** The id of the instance that was being erased. */
  private String cutOff(String where, String during) throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                InterruptedEraser.class.getName(),
                file.toString(),
                folder.resolve("operator").toString(),
                where,
                during)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    String id = Objects.requireNonNull(process.inputReader().readLine());
    assertThat(process.waitFor()).isEqualTo(137);
    return id;
  }

  private Signalbox open() {
    return Signalbox.open("jdbc:sqlite:" + file, Settings.DEFAULT, InstantSource.system(), keyring);
  }

  private void assertErased(Signalbox box, long number) {
    assertThat(box.journal().key(number)).isNull();
    Verification verification = Audit.verify(box.journal(), keyring, _ -> {});
    assertThat(verification.findings()).isEmpty();
    assertThat(verification.erased()).isEqualTo(1);
  }

  private void assertNoFileHas(byte[] wrapped) throws Exception {
    String left = Files.readString(folder.resolve("box.db.keys"), StandardCharsets.ISO_8859_1);
    assertThat(left.contains(new String(wrapped, StandardCharsets.ISO_8859_1))).isFalse();
  }

  private static byte[] key(Journal journal, long number) {
    return Objects.requireNonNull(journal.key(number), "the key is still there");
  }

  @Test
  void an_erasure_that_was_cut_off_is_finished_when_the_store_is_opened() throws Exception {
    String id = cutOff("here", "destroyKeys");
    long number;
    byte[] wrapped;
    try (Journal journal = SqliteJournal.read(file)) {
      number = Objects.requireNonNull(journal.load(id)).number();
      wrapped = key(journal, number);
    }
    try (Signalbox box = open()) {
      assertThat(box.instance(id).status()).isEqualTo("erased");
      assertErased(box, number);
    }
    assertNoFileHas(wrapped);
  }

  @Test
  void so_is_that_of_an_archived_instance_once_it_is_recorded() throws Exception {
    String id = cutOff("archived", "destroyKeys");
    Tombstone tombstone;
    byte[] wrapped;
    try (Journal journal = SqliteJournal.read(file)) {
      tombstone = journal.tombstones(0, 10).getFirst();
      wrapped = key(journal, tombstone.number());
      assertThat(journal.query(RECORDS)).hasSize(1);
    }
    try (Signalbox box = open()) {
      assertErased(box, tombstone.number());
      assertThat(box.erase(id).erased()).containsExactly(id);
      assertErased(box, tombstone.number());
    }
    assertNoFileHas(wrapped);
  }

  @Test
  void what_was_cut_off_before_it_was_recorded_has_not_happened() throws Exception {
    String id = cutOff("archived", "append");
    try (Signalbox box = open()) {
      long number = box.journal().tombstones(0, 10).getFirst().number();
      byte[] wrapped = key(box.journal(), number);
      assertThat(box.instances(RECORDS)).isEmpty();
      Actor kim = new Actor(Actor.Kind.USER, "kim", List.of());
      assertThat(box.erase(id, kim).erased()).containsExactly(id);
      assertErased(box, number);
      assertNoFileHas(wrapped);
    }
  }
}
