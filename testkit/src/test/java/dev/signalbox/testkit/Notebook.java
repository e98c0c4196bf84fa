package dev.signalbox.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Lines in a file that outlive the process that writes them, whenever it is killed. Each is one
 * write, and what was written stays when the process goes.
 */
final class Notebook {
  private final FileChannel channel;

  Notebook(Path file) {
    try {
      this.channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  synchronized void write(String line) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.UTF_8));
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }

  /** Forces what was written to the disk. */
  void force() throws IOException {
    channel.force(false);
  }
}
