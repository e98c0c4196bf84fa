package dev.signalbox.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.runtime.Audit;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Keyring;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is sealed can be opened, whatever happened between a key and the commit it is for. */
final class InterruptedSealingTest {
  @TempDir Path folder;
  private Path file;
  private Keyring keyring;

  @BeforeEach
  void placed() {
    file = folder.resolve("box.db");
    keyring = Keyring.at(folder.resolve("operator"));
  }

  private Signalbox open() {
    return Signalbox.open("jdbc:sqlite:" + file, Settings.DEFAULT, InstantSource.system(), keyring);
  }

  private static List<String> guests(Signalbox box, int count) {
    box.publish(MachineReader.read(new Source("guest.yaml", InterruptedEraser.GUEST)));
    List<String> guests = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Instance guest = box.start("guest", Map.of());
      box.send(guest.id(), "sign", Map.of("name", "guest " + i));
      guests.add(guest.id());
    }
    return guests;
  }

  /** Opens the store anew, for in memory everything has its seal. */
  private void assertReadable(List<String> guests) {
    try (Signalbox box = open()) {
      for (int i = 0; i < guests.size(); i++) {
        assertThat(box.instance(guests.get(i)).context()).containsEntry("name", "guest " + i);
      }
      assertThat(Audit.verify(box.journal(), keyring, _ -> {}).findings()).isEmpty();
    }
  }

  @Test
  void a_process_that_died_between_a_key_and_its_commit_costs_nobody_their_data() throws Exception {
    for (int i = 0; i < 2; i++) {
      Process process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-XX:TieredStopAtLevel=1",
                  "--enable-native-access=ALL-UNNAMED",
                  "-cp",
                  System.getProperty("java.class.path"),
                  InterruptedSealer.class.getName(),
                  file.toString(),
                  folder.resolve("operator").toString())
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      assertThat(process.waitFor()).isEqualTo(137);
    }
    List<String> guests;
    try (Signalbox box = open()) {
      guests = guests(box, 5);
    }
    assertReadable(guests);
  }

  @Test
  void an_older_journal_beside_newer_keys_costs_nobody_their_data() throws Exception {
    try (Signalbox box = open()) {
      guests(box, 1);
    }
    Path older = Files.copy(file, folder.resolve("older"));
    try (Signalbox box = open()) {
      guests(box, 20);
    }
    Files.move(older, file, StandardCopyOption.REPLACE_EXISTING);
    List<String> guests;
    try (Signalbox box = open()) {
      guests = guests(box, 30);
    }
    assertReadable(guests);
  }
}
