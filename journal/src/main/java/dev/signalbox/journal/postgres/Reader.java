package dev.signalbox.journal.postgres;

import dev.signalbox.journal.Chain;
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
import dev.signalbox.journal.Sorted;
import dev.signalbox.journal.Sorting;
import dev.signalbox.journal.sql.Links;
import dev.signalbox.journal.sql.Rows;
import dev.signalbox.journal.sql.Selection;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What is asked of the database. */
final class Reader {
  /** The database's clock when the statement began, in milliseconds. */
  static final String NOW = "floor(extract(epoch from statement_timestamp()) * 1000)::bigint";

  private static final int FETCHED_AT_A_TIME = 10_000;

  private Reader() {}

  static List<PublishedMachine> machines(Connection c) throws SQLException {
    return new Selection("select " + Rows.MACHINE + " from machine order by number")
        .list(c, Rows::machine);
  }

  static int newestVersion(Connection c, String machine) throws SQLException {
    return isText(machine)
        ? new Selection("select coalesce(max(version), 0) from machine where name = ?", machine)
            .list(c, row -> row.getInt(1))
            .getFirst()
        : 0;
  }

  static @Nullable InstanceRow load(Connection c, String id) throws SQLException {
    return isText(id)
        ? new Selection("select " + Rows.INSTANCE + " from instance i where i.id = ?", id)
            .first(c, Rows::instance)
        : null;
  }

  /** Whether the database takes it as text; what it does not take it does not have either. */
  private static boolean isText(@Nullable String text) {
    return text == null || text.indexOf('\0') < 0;
  }

  static @Nullable InstanceRow load(Connection c, long number) throws SQLException {
    return new Selection("select " + Rows.INSTANCE + " from instance i where i.number = ?", number)
        .first(c, Rows::instance);
  }

  static List<InstanceRow> load(Connection c, Collection<Long> numbers) throws SQLException {
    return new Selection(
            "select " + Rows.INSTANCE + " from instance i where i.number = any(?)",
            c.createArrayOf("bigint", numbers.toArray()))
        .list(c, Rows::instance);
  }

  static List<EntryRow> allKeyed(Connection c, long instance, String key) throws SQLException {
    return new Selection(
            "select "
                + Rows.ENTRY
                + " from entry where instance = ? and sha256(key) = sha256(?) order by position",
            instance,
            key.getBytes(StandardCharsets.UTF_8))
        .list(c, Rows::entry);
  }

  static @Nullable List<String> keys(Connection c, long instance, int most) throws SQLException {
    List<String> found =
        new Selection(
                "select key from entry where instance = ? and key is not null limit ?",
                instance,
                most + 1L)
            .list(c, row -> new String(row.getBytes(1), StandardCharsets.UTF_8));
    return found.size() > most ? null : found;
  }

  static List<EntryRow> history(Connection c, long instance, Chain chain, long from, int most)
      throws SQLException {
    return Selection.history(instance, chain, from, most).list(c, Rows::entry);
  }

  static List<EntryRow> newest(Connection c, Collection<Long> instances) throws SQLException {
    return Selection.entriesFrom(
            "instance i join entry e on e.position = i.newest where i.number = any(?)",
            c.createArrayOf("bigint", instances.toArray()))
        .list(c, Rows::entry);
  }

  /** In a transaction, because only there the driver fetches piece by piece. */
  static void eachDue(Connection c, Consumer<Due> consumer) throws SQLException {
    try (PreparedStatement statement =
        c.prepareStatement(
            "select number, due from instance where wake < 9223372036854775807 and due < ?")) {
      statement.setFetchSize(FETCHED_AT_A_TIME);
      statement.setLong(1, InstanceRow.NEVER);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          consumer.accept(new Due(rows.getLong(1), rows.getLong(2)));
        }
      }
    }
  }

  private record Waking(Due due, long wake) {
    boolean isEarly() {
      return wake < due.at();
    }
  }

  /** Instances that wake before they are due are moved to where they belong, and it looks again. */
  static List<Due> due(Connection c, long until, int most) throws SQLException {
    while (true) {
      List<Waking> waking =
          new Selection(
                  "select number, due, wake from instance where wake <= ? and wake <"
                      + " 9223372036854775807 order by wake, number limit ?",
                  until,
                  most)
              .list(c, row -> new Waking(new Due(row.getLong(1), row.getLong(2)), row.getLong(3)));
      long[] early =
          waking.stream().filter(Waking::isEarly).mapToLong(w -> w.due().instance()).toArray();
      if (early.length == 0) {
        return waking.stream().map(Waking::due).toList();
      }
      Connections.update(
          c,
          "update instance set wake = due where number in (select number from instance where number"
              + " = any (?::bigint[]) and wake < due order by number for no key update)",
          early);
    }
  }

  static @Nullable EffectRow effect(Connection c, long number) throws SQLException {
    return new Selection("select " + Rows.EFFECT + " from effect where number = ?", number)
        .first(c, Rows::effect);
  }

  static List<MessageRow> messages(Connection c, long after, int most) throws SQLException {
    return new Selection(
            "select " + Rows.MESSAGE + " from message where number > ? order by number limit ?",
            after,
            most)
        .list(c, Rows::message);
  }

  static @Nullable MessageRow message(Connection c, long number) throws SQLException {
    return new Selection("select " + Rows.MESSAGE + " from message where number = ?", number)
        .first(c, Rows::message);
  }

  static List<InstanceRow> query(Connection c, Query query) throws SQLException {
    if (!isText(query)) {
      return List.of();
    }
    if (StandingQuery.knows(query)) {
      return StandingQuery.list(c, query);
    }
    return fitting(Rows.INSTANCE, query)
        .add(" order by i.number" + (query.newestFirst() ? " desc" : "") + " limit ?", query.most())
        .list(c, Rows::instance);
  }

  static Sorted sorted(Connection c, Query query, Sorting sorting) throws SQLException {
    if (!isText(query)) {
      return new Sorted(List.of(), true);
    }
    Query all = query.page(0, query.most());
    return switch (sorting.by()) {
      case WAITING ->
          WaitingQuery.list(c, all, sorting, WaitingQuery.MOST_SORTED, WaitingQuery.MOST_BLOCKS);
      case REFUSED ->
          new Sorted(
              fitting(Rows.INSTANCE, all).sorted(all, sorting).list(c, Rows::instance), true);
    };
  }

  private static boolean isText(Query query) {
    return isText(query.state())
        && isText(query.machine())
        && isText(query.parent())
        && query.fields().keySet().stream().allMatch(Reader::isText);
  }

  /** Those who fit, by their own columns; an order may follow. */
  static Selection fitting(String columns, Query query) {
    Selection selection = new Selection("select " + columns + " from instance i").where(query);
    if (query.state() != null) {
      selection.add(
          " and i.configuration in (select number from configuration where states @>"
              + " to_jsonb(?::text))",
          query.state());
    }
    query
        .fields()
        .forEach((field, value) ->
            selection.add(
                " and i.number in (select instance from search where field = ? and sha256(value) ="
                    + " sha256(?))",
                field,
                value.getBytes(StandardCharsets.UTF_8)));
    return selection;
  }

  static List<Count> counts(Connection c) throws SQLException {
    return new Selection(
            "select c.machine, c.leaves, n.instances from (select configuration, count(*) instances"
                + " from instance where status <> ? group by configuration) n"
                + " join configuration c on c.number = n.configuration order by c.number",
            InstanceRow.Status.ENDED.code())
        .list(c, row -> new Count(row.getLong(1), Names.list(row.getString(2)), row.getLong(3)));
  }

  /** The first group number that may still be given away or committed. */
  private static final String OPEN =
      "(select base + pg_snapshot_xmin(pg_current_snapshot())::text::bigint from store)";

  private static final String SETTLED = " and e.position < (" + OPEN + " << ?)";

  static List<Long> misplaced(Connection c, int most) throws SQLException {
    List<Long> strays =
        new Selection(
                "select e.position from entry e where not exists (select 1 from commit_group g"
                    + " where g.number = e.position >> ?) limit ?",
                AppendStatement.PLACES,
                most)
            .list(c, row -> row.getLong(1));
    return strays.isEmpty()
        ? new Selection(Links.MISPLACED, most).list(c, row -> row.getLong(1))
        : strays;
  }

  /** Below the oldest running transaction, so that no group comes in behind the reader. */
  static List<CommittedGroup> groups(Connection c, long after, int most) throws SQLException {
    Map<Long, List<EntryRow>> entries = new HashMap<>();
    List<CommittedGroup> groups =
        new Selection(
                "select number, writer, previous, at, root from commit_group where number > ? and"
                    + " number < "
                    + OPEN
                    + " order by number limit ?",
                after,
                most)
            .list(
                c,
                row ->
                    new CommittedGroup(
                        row.getLong(1),
                        row.getLong(2),
                        row.getLong(3),
                        row.getLong(4),
                        row.getBytes(5),
                        entries.computeIfAbsent(row.getLong(1), _ -> new ArrayList<>())));
    if (!groups.isEmpty()) {
      new Selection(
              "select "
                  + Rows.ENTRY
                  + " from entry where position >= ? and position < ? order by position",
              groups.getFirst().number() << AppendStatement.PLACES,
              (groups.getLast().number() + 1) << AppendStatement.PLACES)
          .list(c, Rows::entry)
          .forEach(e ->
              entries
                  .computeIfAbsent(e.position() >> AppendStatement.PLACES, _ -> new ArrayList<>())
                  .add(e));
    }
    return groups;
  }

  static List<CommittedEntry> entries(Connection c, long after, int most) throws SQLException {
    return Selection.entries(after)
        .add(SETTLED + " order by e.position limit ?", AppendStatement.PLACES, most)
        .list(c, Rows::committed);
  }

  static long end(Connection c) throws SQLException {
    return new Selection(
            "select coalesce(max(e.position), 0) from entry e where true" + SETTLED,
            AppendStatement.PLACES)
        .list(c, row -> row.getLong(1))
        .getFirst();
  }
}
