package dev.signalbox.journal.postgres;

import dev.signalbox.journal.Change;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.NewEntry;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * The statement that writes a group of one step and nothing beside it. It does what {@link
 * AppendStatement} does, without arrays; that takes the database half the time. A step that lost
 * leaves nothing, not even the row of its group.
 */
final class StepStatement {
  private static final String SQL =
      "with o as (update instance i set machine = ?, configuration = ?, status = ?, sequence = ?,"
          + " head = ?, at = ?, since = ?, due = ?, wake = least(i.wake, ?), snapshot = ?,"
          + " newest = (((select base from store) + pg_current_xact_id()::text::bigint) << "
          + AppendStatement.PLACES
          + ") + 1, newest_before = i.newest where i.number = ? and i.head = ? and i.refusal_head ="
          + " ? returning i.number, i.newest_before, i.newest, i.sequence, i.head), oe as (insert"
          + " into entry (position, previous, instance, chain, sequence, key, hash, body) select"
          + " newest, newest_before, number, 0, sequence, ?, head, ? from o), s as (insert into"
          + " standing (configuration, block, period) values (?, ?, ?) on conflict do nothing), r"
          + " as (insert into commit_group (number, writer, previous, at, root) select newest >> "
          + AppendStatement.PLACES
          + ", ?, ?, ?, ? from o) select newest >> "
          + AppendStatement.PLACES
          + " from o";

  /** Says that the step lost. */
  static final long LOST = -1;

  private StepStatement() {}

  static boolean fits(Change change) {
    return change.isOneStep()
        && change.effects().isEmpty()
        && change.ended().isEmpty()
        && change.left().isEmpty()
        && change.messages().isEmpty()
        && change.delivered().isEmpty()
        && change.search().isEmpty();
  }

  /**
   * Writes it.
   *
   * @return the number of the group, or {@link #LOST}
   */
  static long execute(Connection connection, Change step, AppendStatement.GroupRow group)
      throws SQLException {
    InstanceRow row = step.after();
    NewEntry entry = step.entries().getFirst();
    String key = entry.key();
    Object[] values = {
      row.machine(),
      row.configuration(),
      row.status().code(),
      row.sequence(),
      row.head(),
      row.at(),
      row.since(),
      row.due(),
      row.due(),
      row.snapshot(),
      row.number(),
      step.expectedHead(),
      step.expectedRefusalHead(),
      key == null ? null : key.getBytes(StandardCharsets.UTF_8),
      entry.body(),
      row.configuration(),
      row.number() >> AppendStatement.BLOCK,
      row.since() >> AppendStatement.PERIOD,
      group.writer(),
      group.previous(),
      group.at(),
      group.root()
    };
    try (PreparedStatement statement = connection.prepareStatement(SQL)) {
      for (int i = 0; i < values.length; i++) {
        statement.setObject(i + 1, values[i]);
      }
      try (ResultSet rows = statement.executeQuery()) {
        return rows.next() ? rows.getLong(1) : LOST;
      }
    }
  }
}
