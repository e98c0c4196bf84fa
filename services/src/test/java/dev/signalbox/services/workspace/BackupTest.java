package dev.signalbox.services.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BackupTest {
  @TempDir Path temp;
  private Path folder;
  private Path backups;

  @BeforeEach
  void open() throws IOException {
    folder = Files.createDirectory(temp.resolve("work"));
    backups = temp.resolve("backups");
  }

  /** Cuts an undo off, as a kill does. */
  private static final class Killed extends Error {}

  @Property(tries = 20, shrinking = ShrinkingMode.OFF)
  void an_undo_gives_the_tree_from_before(@ForAll long seed) throws IOException {
    inFreshFolder(work -> {
      RandomTree tree = new RandomTree(work.folder(), seed);
      tree.change(30);
      Footprint before = work.footprint();
      Backup backup = work.backup(besides(work), "tool");
      tree.change(30);
      Changes changes = backup.seal();
      backup.undo();
      assertThat(work.footprint()).as("seed %d", seed).isEqualTo(before);
      assertThat(work.footprint().treeHash()).isEqualTo(before.treeHash());
      assertThat(changes.before()).isEqualTo(before);
      assertThat(backup.isUndone()).isTrue();
      backup.undo();
      assertThat(work.footprint()).isEqualTo(before);
    });
  }

  @Property(tries = 25, shrinking = ShrinkingMode.OFF)
  void an_undo_that_is_killed_anywhere_and_repeated_gives_the_same(
      @ForAll long seed,
      @ForAll @IntRange(max = 60) int first,
      @ForAll @IntRange(max = 60) int second)
      throws IOException {
    inFreshFolder(work -> {
      RandomTree tree = new RandomTree(work.folder(), seed);
      tree.change(25);
      Footprint before = work.footprint();
      Backup backup = work.backup(besides(work), "tool");
      tree.change(25);
      backup.seal();
      for (int kill : List.of(first, second)) {
        try {
          work.backup(besides(work), "tool")
              .undo(step -> {
                if (step == kill) {
                  throw new Killed();
                }
              });
        } catch (Killed e) {
          // And again.
        }
      }
      work.backup(besides(work), "tool").undo();
      assertThat(work.footprint()).as("seed %d %d %d", seed, first, second).isEqualTo(before);
    });
  }

  @Test
  void an_undo_is_killed_before_each_of_its_steps() throws IOException {
    for (long seed : LongStream.range(0, Long.getLong("undo.seeds", 2)).toArray()) {
      for (int kill = 0; ; kill++) {
        boolean[] reached = {false};
        int at = kill;
        inFreshFolder(work -> {
          RandomTree tree = new RandomTree(work.folder(), seed);
          tree.change(12);
          Footprint before = work.footprint();
          Backup backup = work.backup(besides(work), "tool");
          tree.change(12);
          try {
            backup.undo(step -> {
              if (step == at) {
                reached[0] = true;
                throw new Killed();
              }
            });
          } catch (Killed e) {
            work.backup(besides(work), "tool").undo();
          }
          assertThat(work.footprint()).as("seed %d kill %d", seed, at).isEqualTo(before);
        });
        if (!reached[0]) {
          assertThat(kill).isPositive();
          break;
        }
      }
    }
  }

  @Test
  void several_tools_are_undone_in_reverse_order() throws IOException {
    Workspace work = Workspace.of(folder);
    Files.writeString(folder.resolve("a"), "0");
    Footprint before = work.footprint();
    for (int i = 1; i <= 3; i++) {
      Backup backup = work.backup(backups, "tool/" + i);
      Files.writeString(folder.resolve("a"), "" + i);
      Files.writeString(folder.resolve("b" + i), "" + i);
      backup.seal();
    }
    assertThatThrownBy(() -> work.backup(backups, "tool/1").undo())
        .isInstanceOf(WorkspaceException.class);
    for (int i = 3; i >= 1; i--) {
      work.backup(backups, "tool/" + i).undo();
    }
    assertThat(work.footprint()).isEqualTo(before);
  }

  @Test
  void what_somebody_else_changed_since_is_named_and_nothing_is_touched() throws IOException {
    Workspace work = Workspace.of(folder);
    Files.writeString(folder.resolve("mine"), "before");
    Files.writeString(folder.resolve("gone"), "before");
    Files.writeString(folder.resolve("other"), "before");
    Backup backup = work.backup(backups, "tool");
    Files.writeString(folder.resolve("mine"), "tool");
    Files.delete(folder.resolve("gone"));
    Files.createDirectory(folder.resolve("fresh"));
    Files.writeString(folder.resolve("fresh/x"), "tool");
    backup.seal();
    Files.writeString(folder.resolve("mine"), "somebody");
    Files.writeString(folder.resolve("gone"), "somebody");
    Files.writeString(folder.resolve("fresh/y"), "somebody");
    Files.writeString(folder.resolve("other"), "somebody");
    Footprint now = work.footprint();
    assertThatThrownBy(backup::undo)
        .isInstanceOfSatisfying(
            WorkspaceException.class,
            e -> assertThat(e.paths()).containsExactly("fresh/y", "gone", "mine"))
        .hasMessageContaining("somebody else changed 'fresh/y', 'gone', 'mine'");
    assertThat(work.footprint()).isEqualTo(now);
    // What the tool did not change is nobody's business.
    Files.writeString(folder.resolve("mine"), "tool");
    Files.delete(folder.resolve("gone"));
    Files.delete(folder.resolve("fresh/y"));
    backup.undo();
    assertThat(folder.resolve("mine")).hasContent("before");
    assertThat(folder.resolve("gone")).hasContent("before");
    assertThat(folder.resolve("fresh")).doesNotExist();
    assertThat(folder.resolve("other")).hasContent("somebody");
  }

  @Test
  void a_link_never_leads_out_of_the_folder() throws IOException {
    Path outside = Files.createDirectory(temp.resolve("outside"));
    Files.writeString(outside.resolve("a"), "outside");
    Workspace work = Workspace.of(folder);
    Files.createDirectory(folder.resolve("src"));
    Files.writeString(folder.resolve("src/a"), "inside");
    Files.createSymbolicLink(folder.resolve("out"), outside);
    Footprint before = work.footprint();
    assertThat(before.items()).doesNotContainKey("out/a");
    Backup backup = work.backup(backups, "tool");
    RandomTree.delete(folder.resolve("src"));
    Files.createSymbolicLink(folder.resolve("src"), outside);
    Files.delete(folder.resolve("out"));
    Files.createDirectory(folder.resolve("out"));
    Files.writeString(folder.resolve("out/b"), "tool");
    backup.seal();
    backup.undo();
    assertThat(work.footprint()).isEqualTo(before);
    assertThat(outside.resolve("a")).hasContent("outside");
    assertThat(outside).isDirectoryNotContaining("glob:**b");
  }

  @Test
  void names_that_are_no_text_come_back_too() throws Exception {
    run("mkdir \"$(printf 'd\\377')\" && echo one > \"$(printf 'd\\377/f\\376')\"");
    Workspace work = Workspace.of(folder);
    Footprint before = work.footprint();
    assertThat(before.items()).hasSize(2);
    Backup backup = work.backup(backups, "tool");
    run("rm -r \"$(printf 'd\\377')\" && echo two > \"$(printf 'd\\376')\"");
    backup.undo();
    assertThat(work.footprint()).isEqualTo(before);
  }

  @Test
  void a_pipe_is_known_and_never_opened() throws Exception {
    Workspace work = Workspace.of(folder);
    Backup first = work.backup(backups, "makes it");
    run("mkfifo pipe");
    first.seal();
    Backup second = work.backup(backups, "deletes it");
    Files.delete(folder.resolve("pipe"));
    second.seal();
    assertThatThrownBy(second::undo)
        .isInstanceOf(WorkspaceException.class)
        .hasMessageContaining("'pipe'", "can't be made again");
    run("mkfifo pipe");
    first.undo();
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void modes_and_times_come_back() throws IOException {
    Path file = Files.writeString(folder.resolve("run.sh"), "x");
    Path locked = Files.createDirectory(folder.resolve("locked"));
    Files.writeString(locked.resolve("a"), "x");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-x---"));
    Files.setPosixFilePermissions(locked, PosixFilePermissions.fromString("r-xr-x---"));
    FileTime time = FileTime.fromMillis(1_000_000_000_000L);
    Files.setLastModifiedTime(file, time);
    Workspace work = Workspace.of(folder);
    Footprint before = work.footprint();
    Backup backup = work.backup(backups, "tool");
    Files.setPosixFilePermissions(locked, PosixFilePermissions.fromString("rwx------"));
    Files.delete(locked.resolve("a"));
    Files.setPosixFilePermissions(locked, PosixFilePermissions.fromString("r-xr-x---"));
    Files.delete(file);
    backup.undo();
    assertThat(work.footprint()).isEqualTo(before);
    assertThat(Files.getLastModifiedTime(file)).isEqualTo(time);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(locked)))
        .isEqualTo("r-xr-x---");
  }

  @Test
  void a_file_that_nobody_may_read_is_backed_up_exactly_or_refused_by_name() throws IOException {
    Path file = Files.writeString(folder.resolve("secret"), "x");
    Files.setPosixFilePermissions(file, Set.of());
    Workspace work = Workspace.of(folder);
    if (Files.isReadable(file)) {
      Footprint before = work.footprint();
      Backup backup = work.backup(backups, "tool");
      Files.delete(file);
      backup.undo();
      assertThat(work.footprint()).isEqualTo(before);
    } else {
      assertThatThrownBy(() -> work.backup(backups, "tool"))
          .isInstanceOf(WorkspaceException.class)
          .hasMessageContaining("'secret'");
    }
  }

  @Test
  void limits_hold() throws IOException {
    Files.createDirectories(folder.resolve("1/2/3"));
    Files.writeString(folder.resolve("long"), "x".repeat(100));
    assertLimit(new WorkspaceLimits(3, 1000, 1000, 10), "files, links and folders");
    assertLimit(new WorkspaceLimits(10, 99, 1000, 10), "at most 99 bytes");
    assertLimit(new WorkspaceLimits(10, 1000, 99, 10), "bytes in all");
    assertLimit(new WorkspaceLimits(10, 1000, 1000, 3), "folders within folders");
    new Workspace(folder, Set.of(), new WorkspaceLimits(4, 100, 100, 4)).backup(backups, "tool");
  }

  private void assertLimit(WorkspaceLimits limits, String what) {
    assertThatThrownBy(() -> new Workspace(folder, Set.of(), limits).backup(backups, "tool"))
        .isInstanceOf(WorkspaceException.class)
        .hasMessageContaining(what);
  }

  @Test
  void what_is_apart_is_neither_seen_nor_touched() throws IOException {
    Path apart = Files.createDirectory(folder.resolve(".signalbox"));
    Workspace work = new Workspace(folder, Set.of(".signalbox"), WorkspaceLimits.STANDARD);
    assertThatThrownBy(() -> Workspace.of(folder).backup(apart.resolve("b"), "tool"))
        .isInstanceOf(WorkspaceException.class)
        .hasMessageContaining("outside");
    Backup backup = work.backup(apart.resolve("b"), "tool");
    Files.writeString(folder.resolve("a"), "x");
    Files.writeString(apart.resolve("data"), "x");
    backup.undo();
    assertThat(folder.resolve("a")).doesNotExist();
    assertThat(apart.resolve("data")).hasContent("x");
  }

  @Test
  void the_first_backup_of_an_id_is_the_one_that_counts() throws IOException {
    Workspace work = Workspace.of(folder);
    Files.writeString(folder.resolve("a"), "before");
    work.backup(backups, "tool");
    Files.writeString(folder.resolve("a"), "half done");
    Backup again = work.backup(backups, "tool");
    Files.writeString(folder.resolve("a"), "done");
    again.seal();
    again.undo();
    assertThat(folder.resolve("a")).hasContent("before");
  }

  @Test
  void a_tool_that_goes_on_is_sealed_again() throws IOException {
    Workspace work = Workspace.of(folder);
    Backup backup = work.backup(backups, "tool");
    Files.writeString(folder.resolve("a"), "1");
    assertThat(backup.seal().files()).containsExactly("a");
    Files.writeString(folder.resolve("b"), "1");
    assertThat(backup.seal().files()).containsExactly("a");
    backup.unseal();
    assertThat(backup.seal().files()).containsExactly("a", "b");
    backup.undo();
    assertThat(folder).isEmptyDirectory();
    backup.unseal();
    Files.writeString(folder.resolve("c"), "2");
    assertThat(backup.seal().files()).containsExactly("c");
    backup.undo();
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void an_altered_backup_is_found() throws IOException {
    Workspace work = Workspace.of(folder);
    Files.writeString(folder.resolve("a"), "before");
    Backup backup = work.backup(backups, "tool");
    Files.writeString(folder.resolve("a"), "after");
    backup.seal();
    Path before = backups.resolve("tool/before.json");
    String text = Files.readString(before);
    Files.writeString(before, text.replace("\"mode\":", "\"mode\":1"));
    assertThatThrownBy(() -> work.backup(backups, "tool"))
        .isInstanceOf(WorkspaceException.class)
        .hasMessageContaining("was changed");
    Files.writeString(before, text);
    try (var files = Files.walk(backups.resolve("contents"))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Files.writeString(file, "altered");
      }
    }
    assertThatThrownBy(() -> work.backup(backups, "tool").undo())
        .isInstanceOf(WorkspaceException.class)
        .hasMessageContaining("another hash");
  }

  @Test
  void a_diff_shows_what_changed() throws IOException {
    Workspace work = Workspace.of(folder);
    Files.writeString(folder.resolve("text"), "one\ntwo\nthree\n");
    Files.write(folder.resolve("binary"), new byte[] {0, 1, 2});
    Backup backup = work.backup(backups, "tool");
    Files.writeString(folder.resolve("text"), "one\n2\nthree\n");
    Files.write(folder.resolve("binary"), new byte[] {0, 1, 3});
    Files.writeString(folder.resolve("new\nfile"), "fresh\n");
    Changes changes = backup.seal();
    assertThat(changes.diff())
        .contains(
            "--- a/text",
            "+++ b/text",
            "-two",
            "+2",
            " three",
            "not shown",
            "+++ b/new?file",
            "+fresh")
        .doesNotContain("new\nfile");
    assertThat(changes.files()).containsExactly("binary", "new\nfile", "text");
    assertThat(backup.seal().diff()).isEqualTo(changes.diff());
  }

  private interface Work {
    void on(Workspace workspace) throws IOException;
  }

  /** jqwik makes no temporary folders. */
  private static void inFreshFolder(Work work) throws IOException {
    Path fresh = Files.createTempDirectory("workspace");
    try {
      work.on(Workspace.of(Files.createDirectory(fresh.resolve("work"))));
    } finally {
      try (var files = Files.walk(fresh)) {
        for (Path file : files.toList()) {
          if (Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)) {
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
          }
        }
      }
      RandomTree.delete(fresh);
    }
  }

  private static Path besides(Workspace work) {
    return work.folder().resolveSibling("backups");
  }

  private void run(String script) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder("sh", "-c", script).directory(folder.toFile()).inheritIO().start();
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isZero();
  }
}
