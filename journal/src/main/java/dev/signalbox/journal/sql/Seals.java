package dev.signalbox.journal.sql;

import dev.signalbox.journal.Checkpoint;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Checkpoints, and what keeps an instance from being erased: the same in every database. */
public final class Seals {
  private Seals() {}

  /** Whether effects of the instance, or messages from or to it, are still to be done. */
  public static boolean isPending(Connection connection, long instance, String id)
      throws SQLException {
    return new Selection(
                "select 1 where exists (select 1 from effect where instance = ?) or exists (select"
                    + " 1 from message where sender = ? or recipient = ?)",
                instance,
                id,
                id)
            .first(connection, row -> row.getInt(1))
        != null;
  }

  public static void keepCheckpoint(Connection connection, byte[] text) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("insert into checkpoint (body) values (?)")) {
      statement.setBytes(1, text);
      statement.executeUpdate();
    }
  }

  public static @Nullable Checkpoint newestCheckpoint(Connection connection) throws SQLException {
    return new Selection("select number, body from checkpoint order by number desc limit 1")
        .first(connection, row -> new Checkpoint(row.getLong(1), row.getBytes(2)));
  }

  public static List<Checkpoint> checkpoints(Connection connection, long after, int most)
      throws SQLException {
    return new Selection(
            "select number, body from checkpoint where number > ? order by number limit ?",
            after,
            most)
        .list(connection, row -> new Checkpoint(row.getLong(1), row.getBytes(2)));
  }
}
