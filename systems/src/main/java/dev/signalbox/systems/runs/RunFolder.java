package dev.signalbox.systems.runs;

import dev.signalbox.definition.Json;
import dev.signalbox.journal.DurableFile;
import dev.signalbox.services.evidence.Evidence;
import dev.signalbox.services.evidence.EvidenceStore;
import dev.signalbox.services.tool.ToolResult;
import dev.signalbox.services.workspace.Backup;
import dev.signalbox.services.workspace.Bookkeeping;
import dev.signalbox.services.workspace.Change;
import dev.signalbox.services.workspace.Footprint;
import dev.signalbox.services.workspace.Workspace;
import dev.signalbox.services.workspace.WorkspaceLimits;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The folder of a run: its evidence, its backups, and which attempts were started. A mark is
 * written after the backup is whole and before the attempt begins, so that whoever finds none has
 * nothing to take back.
 */
final class RunFolder {
  private static final Pattern MARK = Pattern.compile("(.+)\\.([1-9][0-9]{0,17})");

  private final Path folder;
  private final List<Path> apart;

  private RunFolder(Path folder, List<Path> apart) {
    this.folder = folder;
    this.apart = apart;
  }

  /**
   * @throws IllegalArgumentException when the run's id is no plain name and would lead elsewhere
   */
  static RunFolder of(RunsSettings settings, String run) {
    if (!isPlain(run)) {
      throw new IllegalArgumentException(
          "Expected a run's id to be a plain name, but this one is none. Start it as a run.");
    }
    return new RunFolder(settings.folder().resolve(run), settings.apart());
  }

  /** Whether the id names a folder right below that of all runs. */
  static boolean isPlain(String run) {
    return run.matches("[A-Za-z0-9][A-Za-z0-9._-]{0,150}");
  }

  /**
   * What an attempt changed.
   *
   * @param files relative to the plan's folder
   * @param evidence what shows it: the changes, and a diff of the texts
   * @param tree the hash of the folder with them; empty where there are none
   */
  record Changes(List<String> files, List<Evidence> evidence, String tree) {
    static final Changes NONE = new Changes(List.of(), List.of(), "");

    /** The files that more was done to than looking at them. */
    List<String> touched() {
      return Bookkeeping.without(files);
    }
  }

  void make() throws IOException {
    for (String each : List.of("evidence", "backups", "started")) {
      DurableFile.folders(folder.resolve(each));
    }
  }

  EvidenceStore evidence() {
    return EvidenceStore.open(folder.resolve("evidence"));
  }

  /** What is in the folder that tools work in; what is kept apart is not looked at. */
  Footprint footprint(Path work) {
    return workspace(work).footprint();
  }

  /**
   * What was in the folder before the first tool of the plan that was started; null before that.
   */
  @Nullable Footprint before(Plan plan) {
    for (ToolPlan tool : plan.tools()) {
      List<String> started = attempts(tool.name());
      if (!started.isEmpty()) {
        return backup(started.getFirst(), plan.folder()).before();
      }
    }
    return null;
  }

  private Workspace workspace(Path work) {
    Set<String> hidden = new HashSet<>();
    for (Path each : apart) {
      if (each.startsWith(work) && !each.equals(work)) {
        hidden.add(work.relativize(each).toString());
      }
    }
    return new Workspace(work, hidden, WorkspaceLimits.STANDARD);
  }

  private Path backups() {
    return folder.resolve("backups");
  }

  private Backup backup(String attempt, Path work) {
    return workspace(work).backup(backups(), attempt);
  }

  /**
   * The backup of an attempt that was started. When the folder itself is gone and nobody has looked
   * since, an attempt that worked in it deleted it, and everything in it can be put back.
   */
  private Backup started(String attempt, Path work) {
    if (Files.notExists(work, LinkOption.NOFOLLOW_LINKS)
        && !Backup.isOfCopy(backups(), attempt)
        && !Backup.isSealed(backups(), attempt)) {
      try {
        DurableFile.folders(work);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return backup(attempt, work);
  }

  /**
   * What is in the folder now, kept with its bytes: what is approved, and what a copy is made of.
   */
  Backup look(Path work) {
    return workspace(work).remember(backups());
  }

  /** What was in the folder when its tree had that hash, or null when nobody looked then. */
  @Nullable Backup known(String tree, Path work) {
    return workspace(work).remembered(backups(), tree);
  }

  /**
   * Marks an attempt as started, on a copy of what was seen. What an earlier one of the same number
   * brought into the folder has been taken back.
   *
   * @return where the copy is
   */
  Path prepare(String attempt, Path work, Backup seen) throws IOException {
    Path copy = copy(attempt);
    mark(attempt, work, seen).copyTo(copy);
    return copy;
  }

  /** Marks an attempt as started that works on another's copy of what was seen. */
  Backup mark(String attempt, Path work, Backup seen) throws IOException {
    make();
    Backup backup = workspace(work).begin(backups(), attempt, seen);
    DurableFile.write(mark(attempt), new byte[0]);
    return backup;
  }

  /** Where an attempt works. */
  Path copy(String attempt) {
    return folder.resolve("copies").resolve(attempt);
  }

  /** Deletes an attempt's copy; what was changed in it is kept by its hash. */
  void discard(String attempt) {
    Backup.removeCopy(copy(attempt));
  }

  /**
   * Takes back what an attempt brought into the folder, if it did; done again it changes nothing.
   *
   * @return whether it had brought something
   */
  boolean takeBack(String attempt, Path work) {
    if (!isStarted(attempt)) {
      return false;
    }
    Backup backup = started(attempt, work);
    if (backup.isApart() || backup.isUndone()) {
      return false;
    }
    backup.undo();
    return true;
  }

  /** Brings what an attempt changed into the folder, all of it or nothing. */
  void apply(String attempt, Path work) {
    backup(attempt, work).apply();
  }

  /** Finishes what was cut off while it was brought in. */
  void settle(String attempt, Path work) {
    if (isStarted(attempt)) {
      Backup backup = started(attempt, work);
      if (backup.isHalfApplied()) {
        backup.apply();
      }
    }
  }

  /** The tree that an attempt left: with what it brought in, or as it was before it. */
  String left(String attempt, Path work) {
    Backup backup = started(attempt, work);
    return backup.isApart() ? backup.before().treeHash() : backup.seal().after().treeHash();
  }

  boolean isStarted(String attempt) {
    return Files.isRegularFile(mark(attempt), LinkOption.NOFOLLOW_LINKS);
  }

  private Path mark(String attempt) {
    return folder.resolve("started").resolve(attempt);
  }

  /**
   * The attempts of a tool or a check that were started, the first first. A number may be missing:
   * that attempt was cut off while its backup was made, and the next one has a number of its own.
   */
  List<String> attempts(String name) {
    return numbers(name).stream().map(number -> attempt(name, number)).toList();
  }

  /** The number of the last attempt that was started; 0 when none was. */
  long last(String name) {
    List<Long> started = numbers(name);
    return started.isEmpty() ? 0 : started.getLast();
  }

  private List<Long> numbers(String name) {
    Path marks = folder.resolve("started");
    if (!Files.isDirectory(marks)) {
      return List.of();
    }
    List<Long> found = new ArrayList<>();
    try (Stream<Path> files = Files.list(marks)) {
      for (Path file : files.toList()) {
        Matcher mark = MARK.matcher(file.getFileName().toString());
        if (mark.matches()
            && mark.group(1).equals(name)
            && isStarted(file.getFileName().toString())) {
          found.add(Long.parseLong(mark.group(2)));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Collections.sort(found);
    return found;
  }

  static String attempt(String name, long number) {
    return name + "." + number;
  }

  /** What is different from before the attempt, in its own copy. */
  Changes changes(String attempt, Path work) {
    return changes(attempt, work, copy(attempt));
  }

  /** What is different from before the attempt, in the copy that it worked on. */
  Changes changes(String attempt, Path work, Path copy) {
    if (!isStarted(attempt)) {
      return Changes.NONE;
    }
    Backup backup = started(attempt, work);
    dev.signalbox.services.workspace.Changes changes =
        Backup.isOfCopy(backups(), attempt) ? backup.seal(copy) : backup.seal();
    if (changes.isEmpty()) {
      return Changes.NONE;
    }
    EvidenceStore store = evidence();
    List<Evidence> evidence = new ArrayList<>();
    evidence.add(
        store.put("changes", Json.text(changes.all().stream().map(Change::fields).toList())));
    if (!changes.diff().isEmpty()) {
      evidence.add(store.put("diff", changes.diff()));
    }
    return new Changes(changes.files(), evidence, changes.after().treeHash());
  }

  /** Takes back what an attempt changed; done again it changes nothing. */
  void undo(String attempt, Path work) {
    if (isStarted(attempt)) {
      started(attempt, work).undo();
    }
  }

  /** Keeps what a tool's own undo came to. */
  void keepUndone(String tool, ToolResult result) throws IOException {
    Path undone = folder.resolve("undone");
    DurableFile.folders(undone);
    DurableFile.write(
        undone.resolve(tool + ".json"),
        Json.text(result.fields()).getBytes(StandardCharsets.UTF_8));
  }

  /** What a tool's own undo came to before; null when that is not known. */
  @Nullable ToolResult undone(String tool) throws IOException {
    Path kept = folder.resolve("undone").resolve(tool + ".json");
    if (!Files.isRegularFile(kept, LinkOption.NOFOLLOW_LINKS)) {
      return null;
    }
    try {
      return ToolResult.of(Form.map(Json.parse(Files.readString(kept)), "result"));
    } catch (Json.SyntaxException | IllegalArgumentException e) {
      return null;
    }
  }

  /** Some files by name, and how many more. */
  static String told(List<String> files) {
    int most = 5;
    return files.size() <= most
        ? String.join(", ", files)
        : "%s and %d more"
            .formatted(String.join(", ", files.subList(0, most)), files.size() - most);
  }
}
