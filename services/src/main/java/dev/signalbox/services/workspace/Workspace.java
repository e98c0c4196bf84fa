package dev.signalbox.services.workspace;

import dev.signalbox.services.Sha256;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A folder that tools change. */
public final class Workspace {
  private static final int PERMISSIONS = 07777;

  private final Path folder;
  private final Set<String> apart;
  private final WorkspaceLimits limits;

  /**
   * @param apart paths relative to the folder that are never looked at, backed up or touched, such
   *     as the one where this program keeps its own data
   * @throws WorkspaceException when the folder is none
   */
  public Workspace(Path folder, Set<String> apart, WorkspaceLimits limits) {
    try {
      this.folder = folder.toRealPath();
    } catch (IOException e) {
      throw new WorkspaceException(
          "Expected a folder to work in, but '%s' is not there.".formatted(folder), e);
    }
    if (!Files.isDirectory(this.folder)) {
      throw new WorkspaceException(
          "Expected a folder to work in, but '%s' is none.".formatted(folder),
          List.of(folder.toString()));
    }
    this.apart = Set.copyOf(apart);
    this.limits = limits;
  }

  public static Workspace of(Path folder) {
    return new Workspace(folder, Set.of(), WorkspaceLimits.STANDARD);
  }

  /** The folder, with no link in its path. */
  public Path folder() {
    return folder;
  }

  /**
   * What is in it now.
   *
   * @throws WorkspaceException when something can't be read, changes meanwhile, or is too much
   */
  public Footprint footprint() {
    SortedMap<String, Item> items = new TreeMap<>();
    Deque<Path> folders = new ArrayDeque<>(List.of(folder));
    long bytes = 0;
    while (!folders.isEmpty()) {
      Path next = folders.removeLast();
      if (next.getNameCount() - folder.getNameCount() >= limits.depth()) {
        throw tooMuch("folders within folders", limits.depth());
      }
      try (DirectoryStream<Path> names = Files.newDirectoryStream(next)) {
        for (Path path : names) {
          String name = Names.text(folder.relativize(path));
          if (apart.contains(name)) {
            continue;
          }
          Item item = item(path);
          items.put(name, item);
          if (item.isFolder()) {
            folders.add(path);
          }
          if (item.kind() == Item.Kind.FILE) {
            bytes += Files.size(path);
          }
          if (items.size() > limits.items()) {
            throw tooMuch("files, links and folders", limits.items());
          }
          if (bytes > limits.bytesInAll()) {
            throw tooMuch("bytes in all", limits.bytesInAll());
          }
        }
      } catch (IOException e) {
        throw unreadable(next, e);
      }
    }
    return new Footprint(items);
  }

  /**
   * The backup of that id: the one that was taken first, or else one of what is there now. When it
   * returns, the backup is on the disk.
   *
   * @param backups where backups are, outside the folder or apart from it
   * @throws WorkspaceException when there can be none
   */
  public Backup backup(Path backups, String id) {
    return Backup.take(this, backups, id);
  }

  /**
   * What is there now, kept with its bytes under the hash of its tree.
   *
   * @throws WorkspaceException when something can't be read or changes meanwhile
   */
  public Backup remember(Path backups) {
    return Backup.remember(this, backups);
  }

  /** What was kept under the hash of its tree, or null. */
  public @Nullable Backup remembered(Path backups, String tree) {
    return Backup.remembered(this, backups, tree);
  }

  /** The backup from which a tool that works on a copy begins. */
  public Backup begin(Path backups, String id, Backup from) {
    return Backup.begin(this, backups, id, from);
  }

  /** Looks at one path, without following it. */
  Item item(Path path) {
    try {
      BasicFileAttributes attributes =
          Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      long modified = attributes.lastModifiedTime().toMillis();
      if (attributes.isSymbolicLink()) {
        return new Item(Item.Kind.LINK, 0, Names.text(Files.readSymbolicLink(path)), modified);
      }
      int mode = mode(path);
      if (attributes.isDirectory()) {
        return new Item(Item.Kind.FOLDER, mode, "", modified);
      }
      if (!attributes.isRegularFile()) {
        return new Item(Item.Kind.OTHER, mode, "", modified);
      }
      if (attributes.size() > limits.bytesEach()) {
        throw new WorkspaceException(
            "Expected files of at most %,d bytes, but '%s' has %,d. Raise the limit, or keep it elsewhere."
                .formatted(limits.bytesEach(), path, attributes.size()),
            List.of(Names.text(folder.relativize(path))));
      }
      try (InputStream in = Files.newInputStream(path, LinkOption.NOFOLLOW_LINKS)) {
        return new Item(Item.Kind.FILE, mode, Sha256.hex(in), modified);
      }
    } catch (IOException e) {
      throw unreadable(path, e);
    }
  }

  /** The place of a relative name, none of whose folders is a link. */
  Path place(String name) {
    Path path = folder.resolve(Names.path(name, folder)).normalize();
    if (!path.startsWith(folder) || path.equals(folder)) {
      throw new WorkspaceException(
          "Expected a path below the folder, but '%s' is none.".formatted(name), List.of(name));
    }
    for (Path above = path.getParent();
        above != null && !above.equals(folder);
        above = above.getParent()) {
      if (Files.isSymbolicLink(above)) {
        throw new WorkspaceException(
            "Expected '%s' to lie in the folder, but a link leads out of it.".formatted(name),
            List.of(name));
      }
    }
    return path;
  }

  WorkspaceLimits limits() {
    return limits;
  }

  boolean isApart(Path path) {
    for (String each : apart) {
      if (path.startsWith(folder.resolve(each))) {
        return true;
      }
    }
    return !path.startsWith(folder);
  }

  private static int mode(Path path) throws IOException {
    return path.getFileSystem().supportedFileAttributeViews().contains("unix")
        ? (Integer) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS) & PERMISSIONS
        : 0;
  }

  private WorkspaceException unreadable(Path path, IOException e) {
    String name = path.equals(folder) ? "." : Names.text(folder.relativize(path));
    WorkspaceException exception =
        new WorkspaceException(
            "Expected to read '%s' of the folder '%s', but it can't be read or went away meanwhile."
                .formatted(name, folder),
            List.of(name));
    exception.initCause(e);
    return exception;
  }

  private WorkspaceException tooMuch(String what, long limit) {
    return new WorkspaceException(
        "Expected at most %,d %s in '%s', but there are more. Raise the limit, or keep something apart."
            .formatted(limit, what, folder),
        List.of());
  }
}
