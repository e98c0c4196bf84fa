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
import dev.signalbox.journal.Sorted;
import dev.signalbox.journal.Sorting;
import dev.signalbox.journal.Tombstone;
import dev.signalbox.journal.sql.Archiving;
import dev.signalbox.journal.sql.Links;
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

/**
 * One connection that reads; for one caller at a time. What an instance is, it takes from its late
 * row where it has one.
 */
final class Reader {
  /** The newer of two late rows, of which one or both may not be there. */
  private static final String LATE = "(select max(position) from late where position in (?, ?))";

  /** How many numbers are looked through for each instance that is wanted. */
  private static final int LOOKED_THROUGH = 50;

  private final Connection connection;
  private final PreparedStatement numberOf;
  private final PreparedStatement byNumber;
  private final PreparedStatement lateRow;
  private final PreparedStatement keyed;
  private final PreparedStatement keys;

  /** What was found in the file, where someone else writes it. */
  private final LateIndex found = new LateIndex();

  /** Where newest steps are: the writer's word where there is one, otherwise the file's. */
  private Places places = found;

  /** Whether someone else writes the file, so that what is late is found in it alone. */
  private boolean foreign;

  Reader(Connection connection) throws SQLException {
    this.connection = connection;
    this.numberOf = connection.prepareStatement("select number from instance where id = ?");
    this.byNumber =
        connection.prepareStatement(
            "select i.number, i.id, i.machine, i.parent, i.configuration, i.status,"
                + " coalesce(l.sequence, i.sequence), coalesce(l.head, i.head), i.refusals,"
                + " i.refusal_head, coalesce(l.at, i.at), i.since, i.due, coalesce(l.snapshot,"
                + " i.snapshot) from instance i left join late l on l.position > i.newest and"
                + " l.position = "
                + LATE
                + " where i.number = ?");
    this.lateRow =
        connection.prepareStatement(
            "select sequence, head, at, snapshot from late where position > ? and position = "
                + LATE);
    this.keyed =
        connection.prepareStatement(
            "select "
                + Rows.ENTRY
                + " from entry where instance = ? and key = ? order by position");
    this.keys =
        connection.prepareStatement(
            "select key from entry where instance = ? and key is not null limit ?");
  }

  int newestVersion(String machine) throws SQLException {
    return list(
            "select coalesce(max(version), 0) from machine where name = ?",
            row -> row.getInt(1),
            machine)
        .getFirst();
  }

  List<PublishedMachine> machines() throws SQLException {
    return list("select " + Rows.MACHINE + " from machine order by number", Rows::machine);
  }

  /**
   * Before anything is read.
   *
   * @param writers where the writer of the same process says they are; null when there is none
   */
  void begin(@Nullable Places writers) throws SQLException {
    foreign = writers == null;
    if (writers != null) {
      places = writers;
      return;
    }
    connection.setAutoCommit(false);
    found.read(connection);
    places = found;
  }

  /** After everything is read. */
  void done() throws SQLException {
    if (foreign) {
      connection.setAutoCommit(true);
    }
  }

  @Nullable InstanceRow load(String id) throws SQLException {
    numberOf.setString(1, id);
    Long number = first(numberOf, row -> row.getLong(1));
    return number == null ? null : load(number);
  }

  @Nullable InstanceRow load(long number) throws SQLException {
    Places.Place place = places.of(number);
    byNumber.setLong(1, place.position());
    byNumber.setLong(2, place.earlier());
    byNumber.setLong(3, number);
    return first(byNumber, Rows::instance);
  }

  List<InstanceRow> load(Collection<Long> numbers) throws SQLException {
    return atOnce(() -> upToDate(SortedQuery.these(numbers)));
  }

  List<EntryRow> allKeyed(long instance, String key) throws SQLException {
    keyed.setLong(1, instance);
    keyed.setString(2, key);
    return list(keyed, Rows::entry);
  }

  @Nullable List<String> keys(long instance, int most) throws SQLException {
    keys.setLong(1, instance);
    keys.setInt(2, most + 1);
    List<String> found = list(keys, row -> row.getString(1));
    return found.size() > most ? null : found;
  }

  List<EntryRow> history(long instance, Chain chain, long from, int most) throws SQLException {
    Selection selection =
        switch (chain) {
          case STEPS -> {
            Places.Place place = places.of(instance);
            Selection newest =
                new Selection(
                    "max(i.newest, coalesce(" + LATE + ", 0))", place.position(), place.earlier());
            yield Selection.history(newest, instance, from, most);
          }
          case REFUSALS -> Selection.history(instance, chain, from, most);
        };
    return selection.list(connection, Rows::entry);
  }

  List<EntryRow> newest(Collection<Long> instances) throws SQLException {
    List<List<Long>> wanted = new ArrayList<>(instances.size());
    for (long instance : instances) {
      Places.Place place = places.of(instance);
      wanted.add(List.of(instance, place.position(), place.earlier()));
    }
    return Selection.entriesFrom(
            "json_each(?) place join instance i on i.number = place.value ->> 0"
                + " join entry e on e.position = max(i.newest, coalesce((select max(position)"
                + " from late where position in (place.value ->> 1, place.value ->> 2)), 0))",
            wanted.toString())
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
    return atOnce(() -> found(query));
  }

  Sorted sorted(Query query, Sorting sorting) throws SQLException {
    Query all = query.page(0, query.most());
    return atOnce(() -> new Sorted(upToDate(SortedQuery.select(connection, all, sorting)), true));
  }

  private interface Reading<T> {
    T read() throws SQLException;
  }

  /** Reads the file as it is at one moment. */
  private <T> T atOnce(Reading<T> reading) throws SQLException {
    if (foreign) {
      return reading.read();
    }
    connection.setAutoCommit(false);
    try {
      return reading.read();
    } finally {
      connection.setAutoCommit(true);
    }
  }

  /**
   * Where a state or a machine is asked for, the next numbers are looked through first: if many of
   * those instances fit, the page is full, and nobody has to sort all the others. If few do, the
   * index knows which.
   */
  private List<InstanceRow> found(Query query) throws SQLException {
    if (SortedQuery.stands(query) && query.parent() == null && query.fields().isEmpty()) {
      List<InstanceRow> near = upToDate(selection(query, true));
      if (near.size() == query.most()) {
        return near;
      }
    }
    return upToDate(selection(query, false));
  }

  private static Selection selection(Query query, boolean near) {
    Selection selection = SortedQuery.fitting(query, !near);
    long next = (long) LOOKED_THROUGH * query.most();
    if (near && query.newestFirst()) {
      selection.add(
          " and i.number > min(?, (select max(number) from instance)) - ?", query.bound(), next);
    } else if (near) {
      selection.add(" and i.number <= ?", query.bound() + next);
    }
    return selection
        .add(query.newestFirst() ? " order by i.number desc" : " order by i.number")
        .add(" limit ?", query.most());
  }

  private record Found(InstanceRow row, long newest) {}

  private List<InstanceRow> upToDate(Selection selection) throws SQLException {
    long age = places.age();
    List<Found> found =
        selection.list(connection, row -> new Found(Rows.instance(row), row.getLong(15)));
    List<InstanceRow> rows = new ArrayList<>(found.size());
    for (Found each : found) {
      Places.Place place = places.of(each.row().number());
      InstanceRow row = upToDate(each, place);
      if (row == each.row() && place.earlier() > each.newest()) {
        // It has changed more than once since the file was read.
        return fromTheFile(found);
      }
      rows.add(row);
    }
    return places.age() - age < NewestSteps.KEPT ? rows : fromTheFile(found);
  }

  /** The row as its late one says, if it has one in what is seen of the file. */
  private InstanceRow upToDate(Found found, Places.Place place) throws SQLException {
    InstanceRow row = found.row();
    if (place.position() <= found.newest()) {
      return row;
    }
    lateRow.setLong(1, found.newest());
    lateRow.setLong(2, place.position());
    lateRow.setLong(3, place.earlier());
    InstanceRow known =
        first(
            lateRow,
            l -> row.recorded(l.getLong(1), l.getBytes(2), l.getLong(3)).encoded(l.getBytes(4)));
    return known == null ? row : known;
  }

  /** The same when those who write were too fast: all late rows of the file are looked at. */
  private List<InstanceRow> fromTheFile(List<Found> found) throws SQLException {
    LateIndex seen = new LateIndex();
    seen.read(connection);
    List<InstanceRow> rows = new ArrayList<>(found.size());
    for (Found each : found) {
      rows.add(upToDate(each, seen.of(each.row().number())));
    }
    return rows;
  }

  List<Count> counts() throws SQLException {
    return list(
        "select c.machine, c.leaves, n.instances from (select configuration, count(*) instances"
            + " from instance where status <> ? group by configuration) n"
            + " join configuration c on c.number = n.configuration order by c.number",
        row -> new Count(row.getLong(1), Names.list(row.getString(2)), row.getLong(3)),
        InstanceRow.Status.ENDED.code());
  }

  List<Long> misplaced(int most) throws SQLException {
    List<Long> strays = strays() ? strays(most) : List.of();
    return strays.isEmpty() ? list(Links.MISPLACED, row -> row.getLong(1), most) : strays;
  }

  /** Entries that no group has: both tables are read in the order of positions. */
  private List<Long> strays(int most) throws SQLException {
    List<Long> strays = new ArrayList<>();
    try (PreparedStatement groups =
            connection.prepareStatement(
                "select first, first + count from commit_group order by first");
        PreparedStatement entries =
            connection.prepareStatement("select position from entry order by position");
        ResultSet group = groups.executeQuery();
        ResultSet entry = entries.executeQuery()) {
      boolean more = group.next();
      while (strays.size() < most && entry.next()) {
        long position = entry.getLong(1);
        while (more && group.getLong(2) <= position) {
          more = group.next();
        }
        if (!more || group.getLong(1) > position) {
          strays.add(position);
        }
      }
    }
    return strays;
  }

  /** Whether there are more entries than groups have; looking for them takes long. */
  private boolean strays() throws SQLException {
    Long more =
        single(
            "select (select count(*) from entry) - (select coalesce(sum(count), 0) from"
                + " commit_group)",
            row -> row.getLong(1));
    return more != null && more != 0;
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

  @Nullable Checkpoint newestCheckpoint() throws SQLException {
    return Seals.newestCheckpoint(connection);
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
