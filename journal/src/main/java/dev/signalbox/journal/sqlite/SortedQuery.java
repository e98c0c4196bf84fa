package dev.signalbox.journal.sqlite;

import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Query;
import dev.signalbox.journal.Sorting;
import dev.signalbox.journal.sql.Rows;
import dev.signalbox.journal.sql.Selection;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * A page of instances in another order than by number.
 *
 * <p>Who was refused most is found in the index of refusals. Who waits longest is found in the
 * index by configuration, status and time, which has those of one configuration and status in their
 * order: the first of each are merged, and as soon as there is a page of them nobody is read who
 * came later than its last. Those of a parent or with a value are few and sorted.
 */
final class SortedQuery {
  private final Connection connection;
  private final Query query;
  private final Sorting sorting;

  /** Those who wait longest of all that were seen; the one who waits least comes first. */
  private final PriorityQueue<Waiting> longest =
      new PriorityQueue<>(
          Comparator.comparingLong(Waiting::since).thenComparingLong(Waiting::number).reversed());

  private SortedQuery(Connection connection, Query query, Sorting sorting) {
    this.connection = connection;
    this.query = query;
    this.sorting = sorting;
  }

  private record Waiting(long number, long since) {}

  /** The page, with the position of each instance's newest step behind its columns. */
  static Selection select(Connection connection, Query query, Sorting sorting) throws SQLException {
    boolean narrow = query.parent() != null || !query.fields().isEmpty();
    if (sorting.by() == Sorting.By.WAITING && !narrow) {
      return new SortedQuery(connection, query, sorting).waiting();
    }
    return fitting(query, narrow).sorted(query, sorting);
  }

  /** The instances with these numbers; an order may follow. */
  static Selection these(Collection<Long> numbers) {
    return new Selection(
        "select "
            + Rows.INSTANCE
            + ", i.newest from instance i where i.number in (select value from json_each(?))",
        List.copyOf(numbers).toString());
  }

  /**
   * Those who fit; an order may follow.
   *
   * @param indexed whether the index by configuration may be used
   */
  static Selection fitting(Query query, boolean indexed) {
    Selection selection =
        new Selection("select " + Rows.INSTANCE + ", i.newest from instance i where")
            .conditions(query);
    if (query.enteredBefore() != null && query.status() == null) {
      // The index has the time behind the status.
      selection.add(" and i.status in (0, 1, 2, 3)");
    }
    if (stands(query)) {
      // With a sign before it no index is used.
      selection
          .add(indexed ? " and i.configuration in (" : " and +i.configuration in (")
          .add(configurations(query))
          .add(")");
    }
    query
        .fields()
        .forEach((field, value) ->
            selection.add(
                " and i.number in (select instance from search where field = ? and value = ?)",
                field,
                value));
    return selection;
  }

  /** Whether where instances stand, or since when, is a part of the query. */
  static boolean stands(Query query) {
    return query.state() != null || query.machine() != null || query.enteredBefore() != null;
  }

  private static Selection configurations(Query query) {
    Selection selection = new Selection("select number from configuration where true");
    if (query.machine() != null) {
      selection.add(" and machine in (select number from machine where name = ?)", query.machine());
    }
    if (query.state() != null) {
      selection.add(" and ? in (select value from json_each(states))", query.state());
    }
    return selection;
  }

  private Selection waiting() throws SQLException {
    List<Long> configurations = configurations(query).list(connection, row -> row.getLong(1));
    try (PreparedStatement statement =
        connection.prepareStatement(
            "select number, since from instance where configuration = ? and status = ? and (since,"
                + " number) > (?, ?) and since <= ? order by since, number limit ?")) {
      statement.setLong(3, sorting.value());
      statement.setLong(4, sorting.number());
      statement.setInt(6, query.most());
      for (long configuration : configurations) {
        for (InstanceRow.Status status : sorting.statuses(query)) {
          statement.setLong(1, configuration);
          statement.setInt(2, status.code());
          statement.setLong(5, latest());
          merge(statement);
        }
      }
    }
    return these(longest.stream().map(Waiting::number).toList()).add(" order by i.since, i.number");
  }

  /** Nobody who came later is on the page. */
  private long latest() {
    long before = query.enteredBefore() == null ? Long.MAX_VALUE : query.enteredBefore() - 1;
    return longest.size() < query.most() ? before : Math.min(before, longest.element().since());
  }

  private void merge(PreparedStatement statement) throws SQLException {
    try (ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        longest.add(new Waiting(rows.getLong(1), rows.getLong(2)));
        if (longest.size() > query.most()) {
          longest.remove();
        }
      }
    }
  }
}
