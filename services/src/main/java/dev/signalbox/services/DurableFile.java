package dev.signalbox.services;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Files that are whole or not there. A reader sees the file from before or the new one, and after a
 * loss of power it is one of the two as well: a temporary file beside it is written and forced to
 * the disk, takes its name, and then the folder is forced.
 */
public final class DurableFile {
  private static final AtomicLong COUNT = new AtomicLong();

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
    if (folder.getFileSystem().supportedFileAttributeViews().contains("posix")) {
      try (FileChannel names = FileChannel.open(folder, StandardOpenOption.READ)) {
        names.force(true);
      }
    }
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
