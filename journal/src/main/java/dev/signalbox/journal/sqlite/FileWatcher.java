package dev.signalbox.journal.sqlite;

import dev.signalbox.journal.JournalException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Watches the files of an open journal. Whoever has a file open goes on writing it when its name is
 * taken away, and SQLite does not notice: every commit succeeds, and all of it is gone with the
 * process. So each commit asks whether the name still leads to the file, and a few times a second
 * the rest is looked at: the log, its index, the keys and the lock, and that nothing became shorter
 * or older. What was noticed once stays so; nothing is written or read any more.
 *
 * <p>The file is held open for this as long as the journal is: a process that closes a file loses
 * its locks on it, SQLite's too.
 */
final class FileWatcher implements AutoCloseable {
  private static final long PERIOD_MS = 100;

  /** How far into the file SQLite says how often it changed and how many pages it has. */
  private static final int COUNTS = 24;

  private static final byte[] MAGIC = {0x37, 0x7f, 0x06};

  private final Location location;
  private final Watched journal;
  private final List<Watched> others = new ArrayList<>();
  private final RandomAccessFile held;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("signalbox-files").factory());
  private long changes;
  private long pages;
  private volatile @Nullable String loss;

  /** A file by its name, and what it was. */
  private static final class Watched {
    final Path path;
    final boolean mayShrink;
    @Nullable Object key;
    long size;

    Watched(Path path, boolean mayShrink) {
      this.path = path;
      this.mayShrink = mayShrink;
    }

    /** What became of it, or null; one that is not there yet is known from when it is. */
    @Nullable String change() {
      try {
        BasicFileAttributes now = Files.readAttributes(path, BasicFileAttributes.class);
        Object found = now.fileKey() == null ? path : now.fileKey();
        if (key != null && !key.equals(found)) {
          return "another file has its name";
        }
        key = found;
        if (!mayShrink && now.size() < size) {
          return "it was cut off at %,d of %,d bytes".formatted(now.size(), size);
        }
        size = now.size();
        return null;
      } catch (NoSuchFileException e) {
        return key == null ? null : "it was deleted or renamed";
      } catch (IOException e) {
        return "it can't be looked at: " + e.getMessage();
      }
    }
  }

  private FileWatcher(Location location, RandomAccessFile held) {
    this.location = location;
    this.held = held;
    this.journal = new Watched(location.file(), false);
    others.add(new Watched(location.log(), false));
    others.add(new Watched(location.index(), false));
    others.add(new Watched(location.keys(), false));
    others.add(new Watched(location.lock(), true));
  }

  /** Watches a journal that is open, until it is closed. */
  static FileWatcher start(Location location) {
    try {
      FileWatcher watcher =
          new FileWatcher(location, new RandomAccessFile(location.file().toFile(), "r"));
      watcher.look();
      var _ =
          watcher.thread.scheduleWithFixedDelay(
              watcher::look, PERIOD_MS, PERIOD_MS, TimeUnit.MILLISECONDS);
      return watcher;
    } catch (IOException e) {
      throw new JournalException(
          "Expected to watch '%s', but it can't be read: %s."
              .formatted(location.file(), e.getMessage()),
          e);
    }
  }

  /**
   * Sees that nothing was noticed.
   *
   * @throws JournalException when the files are not what they were
   */
  void check(String doing) {
    String lost = loss;
    if (lost != null) {
      throw fault(doing, lost);
    }
  }

  /**
   * Sees that what was just committed is in the file that has the journal's name.
   *
   * @throws JournalException when it is not
   */
  void committed() {
    check("append to the journal");
    String change = unlinked();
    if (change != null) {
      loss = change;
      throw fault("append to the journal", change);
    }
  }

  private @Nullable String unlinked() {
    try {
      Object found = Files.readAttributes(journal.path, BasicFileAttributes.class).fileKey();
      return found == null || found.equals(journal.key)
          ? null
          : told(journal, "another file has its name");
    } catch (NoSuchFileException e) {
      return told(journal, "it was deleted or renamed");
    } catch (IOException e) {
      return told(journal, "it can't be looked at: " + e.getMessage());
    }
  }

  private JournalException fault(String doing, String lost) {
    return new JournalException(
        ("Expected to %s, but %s while it was open. Nothing is written any more. End this process,"
                + " bring the file back or restore a backup, and start again.")
            .formatted(doing, lost),
        null);
  }

  private static String told(Watched watched, String change) {
    return "'%s' is not what it was: %s".formatted(watched.path, change);
  }

  /** Looks at everything once. */
  private synchronized void look() {
    if (loss != null) {
      return;
    }
    try {
      String change = journal.change();
      if (change == null) {
        change = older();
      }
      if (change != null) {
        loss = told(journal, change);
        return;
      }
      for (Watched watched : others) {
        String other = watched.change();
        if (other == null && watched.path.equals(location.log())) {
          other = overwrittenLog(watched);
        }
        if (other != null) {
          loss = told(watched, other);
          return;
        }
      }
    } catch (IOException | RuntimeException | Error e) {
      loss = told(journal, "it can't be read: " + e.getMessage());
    }
  }

  /** Whether an older copy was written over the file; SQLite's own counts only grow. */
  private @Nullable String older() throws IOException {
    byte[] counts = counts();
    for (byte[] again = counts(); !Arrays.equals(counts, again); again = counts()) {
      // It was being written.
      counts = again;
    }
    long changed = Integer.toUnsignedLong(ByteBuffer.wrap(counts).getInt(0));
    long counted = Integer.toUnsignedLong(ByteBuffer.wrap(counts).getInt(Integer.BYTES));
    if (changed < changes || counted < pages) {
      return "an older one was written over it";
    }
    changes = changed;
    pages = counted;
    return null;
  }

  private byte[] counts() throws IOException {
    byte[] counts = new byte[2 * Integer.BYTES];
    held.seek(COUNTS);
    held.readFully(counts);
    return counts;
  }

  /** A log that was cut off and written on has a hole in its place; nobody locks it. */
  private static @Nullable String overwrittenLog(Watched log) throws IOException {
    if (log.key == null || log.size == 0) {
      return null;
    }
    byte[] start = new byte[MAGIC.length];
    try (RandomAccessFile from = new RandomAccessFile(log.path.toFile(), "r")) {
      from.readFully(start);
    }
    return Arrays.equals(start, MAGIC) ? null : "something else was written over it";
  }

  /** Whether something was noticed. */
  boolean isLost() {
    return loss != null;
  }

  /** Ends the watching; the file is held on to. */
  void stop() {
    thread.shutdownNow();
  }

  /** Lets go of the file, once nobody else of this process has it. */
  @Override
  public void close() {
    stop();
    try {
      held.close();
    } catch (IOException e) {
      // It was only read.
    }
  }
}
