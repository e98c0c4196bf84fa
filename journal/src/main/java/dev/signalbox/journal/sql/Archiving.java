package dev.signalbox.journal.sql;

import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Tombstone;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Takes instances out of the tables and leaves tombstones, within the caller's transaction. */
public final class Archiving {
  private static final String COLUMNS =
      "number, id, machine, sequence, head, refusals, refusal_head, at, file";

  private Archiving() {}

  /**
   * Archives what can be.
   *
   * @param lock what the database wants at the end of a select that locks its rows
   * @return those that stay
   */
  public static List<Tombstone> archive(
      Connection connection, List<Tombstone> tombstones, String lock) throws SQLException {
    List<Tombstone> kept = new ArrayList<>(0);
    for (Tombstone tombstone : tombstones) {
      if (stands(connection, tombstone, lock)) {
        take(connection, tombstone);
      } else {
        kept.add(tombstone);
      }
    }
    return kept;
  }

  private static boolean stands(Connection connection, Tombstone tombstone, String lock)
      throws SQLException {
    return new Selection(
                "select i.number from instance i where i.number = ? and i.head = ? and"
                    + " i.refusal_head = ? and i.status = ? and not exists (select 1 from effect e"
                    + " where e.instance = i.number) and not exists (select 1 from message m where"
                    + " m.sender = i.id or m.recipient = i.id)"
                    + lock,
                tombstone.number(),
                tombstone.head(),
                tombstone.refusalHead(),
                InstanceRow.Status.ENDED.code())
            .first(connection, row -> row.getLong(1))
        != null;
  }

  private static void take(Connection connection, Tombstone tombstone) throws SQLException {
    long number = tombstone.number();
    update(
        connection,
        "with recursive chain (position, previous) as (select e.position, e.previous from instance"
            + " i join entry e on e.position in (i.newest, i.newest_refusal) where i.number = ?"
            + " union all select e.position, e.previous from chain c join entry e on e.position ="
            + " c.previous) update entry set body = ?, key = null where position in (select"
            + " position from chain)",
        number,
        new byte[0]);
    update(connection, "delete from search where instance = ?", number);
    update(connection, "delete from instance where number = ?", number);
    update(
        connection,
        "insert into tombstone (" + COLUMNS + ") values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        number,
        tombstone.id(),
        tombstone.machine(),
        tombstone.sequence(),
        tombstone.head(),
        tombstone.refusals(),
        tombstone.refusalHead(),
        tombstone.at(),
        tombstone.file());
  }

  private static void update(Connection connection, String sql, Object... values)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < values.length; i++) {
        statement.setObject(i + 1, values[i]);
      }
      statement.executeUpdate();
    }
  }

  public static List<Tombstone> tombstones(Connection connection, long after, int most)
      throws SQLException {
    return new Selection(
            "select " + COLUMNS + " from tombstone where number > ? order by number limit ?",
            after,
            most)
        .list(connection, Archiving::tombstone);
  }

  private static Tombstone tombstone(ResultSet row) throws SQLException {
    return new Tombstone(
        row.getLong(1),
        row.getString(2),
        row.getLong(3),
        row.getLong(4),
        row.getBytes(5),
        row.getLong(6),
        row.getBytes(7),
        row.getLong(8),
        row.getString(9));
  }
}
