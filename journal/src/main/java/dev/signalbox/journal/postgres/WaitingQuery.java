package dev.signalbox.journal.postgres;

import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Query;
import dev.signalbox.journal.Sorted;
import dev.signalbox.journal.Sorting;
import dev.signalbox.journal.sql.Rows;
import dev.signalbox.journal.sql.Selection;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The instances that are longest in their configuration. No index has that order, because it would
 * change with almost every step; so those who fit are gone through and sorted, the oldest of them
 * up to a limit.
 */
final class WaitingQuery {
  /** The most instances that are sorted. */
  static final int MOST_SORTED = 100_000;

  /** The most blocks in which instances of a state or a machine are looked for. */
  static final int MOST_BLOCKS = 16_384;

  private static final int WHOLE_COLUMN = 15;

  private WaitingQuery() {}

  private record Place(boolean whole, @Nullable InstanceRow row) {
    static Place of(ResultSet row) throws SQLException {
      boolean whole = row.getBoolean(WHOLE_COLUMN);
      return new Place(whole, row.getObject(1) == null ? null : Rows.instance(row));
    }
  }

  /**
   * The page.
   *
   * @param sorted the most instances that are sorted
   * @param blocks the most blocks in which they are looked for
   */
  static Sorted list(Connection connection, Query query, Sorting sorting, int sorted, int blocks)
      throws SQLException {
    boolean standing = StandingQuery.knows(query);
    List<Place> places =
        new Selection("with ")
            .add(
                standing
                    ? standing(query, sorting, sorted, blocks)
                    : fitting(query, sorting, sorted))
            .add(" select " + Rows.INSTANCE + ", (select count(*) from fit) <= ?", sorted)
            .add(standing ? " and (select count(*) from block) < " + blocks : "")
            .add(" from (select 1) one left join (select number, since from fit")
            .add(" where (since, number) > (?, ?)", sorting.value(), sorting.number())
            .add(" order by since, number limit ?) f on true", query.most())
            .add(" left join instance i on i.number = f.number order by f.since, f.number")
            .list(connection, Place::of);
    List<InstanceRow> rows = places.stream().map(Place::row).filter(Objects::nonNull).toList();
    return new Sorted(rows, places.getFirst().whole());
  }

  private static Selection fitting(Query query, Sorting sorting, int sorted) {
    return new Selection("fit as materialized (")
        .add(Reader.fitting("i.number, i.since", query))
        .counted(query, sorting)
        .add(" order by i.number limit ?)", sorted + 1);
  }

  private static Selection standing(Query query, Sorting sorting, int sorted, int blocks) {
    return new Selection("c as materialized (")
        .add(StandingQuery.configurations(query))
        .add("), block as materialized (select distinct s.block from c join standing s on")
        .add(" s.configuration = any (c.numbers) and s.period <= ?", StandingQuery.period(query))
        .add(" order by s.block limit ?)", blocks)
        .add(", fit as materialized (select f.number, f.since from c cross join block s cross join")
        .add(" lateral (select i.number, i.since from instance i where")
        .add(StandingQuery.IN_BLOCK)
        .conditions(query)
        .counted(query, sorting)
        .add(" offset 0) f limit ?)", sorted + 1);
  }
}
