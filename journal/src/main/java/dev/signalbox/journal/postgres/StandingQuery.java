package dev.signalbox.journal.postgres;

import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Query;
import dev.signalbox.journal.sql.Rows;
import dev.signalbox.journal.sql.Selection;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The instances in a state, of a machine or since before a moment, some blocks at a time. A
 * statement reads no more blocks than it is told to, so however many instances there are, and
 * whatever the database believes about them, a page costs what is on it.
 */
final class StandingQuery {
  /** What makes an instance {@code i} one of the block {@code s} and the configurations. */
  static final String IN_BLOCK =
      " i.number between s.block << 6 and (s.block << 6) + 63 and i.configuration = any (c.numbers)"
          + " and";

  private static final int MOST_BLOCKS = 256;
  private static final int BLOCK_COLUMN = 15;

  private final Connection connection;
  private final Query query;
  private final List<InstanceRow> found = new ArrayList<>();

  private StandingQuery(Connection connection, Query query) {
    this.connection = connection;
    this.query = query;
  }

  /** Whether the query asks for where or since when, and nothing else by which few are found. */
  static boolean knows(Query query) {
    boolean stands =
        query.state() != null || query.machine() != null || query.enteredBefore() != null;
    return stands && query.parent() == null && query.fields().isEmpty();
  }

  /** The instances that fit the query, which asks for where or since when. */
  static List<InstanceRow> list(Connection connection, Query query) throws SQLException {
    return new StandingQuery(connection, query).list();
  }

  private List<InstanceRow> list() throws SQLException {
    long from = query.bound() >> AppendStatement.BLOCK;
    int blocks = Math.min(MOST_BLOCKS, 2 + (query.most() >> AppendStatement.BLOCK));
    while (true) {
      List<Place> places = select(from, blocks).list(connection, Place::of);
      for (Place place : places) {
        if (place.row() != null) {
          found.add(place.row());
          if (found.size() == query.most()) {
            return found;
          }
        }
      }
      if (places.stream().mapToLong(Place::block).distinct().count() < blocks) {
        return found;
      }
      from = places.getLast().block() + (query.newestFirst() ? -1 : 1);
      blocks = Math.min(MOST_BLOCKS, blocks * 2);
    }
  }

  /** An instance in a block; a block that has none that fits is there without. */
  private record Place(long block, @Nullable InstanceRow row) {
    static Place of(ResultSet row) throws SQLException {
      long block = row.getLong(BLOCK_COLUMN);
      return new Place(block, row.getObject(1) == null ? null : Rows.instance(row));
    }
  }

  private Selection select(long from, int blocks) {
    boolean down = query.newestFirst();
    return new Selection("select " + Rows.INSTANCE + ", s.block from (")
        .add(configurations(query))
        .add(") c cross join lateral (select distinct block from standing where configuration =")
        .add(" any (c.numbers) and block " + (down ? "<=" : ">=") + " ?", from)
        .add(" and period <= ? order by block", period(query))
        .add((down ? " desc" : "") + " limit ?) s left join lateral (select * from", blocks)
        .add(" instance i where")
        .add(IN_BLOCK)
        .conditions(query)
        .add(
            " offset 0) i on true order by s.block"
                + (down ? " desc, i.number desc" : ", i.number"));
  }

  /** The last period in which the query's instances may have come to where they stand. */
  static long period(Query query) {
    Long before = query.enteredBefore();
    return before == null ? Long.MAX_VALUE : before >> AppendStatement.PERIOD;
  }

  /** The numbers of the configurations in which the query's instances are, as one array. */
  static Selection configurations(Query query) {
    Selection selection =
        new Selection("select array_agg(number) as numbers from configuration where true");
    if (query.state() != null) {
      selection.add(" and states @> to_jsonb(?::text)", query.state());
    }
    if (query.machine() != null) {
      selection.add(" and machine in (select number from machine where name = ?)", query.machine());
    }
    return selection;
  }
}
