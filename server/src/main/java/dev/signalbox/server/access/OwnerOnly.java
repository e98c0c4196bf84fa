package dev.signalbox.server.access;

import dev.signalbox.journal.DurableFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Files that nobody but their owner reads. */
public final class OwnerOnly {
  private OwnerOnly() {}

  private static FileAttribute<Set<PosixFilePermission>> permissions() {
    return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
  }

  private static boolean isPosix(Path file) {
    return file.getFileSystem().supportedFileAttributeViews().contains("posix");
  }

  /** Makes an empty file when there is none. */
  static void create(Path file) throws IOException {
    if (Files.notExists(file)) {
      if (isPosix(file)) {
        Files.createFile(file, permissions());
      } else {
        Files.createFile(file);
      }
    }
  }

  /** Writes a file whole, in place of the one that may be there; it is durable then. */
  public static void write(Path file, String text) throws IOException {
    DurableFile.writeForOwner(file, text.getBytes(StandardCharsets.UTF_8));
  }
}
