package dev.signalbox.testkit;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;

/**
 * The write-ahead log of a SQLite file whose process was killed, to be damaged. The log is written
 * from its beginning again and again, so its end is behind the last frame that has the salts of the
 * header, not at the end of the file.
 *
 * @see <a href="https://www.sqlite.org/fileformat2.html#the_write_ahead_log">the file format</a>
 */
record WriteAheadLog(Path file) {
  private static final int HEADER = 32;
  private static final int FRAME_HEADER = 24;

  static WriteAheadLog of(Path database) {
    return new WriteAheadLog(database.resolveSibling(database.getFileName() + "-wal"));
  }

  /**
   * Whether pages of the log are in the database already, so that the log alone can't lose them.
   */
  static boolean isCheckpointed(Path database) throws IOException {
    Path index = database.resolveSibling(database.getFileName() + "-shm");
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(index)).order(ByteOrder.nativeOrder());
    return bytes.getInt(96) > 0;
  }

  /** Where the last frame begins. */
  private static int lastFrame(ByteBuffer log) {
    int frame = FRAME_HEADER + log.getInt(8);
    long salts = log.getLong(16);
    int at = HEADER;
    while (at + frame <= log.limit() && log.getLong(at + 8) == salts) {
      at += frame;
    }
    return at - frame;
  }

  private static int end(ByteBuffer log) {
    return lastFrame(log) + FRAME_HEADER + log.getInt(8);
  }

  private ByteBuffer read() throws IOException {
    return ByteBuffer.wrap(Files.readAllBytes(file));
  }

  /** Half a frame behind the last one: the write that the power failure cut off. */
  void appendHalfAFrame(Random random) throws IOException {
    ByteBuffer log = read();
    byte[] half = new byte[(FRAME_HEADER + log.getInt(8)) / 2];
    random.nextBytes(half);
    ByteBuffer.wrap(half).putLong(8, log.getLong(16));
    write(half, end(log));
  }

  /** Takes a part of the last frame away, and whatever is behind it. */
  void cutLastFrame(Random random) throws IOException {
    ByteBuffer log = read();
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.truncate(lastFrame(log) + 1 + random.nextInt(log.getInt(8)));
    }
  }

  /** Writes nonsense into the last frame. */
  void spoilLastFrame(Random random) throws IOException {
    ByteBuffer log = read();
    byte[] nonsense = new byte[100];
    random.nextBytes(nonsense);
    write(nonsense, lastFrame(log) + FRAME_HEADER + random.nextInt(log.getInt(8) - 100));
  }

  private void write(byte[] bytes, long at) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(bytes), at);
    }
  }
}
