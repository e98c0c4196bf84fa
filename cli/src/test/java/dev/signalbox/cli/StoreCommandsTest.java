package dev.signalbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.lock.Locks;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Instances and their journal from the command line. */
class StoreCommandsTest {
  private static final String DOOR =
      """
      machine: door
      states:
        CLOSED: { waits: for someone, on: { open: OPEN } }
        OPEN: { after: { 1m: CLOSED }, on: { close: CLOSED, remove: GONE } }
        GONE: { final: true }
      """;

  @TempDir Path folder;
  private String url = "";
  private Path export = Path.of("");

  @BeforeEach
  void a_store_with_a_life_in_it() {
    url = "jdbc:sqlite:" + folder.resolve("box.db");
    export = folder.resolve("export.jsonl");
    try (Signalbox box = Signalbox.open(url)) {
      box.publish(MachineReader.read(new Source("door.yaml", DOOR)));
      Instance door = box.start("door", Map.of());
      box.send(door.id(), "open");
      box.send(door.id(), "sing");
      box.send(door.id(), "remove");
    }
  }

  private record Result(int code, String out) {}

  private static Result run(String... args) {
    StringWriter out = new StringWriter();
    CommandLine line = Main.commandLine();
    line.setOut(new PrintWriter(out)).setErr(new PrintWriter(out));
    int code = line.execute(args);
    return new Result(code, out.toString());
  }

  @Test
  void a_store_and_its_export_are_as_they_were_written() {
    assertThat(run("verify", "--db", url).out())
        .contains("4 entries of 1 instances in 4 groups: all as they were written");
    Result exported = run("export", "--db", url, "-o", export.toString());
    assertThat(exported.code()).isZero();
    String key = exported.out().replaceAll("(?s).*signed by (\\S+).*", "$1");
    Result verified = run("verify", export.toString(), "--public-key", key, "--json");
    assertThat(verified.code()).isZero();
    assertThat(verified.out()).contains("\"sound\":true");
  }

  @Test
  void a_changed_export_is_named() throws Exception {
    run("export", "--db", url, "-o", export.toString());
    Files.writeString(
        export, Files.readString(export).replace("\"name\":\"remove\"", "\"name\":\"close\""));
    Result verified = run("verify", export.toString());
    assertThat(verified.code()).isEqualTo(1);
    assertThat(verified.out()).contains("hash-mismatch: entry 3 of door-").contains("NOT as they");
  }

  @Test
  void wrong_usage_is_told() {
    assertThat(run("verify").out())
        .as("the usual place, where there is none here")
        .contains(".signalbox/signalbox.db", "no such file");
    assertThat(run("verify").code()).isEqualTo(1);
    assertThat(run("verify", export.toString(), "--db", url).code()).isEqualTo(2);
    Result missing = run("verify", folder.resolve("none.jsonl").toString());
    assertThat(missing.code()).isEqualTo(1);
    assertThat(missing.out()).contains("there is none").doesNotContain("\tat ");
    Result noStore = run("export", "--db", "jdbc:sqlite:" + folder.resolve("no.db"), "-o", "x");
    assertThat(noStore.code()).isEqualTo(1);
    assertThat(noStore.out()).contains("no such file");
    Result odd = run("verify", "--db", "mysql:x");
    assertThat(odd.code()).isEqualTo(1);
    assertThat(odd.out()).contains("Expected jdbc:sqlite:FILE");
  }

  @Test
  void what_happened_is_watched_from_the_store_itself() {
    Result all = run("watch", "--db", url, "--after", "0", "--most", "4");
    assertThat(all.code()).isZero();
    assertThat(all.out().lines()).hasSize(4);
    assertThat(all.out().lines().toList().get(2)).contains("sing", "refused: Expected");
    Result some =
        run("watch", "--db", url, "--after", "0", "--most", "1", "--state", "GONE,NEVER", "--json");
    assertThat(some.out())
        .startsWith("{\"position\":")
        .contains("\"machine\":\"door\"", "\"name\":\"remove\"")
        .hasLineCount(1);
    assertThat(run("watch", "--db", url, "--after", "0", "--most", "1", "--kind", "refusal").out())
        .contains("refused:");
    assertThat(run("watch", "--db", url, "--after", "-1").code()).isEqualTo(2);
    assertThat(run("watch", "--db", url, "--most", "0").code()).isEqualTo(2);
    Result none = run("watch", "--db", "jdbc:sqlite:" + folder.resolve("no.db"));
    assertThat(none.code()).isEqualTo(1);
    assertThat(none.out()).contains("no such file").doesNotContain("\tat ");
  }

  @Test
  void whoever_watches_keeps_nobody_from_the_store() throws Exception {
    CompletableFuture<Result> watched =
        CompletableFuture.supplyAsync(
            () -> run("watch", "--db", url, "--after", "0", "--kind", "start", "--most", "2"));
    assertThat(run("start", "door", "--db", url, "--id", "front").code()).isZero();
    assertThat(watched.get(30, TimeUnit.SECONDS).out()).contains("front").hasLineCount(2);
  }

  @Test
  void a_machine_is_simulated() throws Exception {
    Path file = folder.resolve("door.yaml");
    Files.writeString(file, DOOR);
    Result result = run("simulate", file.toString(), "--faults", "300", "--seeds", "2");
    assertThat(result.code()).isZero();
    assertThat(result.out()).contains("nothing lost, nothing twice").contains("crash");
    assertThat(run("simulate", file.toString(), "--faults", "0").code()).isEqualTo(2);
  }

  @Test
  void an_instance_lives_on_the_command_line() throws Exception {
    Path file = folder.resolve("door.yaml");
    Files.writeString(file, DOOR);
    String db = "jdbc:sqlite:" + folder.resolve("new/box.db");
    assertThat(run("publish", file.toString(), "--db", db).out())
        .contains("published door version 1");
    assertThat(run("machines", "--db", db).out()).contains("door version 1");
    assertThat(run("start", "door", "--id", "d", "--db", db, "--as", "ann").out())
        .contains("d is in CLOSED (entry 1)");
    assertThat(run("send", "d", "open", "--db", db, "--as", "ann").code()).isZero();
    Result refused = run("send", "d", "sing", "--db", db);
    assertThat(refused.code()).isEqualTo(1);
    assertThat(refused.out()).contains("(no-transition)").contains("Awaited there");
    assertThat(run("show", "d", "--db", db).out()).contains("in OPEN").contains("waits for");
    assertThat(run("show", "d", "--at", "1", "--json", "--db", db).out()).contains("CLOSED");
    assertThat(run("history", "d", "--db", db).out()).contains("open by ann  [OPEN]");
    assertThat(run("history", "d", "--refusals", "--db", db).out()).contains("refused: Expected");
    assertThat(run("list", "--state", "OPEN", "--db", db).out()).contains("door@1");
    assertThat(run("list", "--state", "CLOSED", "--db", db).out()).isEqualTo("Nothing fits.\n");

    Files.writeString(file, DOOR.replace("machine: door", "machine: door\nversion: 2"));
    assertThat(run("publish", file.toString(), "--db", db).out())
        .contains("published door version 2")
        .contains("1 in OPEN go along")
        .contains("signalbox migrate door --to 2");
    assertThat(run("migrate", "door", "--to", "2", "--dry-run", "--db", db).out())
        .contains("1 in OPEN go along")
        .contains("nothing was changed");
    assertThat(run("migrate", "door", "--to", "2", "--db", db).out()).contains("1 migrated");
    assertThat(run("show", "d", "--db", db).out()).contains("door version 2");
    assertThat(run("verify", "--db", db).code()).isZero();
  }

  @Test
  void a_store_is_swept() {
    assertThat(run("start", "door", "--id", "d", "--db", url).code()).isZero();
    Result dry = run("sweep", "--dry-run", "--db", url);
    assertThat(dry.code()).isZero();
    assertThat(dry.out()).contains("2 instances, 0 corrected; nothing was changed");
    assertThat(run("sweep", "--json", "--db", url).out())
        .contains("{\"scanned\":2,\"findings\":{},\"corrected\":0,\"more\":0,\"dry_run\":false}");
  }

  @Test
  void what_is_not_there_is_told_without_a_stack_trace() {
    Result unknown = run("show", "nobody", "--db", url);
    assertThat(unknown.code()).isEqualTo(1);
    assertThat(unknown.out()).contains("there is no 'nobody'").doesNotContain("\tat ");
    assertThat(run("start", "window", "--db", url).out()).contains("(unknown-machine)");
    assertThat(run("send", "x", "y", "--data", "{", "--db", url).out()).contains("Expected JSON");
    assertThat(run("send", "x").code()).isEqualTo(2);
  }

  private static final String PATIENT =
      """
      machine: patient
      context:
        name: { type: string, default: "", personal: true }
      states:
        IN: { waits: the clerk, on: { call: { assign: { name: event.name } }, leave: OUT } }
        OUT: { final: true }
      """;

  @Test
  void what_is_personal_is_erased_and_the_store_still_verifies() throws Exception {
    Path file = Files.writeString(folder.resolve("patient.yaml"), PATIENT);
    assertThat(run("publish", file.toString(), "--db", url).code()).isZero();
    assertThat(run("start", "patient", "--id", "p-1", "--db", url).code()).isZero();
    assertThat(run("send", "p-1", "call", "--data", "{\"name\":\"Zaphod\"}", "--db", url).code())
        .isZero();
    assertThat(run("history", "p-1", "--json", "--db", url).out()).contains("Zaphod");
    assertThat(run("erase", "p-1", "--db", url).out()).contains("has not ended");
    assertThat(run("cancel", "p-1", "--db", url).code()).isZero();
    run("export", "--db", url, "-o", export.toString());
    assertThat(Files.readString(export)).doesNotContain("Zaphod").contains("\"sealed\"");
    assertThat(run("verify", export.toString()).out()).contains("are sealed and were not replayed");
    assertThat(run("verify", export.toString(), "--keys-of", url).out())
        .doesNotContain("were not replayed");
    Result erased = run("erase", "p-1", "--json", "--db", url);
    assertThat(erased.code()).isZero();
    assertThat(erased.out()).contains("\"erased\":[\"p-1\"]");
    assertThat(run("show", "p-1", "--db", url).out()).contains("erased").doesNotContain("Zaphod");
    assertThat(run("history", "p-1", "--json", "--db", url).out()).doesNotContain("Zaphod");
    Result verified = run("verify", "--db", url);
    assertThat(verified.code()).isZero();
    assertThat(verified.out()).contains("1 instances were erased");
  }

  @Test
  void what_has_ended_goes_into_an_archive_and_the_store_still_verifies() throws Exception {
    run("start", "door", "--id", "d-1", "--db", url);
    assertThat(run("archive", "--db", url).out()).contains("Nothing ended more than 30 days ago");
    Result archived = run("archive", "--older-than", "0", "--db", url);
    assertThat(archived.code()).isZero();
    assertThat(archived.out()).contains("1 instances went into");
    String file = archived.out().replaceAll("(?s).*went into (\\S+).*", "$1");
    assertThat(run("verify", file).code()).isZero();
    assertThat(run("list", "--db", url).out()).contains("d-1").doesNotContain("door-");
    assertThat(run("verify", "--db", url).code()).isZero();
    Files.writeString(
        Path.of(file),
        Files.readString(Path.of(file)).replace("\"name\":\"remove\"", "\"name\":\"close\""));
    assertThat(run("verify", file).code()).isEqualTo(1);
    assertThat(run("archive", "--older-than", "-1", "--db", url).code()).isEqualTo(2);
  }

  @Test
  void a_new_instance_begins_where_another_was() {
    run("start", "door", "--id", "d-1", "--db", url);
    run("send", "d-1", "open", "--db", url);
    assertThat(run("fork", "d-1", "--at", "1", "--id", "d-2", "--db", url).out())
        .contains("d-2 is in CLOSED");
    assertThat(run("show", "d-1", "--db", url).out()).contains("OPEN");
    Result unknown = run("fork", "d-1", "--at", "9", "--db", url);
    assertThat(unknown.code()).isEqualTo(1);
    assertThat(unknown.out()).contains("d-1");
  }

  @Test
  void instances_stand_still_and_go_on() {
    run("start", "door", "--id", "d-1", "--db", url);
    run("start", "door", "--id", "d-2", "--db", url);
    assertThat(run("pause", "d-1", "--db", url).code()).isZero();
    assertThat(run("send", "d-1", "open", "--db", url).out()).contains("instance-paused");
    assertThat(run("pause", "--machine", "door", "--clocks", "running", "--db", url).out())
        .contains("1 paused, 1 were so already");
    assertThat(run("resume", "--machine", "door", "--db", url).out()).contains("2 resumed");
    assertThat(run("pause", "d-1", "--tree", "--json", "--db", url).out()).contains("\"done\":1");
    assertThat(run("resume", "d-1", "--tree", "--db", url).code()).isZero();
    assertThat(run("cancel", "d-2", "--db", url).code()).isZero();
    assertThat(run("pause", "--db", url).code()).isEqualTo(2);
    assertThat(run("pause", "d-1", "--machine", "door", "--db", url).code()).isEqualTo(2);
  }

  private static final String THIEF =
      """
      machine: thief
      states:
        TRYING:
          waits: for the lock
          invoke: { id: own, machine: lock, with: { resource: "'repo'" } }
          on: { error.communication: CAUGHT }
        CAUGHT: { waits: for nothing }
      """;

  @Test
  void no_stranger_s_machine_invokes_one_that_ships_though_no_service_runs() throws Exception {
    try (Signalbox box = Signalbox.open(url)) {
      // Whoever ran before has published it.
      assertThat(Locks.stepped(box).ask("disk", "ann", null).join()).isNotNull();
    }
    Path file = Files.writeString(folder.resolve("thief.yaml"), THIEF);
    assertThat(run("publish", file.toString(), "--db", url).code()).isZero();
    assertThat(run("start", "thief", "--id", "t", "--db", url).code()).isZero();
    String shown = "";
    for (int looks = 0; looks < 50 && !shown.contains("in CAUGHT"); looks++) {
      shown = run("show", "t", "--db", url).out();
      assertThat(run("list", "--machine", "lock", "--db", url).out()).hasLineCount(1);
    }
    assertThat(shown).contains("in CAUGHT");
    assertThat(run("verify", "--db", url).code()).isZero();
  }
}
