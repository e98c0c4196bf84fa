package dev.signalbox.journal.sqlite;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Brings what was committed from the write-ahead log into the file, on a thread and a connection of
 * its own, so that no commit waits for it. SQLite by itself would do it within a commit.
 *
 * <p>The log begins anew only when all of it is in the file, and a writer that never rests is
 * always ahead. So after the bulk is done beside the writer, the few pages that came meanwhile are
 * done while the writer waits. What fails here is tried again later; a commit is durable before.
 */
final class LogEmptier implements AutoCloseable {
  /** Passes beside the writer; the second has what was written during the first. */
  private static final int BESIDE = 2;

  private final Writer.Opening opening;
  private final Object writing;
  private final AtomicBoolean asked = new AtomicBoolean();
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().daemon().name("signalbox-log").factory());
  private @Nullable Connection connection;

  /**
   * @param writing whoever holds its monitor keeps others from writing
   */
  LogEmptier(Writer.Opening opening, Object writing) {
    this.opening = opening;
    this.writing = writing;
  }

  /** Asks for it; it does not wait. */
  void ask() {
    if (asked.compareAndSet(false, true)) {
      thread.execute(this::empty);
    }
  }

  private void empty() {
    try (Statement statement = connected().createStatement()) {
      for (int i = 0; i < BESIDE; i++) {
        statement.execute("pragma wal_checkpoint(passive)");
      }
      synchronized (writing) {
        statement.execute("pragma wal_checkpoint(passive)");
      }
    } catch (SQLException e) {
      // The disk is full or away: whoever appends next is told.
    } finally {
      asked.set(false);
    }
  }

  private Connection connected() throws SQLException {
    Connection open = connection;
    if (open == null) {
      open = opening.open();
      connection = open;
    }
    return open;
  }

  /** Ends after what is under way. */
  @Override
  public void close() throws SQLException {
    thread.close();
    Connection open = connection;
    if (open != null) {
      open.close();
    }
  }
}
