package dev.signalbox.services.workspace;

import dev.signalbox.journal.DurableFile;
import dev.signalbox.services.Sha256;
import dev.signalbox.services.evidence.EvidenceStore;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Brings what differs between two footprints from one to the other: an undo, or what was changed in
 * a copy. In this order, so that each step can be repeated and none writes through a link:
 *
 * <ol>
 *   <li>temporary files of an undo that was cut off are deleted;
 *   <li>what was not there, or was of another kind, is deleted, the deepest first;
 *   <li>folders are made, the highest first, open for the time being;
 *   <li>files and links are made beside their places and renamed into them;
 *   <li>folders get their modes and times, the deepest first;
 *   <li>everything that was touched is compared with what it was.
 * </ol>
 */
final class Undo {
  private static final int OWNER = 0700;

  private final Workspace workspace;
  private final EvidenceStore contents;
  private final String id;
  private final List<Change> changes;
  private final Footprint before;
  private final Footprint after;
  private final boolean resumed;
  private final Backup.StepListener listener;
  private int step;

  Undo(
      Workspace workspace,
      EvidenceStore contents,
      String id,
      Changes changes,
      boolean resumed,
      Backup.StepListener listener) {
    this.workspace = workspace;
    this.contents = contents;
    this.id = id;
    this.changes = changes.all();
    this.before = changes.before();
    this.after = changes.after();
    this.resumed = resumed;
    this.listener = listener;
  }

  /** Looks whether everything is as the tool left it, or was put back already. */
  void check() {
    Footprint now = workspace.footprint();
    TreeSet<String> foreign = new TreeSet<>();
    Set<Path> going = new HashSet<>();
    for (Change change : changes) {
      Item found = now.at(change.path());
      if (!matches(found, change.after())
          && !matches(found, change.before())
          && !isBetween(change, found)) {
        foreign.add(change.path());
      }
      if (isGone(change) && wasFolder(change)) {
        going.add(path(change));
      }
      Item was = change.before();
      if (was != null && was.kind() == Item.Kind.OTHER && !was.same(found)) {
        throw new WorkspaceException(
            "Expected to put back '%s', but it was neither file, link nor folder, and such a thing can't be made again."
                .formatted(change.path()),
            List.of(change.path()));
      }
    }
    foreign.addAll(strangersBelow(going, now));
    if (!foreign.isEmpty()) {
      List<String> paths = List.copyOf(foreign);
      throw new WorkspaceException(
          "Expected to undo '%s', or to bring in what it changed, but somebody else changed %s since. Nothing was touched; decide by hand."
              .formatted(id, WorkspaceException.shown(paths)),
          paths);
    }
  }

  /** What lies in folders that go, and was not put there by the tool. */
  private List<String> strangersBelow(Set<Path> going, Footprint now) {
    if (going.isEmpty()) {
      return List.of();
    }
    Set<String> temporary = new HashSet<>();
    changes.forEach(
        change -> temporary.add(Names.text(path(change).resolveSibling(temporary(change.path())))));
    List<String> strangers = new ArrayList<>();
    for (String name : now.items().keySet()) {
      if (after.at(name) == null && !temporary.contains(name)) {
        for (Path above = Names.path(name, workspace.folder()).getParent();
            above != null;
            above = above.getParent()) {
          if (going.contains(above)) {
            strangers.add(name);
            break;
          }
        }
      }
    }
    return strangers;
  }

  void putBack() throws IOException {
    List<Change> highestFirst =
        changes.stream()
            .sorted(Comparator.comparingInt((Change change) -> depth(change.path())))
            .toList();
    for (Change change : highestFirst) {
      next();
      deleteTemporary(change);
    }
    for (Change change : highestFirst.reversed()) {
      if (isGone(change)) {
        next();
        delete(change);
      }
    }
    for (Change change : highestFirst) {
      Item item = change.before();
      if (item != null && item.isFolder()) {
        next();
        open(workspace.place(change.path()));
      }
    }
    for (Change change : highestFirst) {
      Item item = change.before();
      if (item != null && !item.isFolder()) {
        next();
        make(change, item);
      }
    }
    for (Change change : highestFirst.reversed()) {
      Item item = change.before();
      if (item != null && item.isFolder()) {
        next();
        finish(workspace.place(change.path()), item);
      }
    }
    finishParents();
    compare();
  }

  private void next() {
    listener.before(step++);
  }

  private static boolean matches(@Nullable Item found, @Nullable Item expected) {
    return found == null ? expected == null : found.same(expected);
  }

  /**
   * What an undo that was cut off may have left: something deleted, or a folder that is open for
   * the time being.
   */
  private boolean isBetween(Change change, @Nullable Item found) {
    Item was = change.before();
    return resumed
        && (found == null
            || (found.isFolder() && ((was != null && was.isFolder()) || wasFolder(change))));
  }

  /** Whether what is there has to go before what was there can be made. */
  private static boolean isGone(Change change) {
    Item was = change.before();
    Item is = change.after();
    return is != null && (was == null || was.isFolder() != is.isFolder());
  }

  private static boolean wasFolder(Change change) {
    Item left = change.after();
    return left != null && left.isFolder();
  }

  private void deleteTemporary(Change change) throws IOException {
    Path parent = workspace.folder().resolve(path(change)).getParent();
    if (parent != null
        && Files.isDirectory(parent, LinkOption.NOFOLLOW_LINKS)
        && isInside(parent)) {
      Files.deleteIfExists(parent.resolve(temporary(change.path())));
    }
  }

  /** Whether no link on the way leads out. */
  private boolean isInside(Path parent) throws IOException {
    return parent.toRealPath().equals(parent);
  }

  private void delete(Change change) throws IOException {
    Path path = workspace.folder().resolve(path(change));
    Path parent = path.getParent();
    if (parent == null
        || !Files.isDirectory(parent, LinkOption.NOFOLLOW_LINKS)
        || !isInside(parent)) {
      return;
    }
    boolean folder = Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS);
    if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)
        && (change.before() == null || folder == wasFolder(change))) {
      unlock(parent);
      Files.delete(path);
      DurableFile.force(parent);
    }
  }

  /** Makes a folder if it is not there, and lets us write into it. */
  private void open(Path path) throws IOException {
    Path parent = parent(path);
    unlock(parent);
    if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
      Files.createDirectory(path);
      DurableFile.force(parent);
    }
    unlock(path);
  }

  private void make(Change change, Item item) throws IOException {
    Path path = workspace.place(change.path());
    if (Files.exists(path, LinkOption.NOFOLLOW_LINKS) && workspace.item(path).same(item)) {
      return;
    }
    Path parent = parent(path);
    unlock(parent);
    Path part = parent.resolve(temporary(change.path()));
    if (item.kind() == Item.Kind.LINK) {
      Files.createSymbolicLink(part, Names.path(item.content(), workspace.folder()));
    } else {
      copy(item, part, change.path());
    }
    next();
    Files.move(part, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    DurableFile.force(parent);
  }

  private void copy(Item item, Path part, String path) throws IOException {
    try (InputStream in = Files.newInputStream(contents.file(item.content()));
        OutputStream out =
            Files.newOutputStream(part, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      in.transferTo(out);
    }
    try (InputStream in = Files.newInputStream(part)) {
      if (!Sha256.hex(in).equals(item.content())) {
        throw new WorkspaceException(
            "Expected the backup of '%s' to be as it was stored, but its bytes have another hash."
                .formatted(path),
            List.of(path));
      }
    }
    try (FileChannel channel = FileChannel.open(part, StandardOpenOption.WRITE)) {
      mode(part, item.mode());
      Files.setLastModifiedTime(part, FileTime.fromMillis(item.modified()));
      channel.force(true);
    }
  }

  private void finish(Path path, Item item) throws IOException {
    Files.setLastModifiedTime(path, FileTime.fromMillis(item.modified()));
    mode(path, item.mode());
    DurableFile.force(parent(path));
  }

  /** Folders that did not change themselves, but were opened, or got another time by what did. */
  private void finishParents() throws IOException {
    Set<String> parents = new TreeSet<>(Comparator.reverseOrder());
    for (Change change : changes) {
      Path parent = path(change).getParent();
      if (parent != null) {
        parents.add(Names.text(parent));
      }
    }
    for (String parent : parents) {
      Item item = before.at(parent);
      if (item != null && item.isFolder()) {
        next();
        finish(workspace.place(parent), item);
      }
    }
  }

  private void compare() {
    List<String> wrong = new ArrayList<>();
    Footprint now = workspace.footprint();
    for (Change change : changes) {
      if (!matches(now.at(change.path()), change.before())) {
        wrong.add(change.path());
      }
    }
    if (!wrong.isEmpty()) {
      throw new WorkspaceException(
          "Expected everything of '%s' to be as it was wanted, but %s is not. Somebody changes it at the same time; stop that and try again."
              .formatted(id, WorkspaceException.shown(wrong)),
          wrong);
    }
  }

  private void unlock(Path folder) throws IOException {
    int mode = workspace.item(folder).mode();
    if ((mode & OWNER) != OWNER && !folder.equals(workspace.folder())) {
      mode(folder, mode | OWNER);
    }
  }

  private static void mode(Path path, int mode) throws IOException {
    if (path.getFileSystem().supportedFileAttributeViews().contains("unix")) {
      Files.setAttribute(path, "unix:mode", mode);
    }
  }

  private static Path parent(Path path) {
    Path parent = path.getParent();
    if (parent == null) {
      throw new IllegalStateException("A path below a folder has a folder above it.");
    }
    return parent;
  }

  private Path path(Change change) {
    return Names.path(change.path(), workspace.folder());
  }

  /** The name of the temporary file for a path, the same at every attempt. */
  private String temporary(String path) {
    return ".signalbox-undo-" + Sha256.hex(id + "\n" + path).substring(0, 24);
  }

  private static int depth(String path) {
    return (int) path.chars().filter(c -> c == '/').count();
  }
}
