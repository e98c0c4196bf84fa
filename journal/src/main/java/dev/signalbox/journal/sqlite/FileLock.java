package dev.signalbox.journal.sqlite;

import dev.signalbox.journal.JournalException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/** The right to write a journal file. The operating system takes it back when the process ends. */
final class FileLock {
  private final Path file;
  private final FileChannel channel;

  private FileLock(Path file, FileChannel channel) {
    this.file = file;
    this.channel = channel;
  }

  /** Where the lock of a journal file is. */
  static Path of(Path journal) {
    return journal.resolveSibling(journal.getFileName() + ".lock");
  }

  static FileLock take(Path journal) {
    Path file = of(journal);
    FileChannel channel = null;
    try {
      Path folder = file.toAbsolutePath().getParent();
      if (folder != null) {
        Files.createDirectories(folder);
      }
      channel =
          FileChannel.open(
              file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
      if (tryLock(channel) == null) {
        String owner = Files.readString(file).strip();
        channel.close();
        throw new JournalException(
            "Expected to own '%s', but another process does (%s); end it, or use its address."
                .formatted(journal, owner.isEmpty() ? "which did not say who it is" : owner),
            null);
      }
      FileLock lock = new FileLock(file, channel);
      lock.say("");
      return lock;
    } catch (IOException e) {
      close(channel);
      throw new JournalException(
          "Expected to open '%s', but the folder can't be written: %s."
              .formatted(journal, e.getMessage()),
          e);
    }
  }

  private static java.nio.channels.@Nullable FileLock tryLock(FileChannel channel)
      throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException e) {
      return null;
    }
  }

  private static void close(@Nullable FileChannel channel) {
    try {
      if (channel != null) {
        channel.close();
      }
    } catch (IOException e) {
      // The first failure is the one to report.
    }
  }

  /** Writes into the file who holds it, and what else others may want to know. */
  void say(String more) throws IOException {
    String owner = "process " + ProcessHandle.current().pid() + more;
    channel.truncate(0);
    channel.write(ByteBuffer.wrap(owner.getBytes(StandardCharsets.UTF_8)), 0);
  }

  void release() {
    try {
      channel.truncate(0);
    } catch (IOException e) {
      // The lock goes with the channel; what the file says matters only while it is held.
    }
    close(channel);
  }

  @Override
  public String toString() {
    return file.toString();
  }
}
