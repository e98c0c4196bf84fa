package dev.signalbox.journal.sqlite;

import dev.signalbox.journal.JournalException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteConfig;

/** A few connections that read beside the writer, opened when they are needed. */
final class Readers {
  private static final int MOST = 4;

  private final String url;
  private final SQLiteConfig config;
  private final @Nullable Supplier<Places> writers;
  private final Semaphore permits = new Semaphore(MOST);
  private final Deque<Reader> idle = new ArrayDeque<>();
  private boolean closed;

  /**
   * @param writers where the writer of this process says newest steps are; null when another
   *     process writes
   */
  Readers(String url, SQLiteConfig config, @Nullable Supplier<Places> writers) {
    this.url = url;
    this.config = config;
    this.writers = writers;
  }

  /** Something read. */
  interface Reading<T extends @Nullable Object> {
    T read(Reader reader) throws SQLException;
  }

  <T extends @Nullable Object> T read(String doing, Reading<T> reading) {
    // Asked first: it may have to wait for the writer, who may wait for readers.
    Places places = writers == null ? null : writers.get();
    permits.acquireUninterruptibly();
    Reader reader = null;
    try {
      reader = take(doing);
      reader.begin(places);
      try {
        return reading.read(reader);
      } finally {
        reader.done();
      }
    } catch (SQLException e) {
      throw Faults.of(doing, e);
    } finally {
      if (reader != null) {
        synchronized (idle) {
          idle.push(reader);
        }
      }
      permits.release();
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
