package dev.signalbox.journal.sqlite;

import dev.signalbox.journal.Chain;
import dev.signalbox.journal.Checkpoint;
import dev.signalbox.journal.CommittedEntry;
import dev.signalbox.journal.CommittedGroup;
import dev.signalbox.journal.Count;
import dev.signalbox.journal.Due;
import dev.signalbox.journal.EffectRow;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.MessageRow;
import dev.signalbox.journal.Names;
import dev.signalbox.journal.PublishedMachine;
import dev.signalbox.journal.Query;
import dev.signalbox.journal.Tombstone;
import dev.signalbox.journal.sql.Archiving;
import dev.signalbox.journal.sql.Rows;
import dev.signalbox.journal.sql.Seals;
import dev.signalbox.journal.sql.Selection;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One connection that reads; for one caller at a time. */
final class Reader {
  private final Connection connection;
  private final PreparedStatement byId;
  private final PreparedStatement byNumber;
  private final PreparedStatement keyed;
  private final PreparedStatement keys;

  Reader(Connection connection) throws SQLException {
    this.connection = connection;
    String instance = "select " + Rows.INSTANCE + " from instance i where ";
    this.byId = connection.prepareStatement(instance + "i.id = ?");
    this.byNumber = connection.prepareStatement(instance + "i.number = ?");
    this.keyed =
        connection.prepareStatement(
            "select " + Rows.ENTRY + " from entry where instance = ? and key = ?");
    this.keys =
        connection.prepareStatement(
            "select key from entry where instance = ? and key is not null limit ?");
  }

  List<PublishedMachine> machines() throws SQLException {
    return list("select " + Rows.MACHINE + " from machine order by number", Rows::machine);
  }

  @Nullable InstanceRow load(String id) throws SQLException {
    byId.setString(1, id);
    return first(byId, Rows::instance);
  }

  @Nullable InstanceRow load(long number) throws SQLException {
    byNumber.setLong(1, number);
    return first(byNumber, Rows::instance);
  }

  @Nullable EntryRow keyed(long instance, String key) throws SQLException {
    keyed.setLong(1, instance);
    keyed.setString(2, key);
    return first(keyed, Rows::entry);
  }

  @Nullable List<String> keys(long instance, int most) throws SQLException {
    keys.setLong(1, instance);
    keys.setInt(2, most + 1);
    List<String> found = list(keys, row -> row.getString(1));
    return found.size() > most ? null : found;
  }

  List<EntryRow> history(long instance, Chain chain, long from, int most) throws SQLException {
    return Selection.history(instance, chain, from, most).list(connection, Rows::entry);
  }

  List<EntryRow> newest(Collection<Long> instances) throws SQLException {
    return Selection.newest("i.number in (select value from json_each(?))", instances.toString())
        .list(connection, Rows::entry);
  }

  void eachDue(Consumer<Due> consumer) throws SQLException {
    try (PreparedStatement statement =
            connection.prepareStatement("select number, due from instance where due < ?");
        ResultSet rows = query(statement, InstanceRow.NEVER)) {
      while (rows.next()) {
        consumer.accept(new Due(rows.getLong(1), rows.getLong(2)));
      }
    }
  }

  List<Due> due(long until, int most) throws SQLException {
    return list(
        "select number, due from instance where due <= ? order by due, number limit ?",
        row -> new Due(row.getLong(1), row.getLong(2)),
        until,
        most);
  }

  @Nullable EffectRow effect(long number) throws SQLException {
    return single("select " + Rows.EFFECT + " from effect where number = ?", Rows::effect, number);
  }

  List<EffectRow> effects(long after, int most) throws SQLException {
    return Selection.effects(after, most).list(connection, Rows::effect);
  }

  List<MessageRow> messages(long after, int most) throws SQLException {
    return list(
        "select " + Rows.MESSAGE + " from message where number > ? order by number limit ?",
        Rows::message,
        after,
        most);
  }

  @Nullable MessageRow message(long number) throws SQLException {
    return single(
        "select " + Rows.MESSAGE + " from message where number = ?", Rows::message, number);
  }

  List<InstanceRow> query(Query query) throws SQLException {
    Selection selection =
        new Selection("select " + Rows.INSTANCE + " from instance i").where(query);
    if (query.state() != null) {
      selection.add(
          " and i.configuration in (select c.number from configuration c,"
              + " json_each(c.states) s where s.value = ?)",
          query.state());
    }
    query
        .fields()
        .forEach((field, value) ->
            selection.add(
                " and i.number in (select instance from search where field = ? and value = ?)",
                field,
                value));
    return selection
        .add(query.newestFirst() ? " order by i.number desc" : " order by i.number")
        .add(" limit ?", query.most())
        .list(connection, Rows::instance);
  }

  List<Count> counts() throws SQLException {
    return list(
        "select c.machine, c.leaves, n.instances from (select configuration, count(*) instances"
            + " from instance where status <> ? group by configuration) n"
            + " join configuration c on c.number = n.configuration order by c.number",
        row -> new Count(row.getLong(1), Names.list(row.getString(2)), row.getLong(3)),
        InstanceRow.Status.ENDED.code());
  }

  List<CommittedGroup> groups(long after, int most) throws SQLException {
    List<CommittedGroup> groups = new ArrayList<>();
    try (PreparedStatement statement =
            connection.prepareStatement(
                "select number, first, count, at, root from commit_group where number > ?"
                    + " order by number limit ?");
        ResultSet rows = query(statement, after, most)) {
      while (rows.next()) {
        long number = rows.getLong(1);
        List<EntryRow> entries =
            list(
                "select "
                    + Rows.ENTRY
                    + " from entry where position >= ? and position < ?"
                    + " order by position",
                Rows::entry,
                rows.getLong(2),
                rows.getLong(2) + rows.getLong(3));
        groups.add(
            new CommittedGroup(number, 1, number - 1, rows.getLong(4), rows.getBytes(5), entries));
      }
    }
    return groups;
  }

  List<CommittedEntry> entries(long after, int most) throws SQLException {
    return Selection.entries(after)
        .add(" order by e.position limit ?", most)
        .list(connection, Rows::committed);
  }

  long end() throws SQLException {
    return list("select coalesce(max(position), 0) from entry", row -> row.getLong(1)).getFirst();
  }

  List<Tombstone> tombstones(long after, int most) throws SQLException {
    return Archiving.tombstones(connection, after, most);
  }

  boolean isPending(long instance, String id) throws SQLException {
    return Seals.isPending(connection, instance, id);
  }

  List<Checkpoint> checkpoints(long after, int most) throws SQLException {
    return Seals.checkpoints(connection, after, most);
  }

  private <T> @Nullable T single(String sql, Selection.Shape<T> shape, Object... values)
      throws SQLException {
    return new Selection(sql, values).first(connection, shape);
  }

  private <T> List<T> list(String sql, Selection.Shape<T> shape, Object... values)
      throws SQLException {
    return new Selection(sql, values).list(connection, shape);
  }

  private static <T> List<T> list(PreparedStatement statement, Selection.Shape<T> shape)
      throws SQLException {
    List<T> found = new ArrayList<>();
    try (ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        found.add(shape.of(rows));
      }
    }
    return found;
  }

  private static <T> @Nullable T first(PreparedStatement statement, Selection.Shape<T> shape)
      throws SQLException {
    try (ResultSet rows = statement.executeQuery()) {
      return rows.next() ? shape.of(rows) : null;
    }
  }

  private static ResultSet query(PreparedStatement statement, Object... values)
      throws SQLException {
    bind(statement, values);
    return statement.executeQuery();
  }

  private static void bind(PreparedStatement statement, Object... values) throws SQLException {
    for (int i = 0; i < values.length; i++) {
      statement.setObject(i + 1, values[i]);
    }
  }

  void close() throws SQLException {
    connection.close();
  }
}
