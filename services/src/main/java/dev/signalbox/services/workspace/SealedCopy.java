package dev.signalbox.services.workspace;

import dev.signalbox.services.Sha256;
import dev.signalbox.services.evidence.EvidenceStore;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A folder made of a backup's bytes alone, for a tool to work in: whoever changes the real folder
 * meanwhile changes nothing of it. Pipes, sockets and devices are left out. It is not forced to the
 * disk; one that is not whole any more is made anew.
 */
final class SealedCopy {
  private static final int OWNER = 0700;

  private SealedCopy() {}

  /** Makes the folder anew. */
  static void make(Path copy, Footprint footprint, EvidenceStore contents) throws IOException {
    remove(copy);
    Files.createDirectories(copy);
    Path root = copy.toRealPath();
    footprint
        .items()
        .forEach((name, item) -> {
          if (item.isFolder()) {
            within(() -> Files.createDirectories(root.resolve(Names.path(name, root))));
          }
        });
    for (Map.Entry<String, Item> each : footprint.items().entrySet()) {
      Path path = root.resolve(Names.path(each.getKey(), root));
      Item item = each.getValue();
      switch (item.kind()) {
        case FILE -> file(contents, item, path, each.getKey());
        case LINK -> Files.createSymbolicLink(path, Names.path(item.content(), root));
        case FOLDER, OTHER -> {}
      }
    }
    for (Map.Entry<String, Item> each :
        new TreeMap<>(footprint.items()).descendingMap().entrySet()) {
      if (each.getValue().isFolder()) {
        finish(root.resolve(Names.path(each.getKey(), root)), each.getValue());
      }
    }
  }

  private interface Making {
    void make() throws IOException;
  }

  private static void within(Making making) {
    try {
      making.make();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void file(EvidenceStore contents, Item item, Path path, String name)
      throws IOException {
    MessageDigest digest = Sha256.digest();
    try (InputStream in = Files.newInputStream(contents.file(item.content()));
        OutputStream out =
            new DigestOutputStream(
                Files.newOutputStream(
                    path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                digest)) {
      in.transferTo(out);
    }
    if (!HexFormat.of().formatHex(digest.digest()).equals(item.content())) {
      throw new WorkspaceException(
          "Expected the backup of '%s' to be as it was stored, but its bytes have another hash."
              .formatted(name),
          List.of(name));
    }
    finish(path, item);
  }

  private static void finish(Path path, Item item) throws IOException {
    Files.setLastModifiedTime(path, FileTime.fromMillis(item.modified()));
    if (path.getFileSystem().supportedFileAttributeViews().contains("unix")) {
      Files.setAttribute(path, "unix:mode", item.mode());
    }
  }

  /**
   * What is in the copy now, as it is to be in the real folder: pipes, sockets and devices that
   * were there before still are, and new ones are not made.
   */
  static Footprint footprint(Workspace copy, Footprint before) {
    SortedMap<String, Item> items = new TreeMap<>();
    copy.footprint()
        .items()
        .forEach((name, item) -> {
          if (item.kind() != Item.Kind.OTHER) {
            items.put(name, item);
          }
        });
    before
        .items()
        .forEach((name, item) -> {
          if (item.kind() == Item.Kind.OTHER) {
            items.putIfAbsent(name, item);
          }
        });
    return new Footprint(items);
  }

  /** Deletes a copy with everything in it; links are not followed. */
  static void remove(Path copy) throws IOException {
    if (Files.notExists(copy, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    Files.walkFileTree(
        copy,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes)
              throws IOException {
            open(folder);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.delete(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException e)
              throws IOException {
            if (e != null) {
              throw e;
            }
            Files.delete(folder);
            return FileVisitResult.CONTINUE;
          }
        });
  }

  /** A tool may have left folders that can't be looked into. */
  private static void open(Path folder) throws IOException {
    if (folder.getFileSystem().supportedFileAttributeViews().contains("unix")) {
      int mode = (Integer) Files.getAttribute(folder, "unix:mode", LinkOption.NOFOLLOW_LINKS);
      if ((mode & OWNER) != OWNER) {
        Files.setAttribute(folder, "unix:mode", (mode | OWNER) & 07777);
      }
    }
  }
}
