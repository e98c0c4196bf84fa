package dev.signalbox.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.Journal;
import dev.signalbox.kernel.Actor;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The store itself tells when its tail was cut off or its history written anew. */
class CheckpointerTest {
  @TempDir Path folder;

  private String url() {
    return "jdbc:sqlite:" + folder.resolve("box.db");
  }

  private void live(Settings settings, int instances) {
    try (Signalbox box = Signalbox.open(url(), settings, InstantSource.system())) {
      box.publish(
          MachineReader.read(
              new Source(
                  "lamp.yaml",
                  """
                  machine: lamp
                  states:
                    OFF: { waits: someone, on: { switch: ON } }
                    ON: { waits: someone, on: { switch: OFF } }
                  """)));
      for (int i = 0; i < instances; i++) {
        String id = box.start("lamp", Map.of()).id();
        box.submit(Command.Send.of(id, "switch", null).by(Actor.SYSTEM));
      }
    }
  }

  private void live(int instances) {
    live(Settings.DEFAULT, instances);
  }

  private int checkpoints() {
    try (Journal journal = Signalbox.read(url())) {
      return journal.checkpoints(0, 1_000).size();
    }
  }

  private List<String> codes() {
    try (Journal journal = Signalbox.read(url())) {
      return Audit.verify(journal, _ -> {}).findings().stream()
          .map(Verification.Finding::code)
          .toList();
    }
  }

  private void execute(String... statements) throws Exception {
    try (Connection connection = DriverManager.getConnection(url());
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.executeUpdate(sql);
      }
    }
  }

  @Test
  void there_is_one_at_the_end_and_none_when_nothing_happened() {
    live(3);
    assertThat(checkpoints()).isEqualTo(1);
    live(0);
    assertThat(checkpoints()).isEqualTo(1);
    live(1);
    assertThat(checkpoints()).isEqualTo(2);
    assertThat(codes()).isEmpty();
  }

  @Test
  void there_is_one_after_so_many_commits_and_after_so_much_time() {
    live(Settings.DEFAULT.withCheckpoints(2, Duration.ofHours(1)), 4);
    assertThat(checkpoints()).isEqualTo(4);
    live(Settings.DEFAULT.withCheckpoints(1_000, Duration.ZERO), 1);
    assertThat(checkpoints()).isEqualTo(6);
    assertThat(codes()).isEmpty();
  }

  @Test
  void a_tail_that_was_cut_off_with_its_instance_is_found() throws Exception {
    live(3);
    // Everything of the newest instance is gone, as if it had never been.
    execute(
        "delete from commit_group where number > 4",
        "delete from entry where instance = (select max(number) from instance)",
        "delete from instance where number = (select max(number) from instance)");
    assertThat(codes()).containsExactly("cut-off");
  }

  @Test
  void a_changed_checkpoint_is_found() throws Exception {
    live(1);
    execute(
        "update checkpoint set body = cast(replace(cast(body as text), '\"at\":1', '\"at\":2') as"
            + " blob)");
    assertThat(codes()).containsExactly("signature-bad");
    execute("update checkpoint set body = cast('{}' as blob)");
    assertThat(codes()).containsExactly("signature-bad");
  }

  @Test
  void a_history_written_anew_does_not_fit_the_checkpoints_of_before() throws Exception {
    live(1);
    byte[] told;
    try (Journal journal = Signalbox.read(url())) {
      told = journal.checkpoints(0, 1).getFirst().text();
    }
    Files.delete(folder.resolve("box.db"));
    Files.delete(folder.resolve("box.db.lock"));
    Files.move(folder.resolve("signalbox-keys"), folder.resolve("apart"));
    live(2);
    try (Journal journal =
        dev.signalbox.journal.sqlite.SqliteJournal.open(
            folder.resolve("box.db"), InstantSource.system())) {
      journal.keepCheckpoint(told);
    }
    assertThat(codes()).containsExactly("root-mismatch");
  }

  @Test
  void exports_have_them_and_tell_the_same() throws Exception {
    live(2);
    SigningKey key = SigningKey.fresh();
    Path file = folder.resolve("all.jsonl");
    try (Journal journal = Signalbox.read(url());
        OutputStream out = Files.newOutputStream(file)) {
      Audit.export(journal, key, out, _ -> {});
    }
    assertThat(Files.readString(file)).contains("{\"stored_checkpoint\":{\"body\":");
    assertThat(Audit.verify(file, key.publicText(), _ -> {}).findings()).isEmpty();
    String changed =
        Files.readString(file).replaceFirst("\"root\":\"[0-9a-f]{4}", "\"root\":\"0000");
    Files.writeString(file, changed);
    assertThat(Audit.verify(file, key.publicText(), _ -> {}).findings())
        .extracting(Verification.Finding::code)
        .contains("signature-bad");
  }
}
