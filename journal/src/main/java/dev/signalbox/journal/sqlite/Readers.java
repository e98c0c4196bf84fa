package dev.signalbox.journal.sqlite;

import dev.signalbox.journal.JournalException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteConfig;

/** A few connections that read beside the writer, opened when they are needed. */
final class Readers {
  private static final int MOST = 4;

  private final String url;
  private final SQLiteConfig config;
  private final @Nullable Supplier<Places> writers;
  private final Consumer<String> check;
  private final Semaphore permits = new Semaphore(MOST);
  private final Deque<Reader> idle = new ArrayDeque<>();
  private boolean closed;

  /**
   * @param writers where the writer of this process says newest steps are; null when another
   *     process writes
   * @param check refuses what can't be answered any more; it is told what is to be done
   */
  Readers(
      String url, SQLiteConfig config, @Nullable Supplier<Places> writers, Consumer<String> check) {
    this.check = check;
    this.url = url;
    this.config = config;
    this.writers = writers;
  }

  /** Something read. */
  interface Reading<T extends @Nullable Object> {
    T read(Reader reader) throws SQLException;
  }

  <T extends @Nullable Object> T read(String doing, Reading<T> reading) {
    check.accept(doing);
    // Asked first: it may have to wait for the writer, who may wait for readers.
    Places places = writers == null ? null : writers.get();
    permits.acquireUninterruptibly();
    Reader reader = null;
    boolean whole = false;
    try {
      reader = take(doing);
      reader.begin(places);
      T found = reading.read(reader);
      reader.done();
      whole = true;
      return found;
    } catch (SQLException e) {
      throw Faults.of(doing, e);
    } finally {
      giveBack(reader, whole);
      permits.release();
    }
  }

  /** A reader that was left in the middle of something may see the file as it was for ever. */
  private void giveBack(@Nullable Reader reader, boolean whole) {
    if (reader == null) {
      return;
    }
    if (whole) {
      synchronized (idle) {
        idle.push(reader);
      }
      return;
    }
    try {
      reader.close();
    } catch (SQLException e) {
      // What was thrown before says more.
    }
  }

  private Reader take(String doing) throws SQLException {
    synchronized (idle) {
      if (closed) {
        throw new JournalException(
            "Expected to %s, but the store is closed; open it again.".formatted(doing), null);
      }
      Reader reader = idle.poll();
      if (reader != null) {
        return reader;
      }
    }
    Connection connection = DriverManager.getConnection(url, config.toProperties());
    return new Reader(connection);
  }

  void close() {
    permits.acquireUninterruptibly(MOST);
    try {
      closeAll();
    } finally {
      permits.release(MOST);
    }
  }

  private void closeAll() {
    synchronized (idle) {
      closed = true;
      for (Reader reader : idle) {
        try {
          reader.close();
        } catch (SQLException e) {
          throw new JournalException("Expected to close a reader, but it failed.", e);
        }
      }
      idle.clear();
    }
  }
}
