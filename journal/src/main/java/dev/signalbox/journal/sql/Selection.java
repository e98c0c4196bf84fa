package dev.signalbox.journal.sql;

import dev.signalbox.journal.Chain;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.MessageRow;
import dev.signalbox.journal.Query;
import dev.signalbox.journal.Sorting;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A select that grows by conditions, with the values of its parameters. */
public final class Selection {
  private final StringBuilder sql;
  private final List<Object> values = new ArrayList<>();

  public Selection(String sql, Object... values) {
    this.sql = new StringBuilder(sql);
    Collections.addAll(this.values, values);
  }

  /** The entries of one chain, which is read backwards from its newest entry. */
  public static Selection history(long instance, Chain chain, long from, int most) {
    String newest =
        switch (chain) {
          case STEPS -> "i.newest";
          case REFUSALS -> "i.newest_refusal";
        };
    return history(new Selection(newest), instance, from, most);
  }

  /** The same from the entry at a position that is worked out for the instance {@code i}. */
  public static Selection history(Selection newest, long instance, long from, int most) {
    return new Selection(
            "with recursive chain (position, previous, sequence) as ("
                + "select e.position, e.previous, e.sequence from instance i"
                + " join entry e on e.position = ")
        .add(newest)
        .add(
            " where i.number = ?"
                + " union all select e.position, e.previous, e.sequence from chain c"
                + " join entry e on e.position = c.previous where c.sequence > ?)"
                + " select e.position, e.instance, e.chain, e.sequence, e.hash, e.body, e.key"
                + " from chain c join entry e on e.position = c.position where c.sequence >= ?"
                + " order by c.sequence limit ?",
            instance,
            from,
            from,
            most);
  }

  /** Single entries: the tables they come from, among them the entry {@code e}. */
  public static Selection entriesFrom(String tables, Object value) {
    return new Selection(
        "select e.position, e.instance, e.chain, e.sequence, e.hash, e.body, e.key from " + tables,
        value);
  }

  /** Entries of all instances above a position; conditions may follow, then the order. */
  public static Selection entries(long after) {
    return new Selection(
        "select e.position, e.instance, e.chain, e.sequence, e.hash, e.body, e.key,"
            + " coalesce(i.id, t.id), coalesce(i.machine, t.machine) from entry e"
            + " left join instance i on i.number = e.instance"
            + " left join tombstone t on t.number = e.instance where e.position > ?",
        after);
  }

  /** Effects that have not ended. */
  public static Selection effects(long after, int most) {
    return new Selection(
        "select " + Rows.EFFECT + " from effect where number > ? order by number limit ?",
        after,
        most);
  }

  /** Messages whose recipient does not stand still, and those for which that is no matter. */
  public static Selection deliverable(long after, int most) {
    return new Selection(
        "select m.number, sender, recipient, body from message m where m.number > ? and (body = ?"
            + " or not exists (select 1 from instance i where i.id = m.recipient and i.status in"
            + " (?, ?))) order by m.number limit ?",
        after,
        MessageRow.end(),
        InstanceRow.Status.PAUSED.code(),
        InstanceRow.Status.HALTED.code(),
        most);
  }

  /** What a row becomes. */
  public interface Shape<T> {
    T of(ResultSet row) throws SQLException;
  }

  public Selection add(String text, Object... more) {
    sql.append(text);
    Collections.addAll(values, more);
    return this;
  }

  public Selection add(Selection more) {
    return add(more.sql.toString(), more.values.toArray());
  }

  /** The conditions on the instance {@code i} itself, which are the same in every database. */
  public Selection where(Query query) {
    add(" where").conditions(query);
    if (query.machine() != null) {
      add(" and i.machine in (select number from machine where name = ?)", query.machine());
    }
    return this;
  }

  /** The same but for the machine. */
  public Selection conditions(Query query) {
    add(query.newestFirst() ? " i.number < ?" : " i.number > ?", query.bound());
    if (query.parent() != null) {
      add(" and i.parent = ?", query.parent());
    }
    if (query.status() != null) {
      add(" and i.status = ?", query.status().code());
    }
    if (query.enteredBefore() != null) {
      add(" and i.since < ?", query.enteredBefore());
    }
    return this;
  }

  /** What remains of the instances {@code i} in another order: a page from its place. */
  public Selection sorted(Query query, Sorting sorting) {
    return switch (sorting.by()) {
      case WAITING ->
          counted(query, sorting)
              .add(" and (i.since, i.number) > (?, ?)", sorting.value(), sorting.number())
              .add(" order by i.since, i.number limit ?", query.most());
      case REFUSED ->
          counted(query, sorting)
              .add(" and i.refusals > 0")
              .add(" and (i.refusals, i.number) < (?, ?)", sorting.value(), sorting.number())
              .add(" order by i.refusals desc, i.number desc limit ?", query.most());
    };
  }

  /** Without those whose status leaves them out of the order. */
  public Selection counted(Query query, Sorting sorting) {
    boolean all = sorting.statuses(query).contains(InstanceRow.Status.ENDED);
    return query.status() != null || all
        ? this
        : add(" and i.status <> ?", InstanceRow.Status.ENDED.code());
  }

  public <T> List<T> list(Connection connection, Shape<T> shape) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql.toString())) {
      for (int i = 0; i < values.size(); i++) {
        statement.setObject(i + 1, values.get(i));
      }
      List<T> found = new ArrayList<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          found.add(shape.of(rows));
        }
      }
      return found;
    }
  }

  /** The first row, or null. */
  public <T> @Nullable T first(Connection connection, Shape<T> shape) throws SQLException {
    List<T> found = list(connection, shape);
    return found.isEmpty() ? null : found.getFirst();
  }
}
