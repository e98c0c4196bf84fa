package dev.signalbox.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Files that are whole or not there. A reader sees the file from before or the new one, and after a
 * loss of power it is one of the two as well: a temporary file beside it is written and forced to
 * the disk, takes its name, and then the folder is forced.
 */
public final class DurableFile {
  private static final AtomicLong COUNT = new AtomicLong();

  private static final FileAttribute<Set<PosixFilePermission>> OWNER =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private DurableFile() {}

  /** Writes the file in place of the one that may be there. Its folder exists. */
  public static void write(Path file, byte[] bytes) throws IOException {
    Path folder = folder(file);
    Path part = part(file);
    try {
      try (FileChannel channel =
          FileChannel.open(part, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
        append(channel, bytes);
        channel.force(true);
      }
      Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException | RuntimeException e) {
      Files.deleteIfExists(part);
      throw e;
    }
    force(folder);
  }

  /** Writes a file that nobody but its owner reads, in place of the one that may be there. */
  public static void writeForOwner(Path file, byte[] bytes) throws IOException {
    Path part = partForOwner(file, bytes);
    try {
      Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException | RuntimeException e) {
      Files.deleteIfExists(part);
      throw e;
    }
    force(folder(file));
  }

  /**
   * Makes a file that nobody but its owner reads, with the folders that it is in. Whoever finds it
   * finds all of it.
   *
   * @return false when there is one already, which stays as it is
   */
  public static boolean createForOwner(Path file, byte[] bytes) throws IOException {
    folders(folder(file));
    if (Files.exists(file)) {
      return false;
    }
    Path part = partForOwner(file, bytes);
    try {
      link(part, file);
      return true;
    } catch (FileAlreadyExistsException e) {
      return false;
    } finally {
      Files.deleteIfExists(part);
      force(folder(file));
    }
  }

  /** Gives the file the name, if it is free. */
  private static void link(Path part, Path file) throws IOException {
    try {
      Files.createLink(file, part);
    } catch (FileAlreadyExistsException e) {
      throw e;
    } catch (UnsupportedOperationException | FileSystemException e) {
      // Some file systems give a file one name only.
      Files.move(part, file);
    }
  }

  private static Path partForOwner(Path file, byte[] bytes) throws IOException {
    Path part = part(file);
    Set<OpenOption> options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    try (FileChannel channel =
        isPosix(file) ? FileChannel.open(part, options, OWNER) : FileChannel.open(part, options)) {
      append(channel, bytes);
      channel.force(true);
    } catch (IOException | RuntimeException e) {
      Files.deleteIfExists(part);
      throw e;
    }
    return part;
  }

  /** Gives a file another name, which nothing has, in the same file system. */
  public static void move(Path from, Path to) throws IOException {
    if (Files.exists(to)) {
      throw new FileAlreadyExistsException(to.toString());
    }
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
    force(folder(to));
    force(folder(from));
  }

  /** Makes the folder and those that it is in, as far as they are not there. */
  public static void folders(Path folder) throws IOException {
    Path absolute = folder.toAbsolutePath();
    if (Files.isDirectory(absolute)) {
      return;
    }
    Path parent = absolute.getParent();
    if (parent != null) {
      folders(parent);
    }
    Files.createDirectories(absolute);
    if (parent != null) {
      force(parent);
    }
  }

  /** Makes what was written into the file, and its name, durable. */
  public static void forceWhole(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.force(true);
    }
    force(folder(file));
  }

  /** Writes all the bytes at the channel's position. */
  public static void append(FileChannel channel, byte[] bytes) throws IOException {
    ByteBuffer rest = ByteBuffer.wrap(bytes);
    while (rest.hasRemaining()) {
      channel.write(rest);
    }
  }

  /** Makes the folder's names durable: what was created, renamed or deleted in it stays so. */
  public static void force(Path folder) throws IOException {
    // Windows opens no folders, and needs none of this.
    if (isPosix(folder)) {
      try (FileChannel names = FileChannel.open(folder, StandardOpenOption.READ)) {
        names.force(true);
      }
    }
  }

  private static boolean isPosix(Path file) {
    return file.getFileSystem().supportedFileAttributeViews().contains("posix");
  }

  /** Whether the name is one of a temporary file, left by a process that died. */
  public static boolean isPart(Path file) {
    Path name = file.getFileName();
    return name != null && name.toString().startsWith(".part-");
  }

  /** A name beside the file that no other writer has. */
  private static Path part(Path file) {
    return folder(file)
        .resolve(".part-%d-%d".formatted(ProcessHandle.current().pid(), COUNT.incrementAndGet()));
  }

  private static Path folder(Path file) {
    Path folder = file.toAbsolutePath().getParent();
    if (folder == null) {
      throw new IllegalArgumentException("Expected a file, but found the root " + file + ".");
    }
    return folder;
  }
}
