package dev.signalbox.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.DurableFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Files that must survive a loss of power are forced to the disk, and the folders of their names.
 */
final class DurableFilesTest {
  @TempDir Path folder;

  /** Something that writes. */
  private interface Work {
    void run() throws Exception;
  }

  /** What the Java runtime saw being forced to the disk meanwhile. */
  private List<String> forced(Work work) throws Exception {
    Path seen = Files.createTempFile("forced", ".jfr");
    try (Recording recording = new Recording()) {
      recording.enable("jdk.FileForce").withThreshold(Duration.ZERO);
      recording.start();
      work.run();
      recording.stop();
      recording.dump(seen);
    }
    List<String> forced =
        RecordingFile.readAllEvents(seen).stream()
            .map((RecordedEvent event) -> event.getString("path"))
            .toList();
    Files.delete(seen);
    return forced;
  }

  @Test
  void the_operators_keys_and_the_folders_of_their_names_are_forced() throws Exception {
    Path keys = folder.resolve("new/keys");
    for (Work each :
        List.<Work>of(
            () -> {
              WrappingKey _ = WrappingKey.at(keys.resolve("wrapping.key"));
            },
            () -> {
              SigningKey _ = SigningKey.at(keys.resolve("signing.key"));
            })) {
      boolean fresh = Files.notExists(keys);
      List<String> forced = forced(each);
      assertThat(forced).contains(keys.toString());
      assertThat(forced).anyMatch(path -> path.startsWith(keys + "/.part-"));
      if (fresh) {
        assertThat(forced).contains(folder.toString(), folder.resolve("new").toString());
      }
      int part = indexOf(forced, keys + "/.part-");
      assertThat(forced.lastIndexOf(keys.toString())).isGreaterThan(part);
    }
    for (String name : List.of("wrapping.key", "signing.key")) {
      assertThat(Files.getPosixFilePermissions(keys.resolve(name)))
          .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    }
    try (var files = Files.list(keys)) {
      assertThat(files).hasSize(2);
    }
  }

  private static int indexOf(List<String> paths, String start) {
    return IntStream.range(0, paths.size())
        .filter(i -> paths.get(i).startsWith(start))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void a_key_that_another_process_made_first_is_the_key() throws Exception {
    Path file = folder.resolve("keys/some.key");
    assertThat(DurableFile.createForOwner(file, "one".getBytes(StandardCharsets.UTF_8))).isTrue();
    assertThat(DurableFile.createForOwner(file, "two".getBytes(StandardCharsets.UTF_8))).isFalse();
    assertThat(file).hasContent("one");
  }

  @Test
  void a_new_store_and_its_keys_are_in_folders_that_are_forced() throws Exception {
    Path data = folder.resolve("data");
    String guest =
        """
        machine: guest
        context:
          name: { type: string, default: "", personal: true }
        states:
          IN: { waits: the guest, on: { leave: OUT } }
          OUT: { final: true }
        """;
    List<String> forced =
        forced(() -> {
          try (Signalbox box = Signalbox.open("jdbc:sqlite:" + data.resolve("box.db"))) {
            box.publish(MachineReader.read(new Source("guest.yaml", guest)));
            box.start("guest", Map.of());
          }
        });
    assertThat(forced)
        .contains(
            folder.toString(),
            data.toString(),
            data.resolve("signalbox-keys").toString(),
            data.resolve("box.db.lock").toString());
  }

  @Test
  void an_archive_is_forced_before_anything_is_deleted() throws Exception {
    Path file = folder.resolve("old.jsonl");
    try (Signalbox box = Signalbox.open("memory:")) {
      box.publish(
          MachineReader.read(
              new Source(
                  "lamp.yaml",
                  """
                  machine: lamp
                  states:
                    ON: { waits: somebody, on: { break: BROKEN } }
                    BROKEN: { final: true }
                  """)));
      box.send(box.start("lamp", Map.of()).id(), "break");
      List<String> forced =
          forced(() -> {
            Archive.Result _ =
                Archive.write(box.journal(), SigningKey.fresh(), file, Long.MAX_VALUE, 10);
          });
      assertThat(forced).containsSubsequence(file + ".part", folder.toString());
    }
  }
}
