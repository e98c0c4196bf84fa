package dev.signalbox.journal.sqlite;

import dev.signalbox.journal.DurableFile;
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

/**
 * The right to write a journal file. The operating system takes it back when the process ends. The
 * file beside the journal says who has it, and is empty only before there is a journal.
 */
final class FileLock {
  private final Path file;
  private final FileChannel channel;

  private FileLock(Path file, FileChannel channel) {
    this.file = file;
    this.channel = channel;
  }

  static FileLock take(Location journal) {
    Path file = journal.lock();
    FileChannel channel = null;
    try {
      Path folder = file.getParent();
      if (folder != null) {
        DurableFile.folders(folder);
      }
      channel =
          FileChannel.open(
              file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
      if (tryLock(channel) == null) {
        String owner = Files.readString(file).strip();
        channel.close();
        throw new JournalException(
            "Expected to own '%s', but another process does (%s); end it, or use its address."
                .formatted(
                    journal.given(), owner.isEmpty() ? "which did not say who it is" : owner),
            null);
      }
      return new FileLock(file, channel);
    } catch (IOException e) {
      close(channel);
      throw new JournalException(
          "Expected to open '%s', but the folder can't be written: %s."
              .formatted(journal.given(), e.getMessage()),
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
    write("process " + ProcessHandle.current().pid() + more);
  }

  private void write(String text) throws IOException {
    channel.truncate(0);
    channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)), 0);
    channel.force(true);
  }

  /** Gives it back; that there is a journal stays written. */
  void release() {
    try {
      if (channel.size() > 0) {
        write("nobody");
      }
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
