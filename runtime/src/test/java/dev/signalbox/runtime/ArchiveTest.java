package dev.signalbox.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.Query;
import dev.signalbox.journal.Tombstone;
import dev.signalbox.journal.memory.MemoryJournal;
import dev.signalbox.journal.sqlite.SqliteJournal;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Rejection;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ended instances go into a file that verifies, and the store verifies without them. */
class ArchiveTest {
  private static final String KID =
      """
      machine: kid
      states:
        PLAYING: { waits: someone, on: { stop: HOME } }
        HOME: { final: true }
      """;

  private static final String MUM =
      """
      machine: mum
      version: 1
      context:
        note: { type: string, default: none }
      states:
        PARK:
          invoke: { id: kid, machine: kid }
          on: { done.invoke.kid: BENCH }
        BENCH: { waits: someone, on: { write: { assign: { note: event.text } }, leave: AWAY } }
        AWAY: { final: true }
      """;

  @TempDir Path folder;

  private final ManualClock clock = new ManualClock();
  private final SigningKey key = SigningKey.fresh();
  private Journal journal = new MemoryJournal(clock);
  private ManualSignalbox box = opened();

  private ManualSignalbox opened() {
    ManualSignalbox opened = new ManualSignalbox(journal, Settings.DEFAULT, clock, new Random(1));
    opened.publish(MachineReader.read(new Source("kid.yaml", KID)));
    opened.publish(MachineReader.read(new Source("mum.yaml", MUM)));
    return opened;
  }

  private Reply reply(Command command) {
    CompletableFuture<Reply> reply = box.submit(command);
    box.rest();
    return reply.join();
  }

  private void accepted(Command command) {
    assertThat(reply(command)).isInstanceOf(Reply.Accepted.class);
  }

  private void refused(Command command) {
    assertThat(reply(command)).isInstanceOf(Reply.Rejected.class);
  }

  private void start(String id) {
    accepted(new Command.Start("mum", id, Map.of(), Actor.SYSTEM, "start-" + id));
  }

  private void stop(String id) {
    String kid = journal.query(Query.ALL.below(id)).getFirst().id();
    accepted(Command.Send.of(kid, "stop", null));
  }

  /** Three families: one has ended, one has a child that has, one is whole. */
  private void families() {
    for (String id : List.of("a", "b", "c")) {
      start(id);
    }
    stop("a");
    stop("b");
    accepted(Command.Send.of("a", "write", Map.of("text", "gone for good")));
    refused(Command.Send.of("a", "fly", null));
    accepted(Command.Send.of("a", "leave", null).key("leave"));
    refused(Command.Send.of("a", "leave", null));
    clock.advance(Duration.ofHours(1));
  }

  private Archive.Result archive(String name) throws IOException {
    return Archive.write(journal, key, folder.resolve(name), clock.millis(), 1_000);
  }

  private void assertSound() throws IOException {
    assertThat(Audit.verify(journal, _ -> {}).findings()).isEmpty();
    assertThat(verified(exported()).findings()).isEmpty();
  }

  private List<String> exported() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Audit.export(journal, key, out, _ -> {});
    return out.toString(StandardCharsets.UTF_8).lines().toList();
  }

  private Verification verified(List<String> lines) throws IOException {
    Path file = folder.resolve("lines.jsonl");
    Files.write(file, lines);
    return Audit.verify(file, key.publicText(), _ -> {});
  }

  @Test
  void an_ended_instance_and_what_is_below_it_go_into_the_file() throws IOException {
    families();
    long instances = Audit.verify(journal, _ -> {}).instances();
    Archive.Result result = archive("one.jsonl");
    assertThat(result.instances()).isEqualTo(2);
    assertThat(result.kept()).isZero();
    assertThat(journal.load("a")).isNull();
    assertThat(journal.load("b")).isNotNull();
    assertThat(journal.tombstones(0, 10))
        .extracting(Tombstone::file)
        .containsExactly(result.file(), result.file());
    assertThat(exported()).noneMatch(line -> line.contains("gone for good"));
    assertThat(Audit.verify(journal, _ -> {}).instances()).isEqualTo(instances);
    assertSound();

    Path file = folder.resolve("one.jsonl");
    assertThat(Files.readString(file)).contains("gone for good");
    Verification verification = Audit.verify(file, key.publicText(), _ -> {});
    assertThat(verification.findings()).isEmpty();
    assertThat(verification.instances()).isEqualTo(2);
  }

  @Test
  void the_same_holds_in_sqlite_after_it_was_opened_again() throws IOException {
    Path file = folder.resolve("store.db");
    journal = SqliteJournal.open(file, clock);
    box = opened();
    families();
    archive("one.jsonl");
    journal.close();
    journal = SqliteJournal.open(file, clock);
    box = opened();
    assertSound();
    start("d");
    assertSound();
    journal.close();
  }

  @Test
  void what_comes_for_an_archived_instance_finds_none() throws IOException {
    families();
    archive("one.jsonl");
    for (ManualSignalbox each : List.of(box, opened())) {
      box = each;
      assertThat(reply(Command.Send.of("a", "leave", null).key("leave")))
          .isInstanceOfSatisfying(
              Reply.Rejected.class,
              r -> assertThat(r.rejection().code()).isEqualTo(Rejection.Code.UNKNOWN_INSTANCE));
    }
    assertSound();
  }

  @Test
  void an_archived_id_may_be_given_to_a_new_instance() throws IOException {
    families();
    archive("one.jsonl");
    box = opened();
    start("a");
    stop("a");
    assertSound();
    accepted(Command.Send.of("a", "leave", null));
    clock.advance(Duration.ofHours(1));
    assertThat(archive("two.jsonl").instances()).isEqualTo(2);
    box = opened();
    start("a");
    assertSound();
  }

  @Test
  void nothing_that_ended_makes_no_file() throws IOException {
    start("a");
    assertThat(archive("one.jsonl")).isEqualTo(new Archive.Result(0, 0, ""));
    assertThat(folder.resolve("one.jsonl")).doesNotExist();
  }

  @Test
  void what_ended_too_late_stays() throws IOException {
    families();
    Archive.Result result = Archive.write(journal, key, folder.resolve("one.jsonl"), 0, 1_000);
    assertThat(result.instances()).isZero();
    assertThat(journal.load("a")).isNotNull();
  }

  @Test
  void a_file_is_never_written_over() throws IOException {
    families();
    Files.writeString(folder.resolve("one.jsonl"), "precious");
    assertThatThrownBy(() -> archive("one.jsonl")).isInstanceOf(FileAlreadyExistsException.class);
    assertThat(journal.load("a")).isNotNull();
  }

  @Test
  void every_changed_line_of_an_archive_is_found() throws IOException {
    families();
    archive("one.jsonl");
    List<String> lines = Files.readAllLines(folder.resolve("one.jsonl"));
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      // The definition of a machine may change where it says the same; its digest holds it.
      boolean machine = line.startsWith("{\"machine\"");
      for (int at = 0; at < line.length() && !machine; at += 23) {
        char other = line.charAt(at) == 'x' ? 'y' : 'x';
        List<String> changed = new ArrayList<>(lines);
        changed.set(i, line.substring(0, at) + other + line.substring(at + 1));
        assertThat(verified(changed).isSound()).as(changed.get(i)).isFalse();
      }
      List<String> shorter = new ArrayList<>(lines);
      shorter.remove(i);
      assertThat(verified(shorter).isSound()).as("without " + line).isFalse();
    }
  }

  @Test
  void a_removed_tombstone_or_archived_entry_is_found_in_an_export() throws IOException {
    families();
    archive("one.jsonl");
    List<String> lines = exported();
    List<String> stones =
        lines.stream()
            .filter(l -> l.startsWith("{\"tombstone\"") || l.startsWith("{\"archived\""))
            .toList();
    assertThat(stones).hasSizeGreaterThan(6);
    for (String stone : stones) {
      List<String> shorter = new ArrayList<>(lines);
      shorter.remove(stone);
      assertThat(verified(shorter).isSound()).as("without " + stone).isFalse();
    }
  }
}
