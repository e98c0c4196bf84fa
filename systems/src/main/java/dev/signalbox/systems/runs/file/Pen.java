package dev.signalbox.systems.runs.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The right to write the files of all runs in a folder: of all processes one has it, until it lays
 * it down or dies. It is the system's lock on a file that holds nothing, so nobody has to be
 * believed about who is alive, and nobody who was merely slow loses it.
 *
 * <p>The system's locks belong to processes, and closing any channel of a file gives up all locks
 * that the process has on it. So a process keeps a list of what it holds and does not open such a
 * file a second time.
 */
final class Pen implements AutoCloseable {
  static final String FILE = ".RUN_LEDGER.lock";

  private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

  private final Path file;
  private final FileChannel channel;
  private final @Nullable Object key;

  private Pen(Path file, FileChannel channel, @Nullable Object key) {
    this.file = file;
    this.channel = channel;
    this.key = key;
  }

  /** Takes it up; null when somebody else has it. */
  static @Nullable Pen take(Path runs) throws IOException {
    Path file = runs.toRealPath().resolve(FILE);
    if (!HELD.add(file)) {
      return null;
    }
    FileChannel channel = null;
    Pen pen = null;
    try {
      channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      Object key = key(file);
      FileLock lock = channel.tryLock();
      Pen taken = new Pen(file, channel, key);
      // Whoever deleted the file in between has let two processes lock two files of one name.
      if (lock != null && taken.isHeld()) {
        pen = taken;
      }
      return pen;
    } finally {
      if (pen == null) {
        if (channel != null) {
          channel.close();
        }
        HELD.remove(file);
      }
    }
  }

  /** Whether it is still the right for that folder: the file is there, and is the same. */
  boolean isHeld() throws IOException {
    Object now = key(file);
    return now != null && now.equals(key);
  }

  @Override
  public void close() throws IOException {
    try {
      channel.close();
    } finally {
      HELD.remove(file);
    }
  }

  /** What makes the file this one and no other; null when it is not there. */
  private static @Nullable Object key(Path file) throws IOException {
    try {
      Object key = Files.readAttributes(file, BasicFileAttributes.class).fileKey();
      // Where files have no keys they can't be deleted while they are open either.
      return key == null ? file : key;
    } catch (NoSuchFileException e) {
      return null;
    }
  }
}
