package dev.signalbox.systems.runs.file;

import dev.signalbox.journal.DurableFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/**
 * A file that grows at its end. It knows how much of it is right; what stands behind that is either
 * the very next thing, written by a process that died, or is cut off.
 */
final class AppendedFile {
  private final Path file;
  private long length;

  AppendedFile(Path file, long length) {
    this.file = file;
    this.length = length;
  }

  /** Makes the file be these bytes: what stands behind them is cut off, or it is written anew. */
  static AppendedFile of(Path file, byte[] bytes) throws IOException {
    byte[] found = Files.exists(file) ? Files.readAllBytes(file) : new byte[0];
    boolean begins =
        Files.exists(file)
            && found.length >= bytes.length
            && Arrays.equals(found, 0, bytes.length, bytes, 0, bytes.length);
    if (!begins) {
      DurableFile.write(file, bytes);
    }
    AppendedFile appended = new AppendedFile(file, bytes.length);
    appended.trim();
    return appended;
  }

  /** Appends, unless it is there already; when it returns, it is on the disk. */
  void append(byte[] bytes) throws IOException {
    boolean fresh = !Files.exists(file);
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      if (!isThere(channel, bytes)) {
        channel.truncate(length);
        channel.position(length);
        DurableFile.append(channel, bytes);
        channel.force(true);
      }
    }
    if (fresh) {
      Path folder = file.toAbsolutePath().getParent();
      if (folder != null) {
        DurableFile.force(folder);
      }
    }
    length += bytes.length;
  }

  /** Cuts off what stands behind the end. */
  void trim() throws IOException {
    if (Files.exists(file) && Files.size(file) > length) {
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
        channel.truncate(length);
        channel.force(true);
      }
    }
  }

  private boolean isThere(FileChannel channel, byte[] bytes) throws IOException {
    if (channel.size() < length + bytes.length) {
      return false;
    }
    ByteBuffer found = ByteBuffer.allocate(bytes.length);
    while (found.hasRemaining()) {
      if (channel.read(found, length + found.position()) < 0) {
        return false;
      }
    }
    return Arrays.equals(found.array(), bytes);
  }
}
