package dev.signalbox.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.memory.MemoryJournal;
import dev.signalbox.kernel.Actor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever is done to an exported journal, the file tells. */
class AuditTest {
  private static final Actor ANN = new Actor(Actor.Kind.USER, "ann", List.of("boss", "owner"));

  @TempDir Path folder;

  private final ManualClock clock = new ManualClock();
  private final Journal journal = new MemoryJournal(clock);
  private final SigningKey key = SigningKey.fresh();
  private List<String> lines = List.of();

  @BeforeEach
  void exported() throws IOException {
    ManualSignalbox box = new ManualSignalbox(journal, Settings.DEFAULT, clock, new Random(1));
    box.publish(
        MachineReader.read(
            new Source(
                "lamp.yaml",
                """
                machine: lamp
                context:
                  level: { type: double, default: 0.5 }
                states:
                  OFF: { waits: someone, on: { switch: ON } }
                  ON:
                    after: { 10m: OFF }
                    on:
                      dim: { assign: { level: event.to }, when: event.to >= 0.0 }
                      switch: OFF
                      smash: GONE
                  GONE: { final: true }
                """)));
    for (String id : List.of("a", "b", "c")) {
      send(box, new Command.Start("lamp", id, Map.of(), ANN, null));
      send(box, Command.Send.of(id, "switch", null).by(ANN).key("k-" + id));
    }
    send(box, Command.Send.of("a", "dim", Map.of("to", 0.25)));
    send(box, Command.Send.of("a", "dim", Map.of("to", 3.0)));
    send(box, Command.Send.of("a", "dim", Map.of("to", -3.0)));
    send(box, new Command.Pause("a", Command.Clocks.STOPPED, ANN, null));
    clock.advance(Duration.ofMinutes(3));
    send(box, new Command.Resume("a", ANN, null));
    send(box, Command.Send.of("b", "smash", null));
    send(box, Command.Send.of("b", "switch", null));
    clock.advance(Duration.ofMinutes(20));
    box.rest();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Audit.export(journal, key, out, _ -> {});
    lines = out.toString(StandardCharsets.UTF_8).lines().toList();
  }

  private static void send(ManualSignalbox box, Command command) {
    CompletableFuture<Reply> _ = box.submit(command);
    box.rest();
  }

  private Verification verify(List<String> changed) throws IOException {
    Path file = folder.resolve("export.jsonl");
    Files.write(file, changed);
    return Audit.verify(file, key.publicText(), _ -> {});
  }

  private static String instance(String entry) {
    return entry.replaceAll(".*\"instance\":\"(\\w)\".*", "$1");
  }

  private static boolean isEntry(String line) {
    return line.startsWith("{\"body\":");
  }

  @Test
  void an_export_is_sound() throws IOException {
    Verification verification = verify(lines);
    assertThat(verification.findings()).isEmpty();
    assertThat(verification.instances()).isEqualTo(3);
    assertThat(verification.entries()).isEqualTo(lines.stream().filter(AuditTest::isEntry).count());
  }

  @Test
  void every_changed_byte_of_every_entry_is_found() throws IOException {
    for (int i = 0; i < lines.size(); i++) {
      if (!isEntry(lines.get(i))) {
        continue;
      }
      String line = lines.get(i);
      String place = "line " + (i + 1);
      String instance = instance(line);
      // Every byte of one entry, and every forty-first of the others.
      for (int at = 0; at < line.length(); at += i == 2 ? 1 : 41) {
        char other = line.charAt(at) == 'x' ? 'y' : 'x';
        List<String> changed = new ArrayList<>(lines);
        changed.set(i, line.substring(0, at) + other + line.substring(at + 1));
        assertThat(verify(changed).findings())
            .as(changed.get(i))
            .anyMatch(found -> found.where().equals(place) || found.where().endsWith(instance));
      }
    }
  }

  @Test
  void a_removed_entry_is_found_and_its_instance_named() throws IOException {
    for (int i = 0; i < lines.size(); i++) {
      if (isEntry(lines.get(i))) {
        List<String> changed = new ArrayList<>(lines);
        changed.remove(i);
        String instance = instance(lines.get(i));
        assertThat(verify(changed).findings())
            .anySatisfy(finding -> assertThat(finding.where()).endsWith(instance));
      }
    }
  }

  @Test
  void two_entries_in_the_other_order_are_found() throws IOException {
    List<Integer> entries = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      if (isEntry(lines.get(i))) {
        entries.add(i);
      }
    }
    for (int i = 0; i + 1 < entries.size(); i++) {
      List<String> changed = new ArrayList<>(lines);
      changed.set(entries.get(i), lines.get(entries.get(i + 1)));
      changed.set(entries.get(i + 1), lines.get(entries.get(i)));
      String instance = instance(lines.get(entries.get(i)));
      String group = "group ";
      assertThat(verify(changed).findings())
          .as(lines.get(entries.get(i)))
          .anyMatch(found -> found.where().endsWith(instance) || found.where().startsWith(group));
    }
  }

  @Test
  void a_dropped_instance_is_found_and_named() throws IOException {
    List<String> changed =
        lines.stream().filter(l -> !isEntry(l) || !l.contains("\"instance\":\"c\"")).toList();
    assertThat(verify(changed).findings())
        .anySatisfy(finding -> {
          assertThat(finding.code()).isEqualTo("instance-missing");
          assertThat(finding.where()).isEqualTo("c");
        });
  }

  @Test
  void a_cut_off_tail_is_found() throws IOException {
    for (int end = 1; end < lines.size(); end++) {
      assertThat(verify(lines.subList(0, end)).isSound()).isFalse();
    }
  }

  @Test
  void another_key_is_not_trusted() throws IOException {
    Path file = folder.resolve("export.jsonl");
    Files.write(file, lines);
    assertThat(Audit.verify(file, SigningKey.fresh().publicText(), _ -> {}).findings())
        .anySatisfy(finding -> assertThat(finding.code()).isEqualTo("signature-bad"));
  }

  @Test
  void a_key_is_kept_in_its_file_and_readable_by_its_owner_only() throws IOException {
    Path file = folder.resolve("signing.key");
    SigningKey made = SigningKey.at(file);
    assertThat(SigningKey.at(file).publicText()).isEqualTo(made.publicText());
    assertThat(Files.getPosixFilePermissions(file)).hasSize(2);
  }
}
