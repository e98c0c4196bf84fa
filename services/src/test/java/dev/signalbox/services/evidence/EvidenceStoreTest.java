package dev.signalbox.services.evidence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.signalbox.services.Sha256;
import dev.signalbox.services.evidence.EvidenceException.Reason;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EvidenceStoreTest {
  @TempDir Path folder;

  @Test
  void what_is_put_is_found_by_its_hash() {
    EvidenceStore store = EvidenceStore.open(folder);
    Evidence evidence = store.put("log", "hello");
    assertThat(evidence.sha256()).isEqualTo(Sha256.hex("hello"));
    assertThat(evidence.bytes()).isEqualTo(5);
    assertThat(EvidenceStore.open(folder).bytes(evidence.sha256()))
        .isEqualTo("hello".getBytes(StandardCharsets.UTF_8));
    assertThat(Evidence.of(evidence.fields())).isEqualTo(evidence);
  }

  @Test
  void the_same_bytes_are_stored_once() throws IOException {
    EvidenceStore store = EvidenceStore.open(folder, 100, 10);
    for (int i = 0; i < 5; i++) {
      store.put("log " + i, "0123456789");
    }
    assertThat(files()).hasSize(1);
  }

  @Test
  void limits_hold_for_each_piece_and_for_all_also_after_a_restart() {
    EvidenceStore store = EvidenceStore.open(folder, 10, 15);
    assertThatThrownBy(() -> store.put("log", "x".repeat(11)))
        .isInstanceOfSatisfying(
            EvidenceException.class, e -> assertThat(e.reason()).isEqualTo(Reason.TOO_LARGE));
    store.put("log", "x".repeat(10));
    assertThatThrownBy(() -> EvidenceStore.open(folder, 10, 15).put("log", "yyyyyy"))
        .isInstanceOfSatisfying(
            EvidenceException.class, e -> assertThat(e.reason()).isEqualTo(Reason.TOO_LARGE));
    EvidenceStore.open(folder, 10, 15).put("log", "yyyyy");
  }

  @Test
  void missing_and_altered_evidence_is_named() throws IOException {
    EvidenceStore store = EvidenceStore.open(folder);
    Evidence evidence = store.put("log", "hello");
    Path file = store.file(evidence.sha256());
    Files.writeString(file, "hellO");
    assertThatThrownBy(() -> store.bytes(evidence.sha256()))
        .isInstanceOfSatisfying(
            EvidenceException.class, e -> assertThat(e.reason()).isEqualTo(Reason.ALTERED));
    Files.delete(file);
    assertThatThrownBy(() -> store.bytes(evidence.sha256()))
        .isInstanceOfSatisfying(
            EvidenceException.class, e -> assertThat(e.reason()).isEqualTo(Reason.MISSING));
    Files.createSymbolicLink(file, Files.writeString(folder.resolve("elsewhere"), "hello"));
    assertThatThrownBy(() -> store.bytes(evidence.sha256()))
        .isInstanceOfSatisfying(
            EvidenceException.class, e -> assertThat(e.reason()).isEqualTo(Reason.MISSING));
    assertThatThrownBy(() -> store.bytes("../../etc/passwd"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void altered_bytes_are_put_again() throws IOException {
    EvidenceStore store = EvidenceStore.open(folder);
    Evidence evidence = store.put("log", "hello");
    Files.writeString(store.file(evidence.sha256()), "");
    store.put("log", "hello");
    assertThat(store.bytes(evidence.sha256())).hasSize(5);
  }

  @Test
  void many_threads_put_at_once() throws Exception {
    EvidenceStore store = EvidenceStore.open(folder);
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 8; t++) {
      threads.add(
          Thread.ofPlatform()
              .start(() -> {
                for (int i = 0; i < 20; i++) {
                  store.put("log", "text " + i);
                }
              }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(files()).hasSize(20);
    for (int i = 0; i < 20; i++) {
      assertThat(store.bytes(Sha256.hex("text " + i))).isNotEmpty();
    }
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(Files::isRegularFile).toList();
    }
  }
}
