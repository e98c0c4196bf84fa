package dev.signalbox.journal.postgres;

import dev.signalbox.journal.Appended;
import dev.signalbox.journal.Group;
import dev.signalbox.journal.Turn;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * A turn that is the lock on an instance's row, in the transaction that appends. Whoever is cut off
 * with it loses its connection, and with that the lock.
 */
final class RowTurn implements Turn {
  private final Writer writer;
  private final Connection connection;
  private final Runnable closed;

  RowTurn(Writer writer, Connection connection, Runnable closed) {
    this.writer = writer;
    this.connection = connection;
    this.closed = closed;
  }

  @Override
  public Appended append(Group group) {
    return writer.appendInTurn(connection, group);
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (SQLException e) {
      // The pool has let go of it, and the database of the lock.
    } finally {
      closed.run();
    }
  }
}
