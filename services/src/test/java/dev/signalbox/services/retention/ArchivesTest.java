package dev.signalbox.services.retention;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.runtime.Audit;
import dev.signalbox.runtime.Demands;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.testkit.ManualClock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@SuppressWarnings("NullAway.Init")
class ArchivesTest {
  private static final Machine LAMP =
      MachineReader.read(
          new Source(
              "lamp.yaml",
              """
              machine: lamp
              states:
                ON: { waits: for the switch, on: { off: OFF } }
                OFF: { final: true }
              """));

  @TempDir Path folder;

  private final ManualClock clock = new ManualClock();
  private Signalbox box;
  private Archives archives;

  @BeforeEach
  void open() {
    box = Signalbox.open("jdbc:sqlite:" + folder.resolve("box.db"), Settings.DEFAULT, clock);
    box.publish(LAMP);
    archives = new Archives(box, folder, clock);
  }

  @AfterEach
  void close() {
    box.close();
  }

  private String lamp(boolean off) {
    String id = box.start("lamp", Map.of()).id();
    if (off) {
      assertThat(box.send(id, "off")).isInstanceOf(Reply.Accepted.class);
    }
    return id;
  }

  private Archives.Written written(Duration age) throws Exception {
    return Objects.requireNonNull(archives.write(age, Archives.MOST, Actor.SYSTEM));
  }

  @Test
  void what_ended_long_enough_ago_leaves_the_store_and_the_rest_stays() throws Exception {
    String old = lamp(true);
    String burning = lamp(false);
    clock.advance(Duration.ofDays(31));
    String fresh = lamp(true);
    Archives.Written written = written(Duration.ofDays(30));
    assertThat(written.instances()).isEqualTo(1);
    assertThat(written.kept()).isZero();
    assertThat(box.find(old)).isNull();
    assertThat(box.find(burning)).isNotNull();
    assertThat(box.find(fresh)).isNotNull();
    assertThat(Files.readString(written.file())).contains(old).doesNotContain(burning);
    assertThat(Audit.verify(written.file(), Demands.NONE, _ -> {}).isSound()).isTrue();
    assertThat(Audit.verify(box.journal(), _ -> {}).isSound()).isTrue();
  }

  @Test
  void nothing_to_archive_leaves_no_file() throws Exception {
    lamp(false);
    assertThat(archives.write(Duration.ZERO, Archives.MOST, Actor.SYSTEM)).isNull();
    assertThat(archives.list()).isEmpty();
  }

  @Test
  void two_in_one_second_are_two_files_that_are_listed_and_found() throws Exception {
    lamp(true);
    clock.advance(Duration.ofSeconds(1));
    Archives.Written first = written(Duration.ZERO);
    lamp(true);
    clock.advance(Duration.ofMillis(1));
    Archives.Written second = written(Duration.ZERO);
    assertThat(second.file()).isNotEqualTo(first.file());
    assertThat(archives.list()).extracting(Archives.Kept::bytes).doesNotContain(0L).hasSize(2);
    assertThat(archives.find(second.file().getFileName().toString())).isEqualTo(second.file());
  }

  @Test
  void nothing_but_an_archive_is_found_by_its_name() {
    assertThat(archives.find("../box.db")).isNull();
    assertThat(archives.find("")).isNull();
    assertThat(archives.find("signing.key")).isNull();
  }
}
