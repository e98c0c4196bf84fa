package dev.signalbox.services.workspace;

import dev.signalbox.definition.Json;
import dev.signalbox.journal.DurableFile;
import dev.signalbox.kernel.CanonicalJson;
import dev.signalbox.services.Sha256;
import dev.signalbox.services.evidence.EvidenceException;
import dev.signalbox.services.evidence.EvidenceStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a folder was before a tool, and the way back to it. Not for use by several threads at a
 * time.
 */
public final class Backup {
  private static final String TREE = "tree-";
  private static final String BEFORE = "before.json";
  private static final String AFTER = "after.json";

  /** Says that the tool works on a copy: before it is applied, nothing of it is in the folder. */
  private static final String COPIED = "copied.json";

  private static final String APPLYING = "applying.json";
  private static final String APPLIED = "applied.json";

  private final Workspace workspace;
  private final Path folder;
  private final EvidenceStore contents;
  private final String id;
  private final Footprint before;

  private Backup(
      Workspace workspace, Path folder, EvidenceStore contents, String id, Footprint before) {
    this.workspace = workspace;
    this.folder = folder;
    this.contents = contents;
    this.id = id;
    this.before = before;
  }

  static Backup take(Workspace workspace, Path backups, String id) {
    return kept(workspace, backups, id, workspace::footprint);
  }

  /**
   * What is there now, under the hash of its tree, so that the same tree is kept once. When it
   * returns, it is on the disk.
   */
  static Backup remember(Workspace workspace, Path backups) {
    Footprint now = workspace.footprint();
    return kept(workspace, backups, TREE + now.treeHash(), () -> now);
  }

  /** What was kept under the hash of its tree, or null. */
  static @Nullable Backup remembered(Workspace workspace, Path backups, String tree) {
    return Files.exists(backups.resolve(folderName(TREE + tree)).resolve(BEFORE))
        ? take(workspace, backups, TREE + tree)
        : null;
  }

  /**
   * The backup from which a tool that works on a copy begins. What an earlier one of that id knew
   * is forgotten; nothing of it is in the folder any more.
   *
   * @param from what was remembered, bytes and all
   */
  static Backup begin(Workspace workspace, Path backups, String id, Backup from) {
    try {
      Path folder = backups.toRealPath().resolve(folderName(id));
      DurableFile.folders(folder);
      for (String name : List.of(APPLIED, APPLYING, "undone.json", "undoing.json", AFTER)) {
        Files.deleteIfExists(folder.resolve(name));
        DurableFile.force(folder);
      }
      DurableFile.write(folder.resolve(COPIED), CanonicalJson.bytes(Map.of("id", id)));
      write(folder.resolve(BEFORE), id, from.before);
      return new Backup(workspace, folder, from.contents, id, from.before);
    } catch (IOException e) {
      throw refused(workspace, e);
    }
  }

  private static Backup kept(
      Workspace workspace, Path backups, String id, Supplier<Footprint> footprint) {
    try {
      DurableFile.folders(backups);
      Path real = backups.toRealPath();
      if (!workspace.isApart(real)) {
        throw new WorkspaceException(
            "Expected backups to be kept outside '%s', but '%s' lies in it. Keep it apart, or elsewhere."
                .formatted(workspace.folder(), backups),
            List.of());
      }
      Path folder = real.resolve(folderName(id));
      EvidenceStore contents =
          EvidenceStore.open(
              real.resolve("contents"), workspace.limits().bytesEach(), Long.MAX_VALUE / 2);
      Path file = folder.resolve(BEFORE);
      if (Files.exists(file)) {
        return new Backup(workspace, folder, contents, id, Footprint.of(read(file).get("items")));
      }
      Footprint before = footprint.get();
      for (Map.Entry<String, Item> each : before.items().entrySet()) {
        if (each.getValue().kind() == Item.Kind.FILE) {
          store(workspace, contents, each.getKey(), each.getValue());
        }
      }
      DurableFile.folders(folder);
      DurableFile.force(real);
      write(file, id, before);
      return new Backup(workspace, folder, contents, id, before);
    } catch (IOException | EvidenceException e) {
      throw refused(workspace, e);
    }
  }

  private static WorkspaceException refused(Workspace workspace, Exception e) {
    return new WorkspaceException(
        "Expected to back up '%s', but the disk refused. Nothing was changed."
            .formatted(workspace.folder()),
        e);
  }

  /** Whether the tool of that id works on a copy. */
  public static boolean isOfCopy(Path backups, String id) {
    return Files.exists(backups.resolve(folderName(id)).resolve(COPIED));
  }

  /** Whether what changed after the backup of that id was written down, by {@link #seal}. */
  public static boolean isSealed(Path backups, String id) {
    return Files.exists(backups.resolve(folderName(id)).resolve(AFTER));
  }

  /** The id under which it was taken. */
  public String id() {
    return id;
  }

  /** What was there before. */
  public Footprint before() {
    return before;
  }

  /** Makes a copy of what was there before, of the bytes that were kept. */
  public void copyTo(Path copy) {
    try {
      SealedCopy.make(copy, before, contents);
    } catch (IOException | UncheckedIOException | EvidenceException e) {
      throw refused(workspace, e);
    }
  }

  /** Deletes a copy with everything in it. */
  public static void removeCopy(Path copy) {
    try {
      SealedCopy.remove(copy);
    } catch (IOException e) {
      // What stays of it is made anew or deleted with the run.
    }
  }

  /**
   * What changed in the copy, as the tool left it: what is there now at the first call, and the
   * same ever after. Its bytes are kept, so that the copy is not needed any more.
   *
   * @throws WorkspaceException when the copy can't be read
   */
  public Changes seal(Path copy) {
    if (isSealed()) {
      return seal();
    }
    Workspace copied = new Workspace(copy, Set.of(), workspace.limits());
    try {
      Footprint after = SealedCopy.footprint(copied, before);
      for (Change change : before.changesTo(after)) {
        Item item = change.after();
        if (item != null && item.kind() == Item.Kind.FILE) {
          store(copied, contents, change.path(), item);
        }
      }
      return sealed(after, new Diffs(copied, contents));
    } catch (IOException | EvidenceException e) {
      throw unsealed(e);
    }
  }

  private boolean isSealed() {
    return Files.exists(folder.resolve(AFTER));
  }

  private Changes sealed(Footprint after, Diffs diffs) throws IOException {
    Changes changes = new Changes(before, after, diffs.of(before.changesTo(after)));
    DurableFile.write(folder.resolve("diff.txt"), changes.diff().getBytes(StandardCharsets.UTF_8));
    write(folder.resolve(AFTER), id, after);
    return changes;
  }

  private WorkspaceException unsealed(Exception e) {
    return new WorkspaceException(
        "Expected to write down what changed in '%s', but the disk refused."
            .formatted(workspace.folder()),
        e);
  }

  /**
   * Brings what changed in the copy into the folder, all of it: first looks whether everything that
   * it touches is as it was before, then writes down that it begins. One that was cut off is
   * finished by the next call, or taken back by {@link #undo}.
   *
   * @throws WorkspaceException when somebody else changed something of it since; it says what, and
   *     nothing was touched. Also when the disk refuses; then it can be tried again
   */
  public void apply() {
    apply(_ -> {});
  }

  void apply(StepListener listener) {
    if (Files.exists(folder.resolve(APPLIED))) {
      return;
    }
    Changes changes = seal();
    // An undo brings a folder from what is after to what was before: turned around, it applies.
    Changes forward = new Changes(/* before= */ changes.after(), /* after= */ changes.before(), "");
    Path begun = folder.resolve(APPLYING);
    try {
      Undo application = new Undo(workspace, contents, id, forward, Files.exists(begun), listener);
      application.check();
      DurableFile.write(begun, CanonicalJson.bytes(Map.of("id", id)));
      application.putBack();
      keep(changes.after());
      DurableFile.write(
          folder.resolve(APPLIED),
          CanonicalJson.bytes(Map.of("id", id, "tree", changes.after().treeHash())));
    } catch (IOException | EvidenceException e) {
      throw new WorkspaceException(
          "Expected to bring what '%s' changed into '%s', but the disk refused: %s. Try again when it does not."
              .formatted(id, workspace.folder(), e.getClass().getSimpleName()),
          e);
    }
  }

  /** Remembers a tree whose bytes are kept. */
  private void keep(Footprint footprint) throws IOException {
    Path kept = folder.resolveSibling(folderName(TREE + footprint.treeHash()));
    DurableFile.folders(kept);
    write(kept.resolve(BEFORE), TREE + footprint.treeHash(), footprint);
  }

  /** Whether the tool works on a copy of which nothing is in the folder. */
  public boolean isApart() {
    return Files.exists(folder.resolve(COPIED)) && !Files.exists(folder.resolve(APPLYING));
  }

  /** Whether bringing what changed into the folder was begun and not finished. */
  public boolean isHalfApplied() {
    return Files.exists(folder.resolve(APPLYING)) && !Files.exists(folder.resolve(APPLIED));
  }

  /** What is different in the folder, which was looked at, from what was there before. */
  public Changes changesTo(Backup now) {
    List<Change> all = before.changesTo(now.before);
    return new Changes(before, now.before, new Diffs(now.workspace, contents).of(all));
  }

  /**
   * What changed since, as the tool left it: what is there now at the first call, and the same ever
   * after. An undo puts back these changes and no others.
   *
   * @throws WorkspaceException when the folder can't be read
   */
  public Changes seal() {
    Path file = folder.resolve(AFTER);
    try {
      Footprint after;
      if (Files.exists(file)) {
        after = Footprint.of(read(file).get("items"));
        return new Changes(before, after, Files.readString(folder.resolve("diff.txt")));
      }
      return sealed(workspace.footprint(), new Diffs(workspace, contents));
    } catch (IOException e) {
      throw unsealed(e);
    }
  }

  /**
   * Forgets the seal and a finished undo, for a tool that goes on or is tried again: what it left
   * so far was not the end. The way back stays the same.
   *
   * @throws WorkspaceException when an undo has begun and was not finished
   */
  public void unseal() {
    try {
      if (Files.exists(folder.resolve("undoing.json")) && !isUndone()) {
        throw new WorkspaceException(
            "Expected to go on after backup '%s', but its undo has begun. Finish it.".formatted(id),
            List.of());
      }
      // In this order, so that one cut off in between leaves an undo that is done again.
      for (String name : List.of("undone.json", "undoing.json", "after.json")) {
        Files.deleteIfExists(folder.resolve(name));
        DurableFile.force(folder);
      }
    } catch (IOException e) {
      throw new WorkspaceException(
          "Expected to go on after backup '%s', but the disk refused.".formatted(id), e);
    }
  }

  /** Whether an undo has been done to its end. */
  public boolean isUndone() {
    return Files.exists(folder.resolve("undone.json"));
  }

  /**
   * Puts back everything that changed between the backup and its seal; without a seal, everything
   * that differs now. Done again it changes nothing, and one that was cut off is finished.
   *
   * @throws WorkspaceException when somebody else changed something of it since; it says what, and
   *     nothing was touched. Also when the disk refuses; then it can be tried again
   */
  public Changes undo() {
    return undo(_ -> {});
  }

  /** Told the number of each step before it is done; what it throws cuts the undo off. */
  @FunctionalInterface
  interface StepListener {
    void before(int step);
  }

  Changes undo(StepListener listener) {
    if (isApart()) {
      return new Changes(before, before, "");
    }
    Changes changes = seal();
    if (isUndone()) {
      return changes;
    }
    Path begun = folder.resolve("undoing.json");
    try {
      Undo undo =
          new Undo(
              workspace, contents, id, changes, Files.exists(begun) || isHalfApplied(), listener);
      undo.check();
      DurableFile.write(begun, CanonicalJson.bytes(Map.of("id", id)));
      undo.putBack();
      DurableFile.write(
          folder.resolve("undone.json"),
          CanonicalJson.bytes(Map.of("id", id, "tree", before.treeHash())));
      return changes;
    } catch (IOException | EvidenceException e) {
      throw new WorkspaceException(
          "Expected to undo '%s' in '%s', but the disk refused: %s. Try again when it does not."
              .formatted(id, workspace.folder(), e.getClass().getSimpleName()),
          e);
    }
  }

  private static void store(Workspace workspace, EvidenceStore contents, String path, Item item) {
    if (contents.contains(item.content())) {
      return;
    }
    String stored =
        contents.put(path.length() > 200 ? "file" : path, workspace.place(path)).sha256();
    if (!stored.equals(item.content())) {
      throw new WorkspaceException(
          "Expected '%s' to stay as it is while it is backed up, but it changed. Try again."
              .formatted(path),
          List.of(path));
    }
  }

  /** A name that any id has and no two have. */
  private static String folderName(String id) {
    return id.matches("[A-Za-z0-9][A-Za-z0-9._-]{0,80}") && !id.equals("contents")
        ? id
        : "id-" + Sha256.hex(id);
  }

  private static void write(Path file, String id, Footprint footprint) throws IOException {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("id", id);
    fields.put("tree", footprint.treeHash());
    fields.put("items", footprint.fields());
    DurableFile.write(file, CanonicalJson.bytes(fields));
  }

  private static Map<String, Object> read(Path file) throws IOException {
    try {
      Map<String, Object> fields = new TreeMap<>();
      if (Json.parse(Files.readString(file)) instanceof Map<?, ?> map) {
        map.forEach(
            (name, value) -> fields.put(String.valueOf(name), Objects.requireNonNull(value)));
      }
      Footprint items = Footprint.of(fields.get("items"));
      if (!items.treeHash().equals(fields.get("tree"))) {
        throw new IllegalArgumentException("another tree");
      }
      return fields;
    } catch (Json.SyntaxException | IllegalArgumentException e) {
      throw new WorkspaceException(
          "Expected '%s' to be as it was written, but it was changed.".formatted(file), e);
    }
  }
}
