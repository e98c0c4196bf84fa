package dev.signalbox.services.checkpoint;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * A file that is only appended to, a checkpoint on each line. Let another user own it, or give it
 * the attribute that allows nothing else ({@code chattr +a}), or mount it from another machine. A
 * line that a crash cut off stays, and the whole one comes after it.
 */
public final class AppendedFile implements SecondPlace {
  /** The most bytes of a line that are looked for at the end. */
  private static final int LONGEST = 16 << 20;

  private final Path file;

  public AppendedFile(Path file) {
    this.file = file.toAbsolutePath();
  }

  @Override
  public String name() {
    return file.toString();
  }

  @Override
  public void publish(byte[] checkpoint) throws IOException {
    boolean torn = !endsWithLine();
    byte[] line = new byte[checkpoint.length + (torn ? 2 : 1)];
    if (torn) {
      line[0] = '\n';
    }
    System.arraycopy(checkpoint, 0, line, torn ? 1 : 0, checkpoint.length);
    line[line.length - 1] = '\n';
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
      ByteBuffer bytes = ByteBuffer.wrap(line);
      while (bytes.hasRemaining()) {
        int _ = channel.write(bytes);
      }
      channel.force(true);
    }
  }

  private boolean endsWithLine() throws IOException {
    if (Files.notExists(file) || Files.size(file) == 0) {
      return true;
    }
    try (RandomAccessFile read = new RandomAccessFile(file.toFile(), "r")) {
      read.seek(read.length() - 1);
      return read.read() == '\n';
    }
  }

  @Override
  public byte @Nullable [] last() throws IOException {
    if (Files.notExists(file)) {
      return null;
    }
    try (RandomAccessFile read = new RandomAccessFile(file.toFile(), "r")) {
      int size = (int) Math.min(LONGEST, read.length());
      byte[] end = new byte[size];
      read.seek(read.length() - size);
      read.readFully(end);
      String text = new String(end, StandardCharsets.UTF_8);
      int to = text.lastIndexOf('\n');
      return to < 0
          ? null
          : text.substring(text.lastIndexOf('\n', to - 1) + 1, to).getBytes(StandardCharsets.UTF_8);
    }
  }
}
