package dev.signalbox.journal.postgres;

import dev.signalbox.journal.Chain;
import dev.signalbox.journal.Change;
import dev.signalbox.journal.EffectRow;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.MessageRow;
import dev.signalbox.journal.NewEntry;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongPredicate;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The one statement that writes a group. It has a part for each kind of row that the group has, and
 * each part takes its rows as arrays, one for each column; so its text, and with it the plan that
 * the server keeps, depends on the kinds alone.
 *
 * <p>Most changes are one step of an instance that is there. They have a part of their own, in
 * which the entry goes through the update of its instance and needs no join.
 */
final class AppendStatement {
  /** How far a group's number is shifted left to make room for the places of its entries. */
  static final int PLACES = 20;

  /** How far an instance's number is shifted right to give its block in {@code standing}. */
  static final int BLOCK = 6;

  /** How far a moment is shifted right to give its period in {@code standing}. */
  static final int PERIOD = 22;

  private static final String ROW =
      "number, machine, configuration, status, sequence, head, refusals, refusal_head, at, since,"
          + " due, snapshot";
  private static final String AFTER = ROW + ", step, refusal";

  private final StringBuilder sql = new StringBuilder();
  private final List<Object> values = new ArrayList<>();
  private final List<Change> steps = new ArrayList<>();
  private final List<Placed> others = new ArrayList<>();
  private final List<PlacedEntry> entries = new ArrayList<>();

  /** A change with the places of its newest entries; 0 when it has none in a chain. */
  private record Placed(Change change, int step, int refusal) {
    InstanceRow after() {
      return change.after();
    }
  }

  /** An entry with its place and that of the one before it; 0 when that was in an earlier group. */
  private record PlacedEntry(long instance, NewEntry entry, int place, int previous) {}

  /** Something of a change, which counts only if the change stands. */
  private record Owned<T>(long instance, T part) {}

  /** The row of the group. */
  record GroupRow(long writer, long previous, long at, byte[] root) {}

  /**
   * What happened.
   *
   * @param winners the numbers of the instances that were written; null stands for all
   */
  record Outcome(long group, @Nullable Set<Long> winners) {}

  AppendStatement(List<Change> ordered) {
    for (Change change : ordered) {
      if (change.isOneStep()) {
        steps.add(change);
      }
    }
    int place = steps.size();
    for (Change change : ordered) {
      if (change.isOneStep()) {
        continue;
      }
      int step = 0;
      int refusal = 0;
      for (NewEntry entry : change.entries()) {
        place++;
        boolean isStep = entry.chain() == Chain.STEPS;
        int previous = isStep ? step : refusal;
        entries.add(new PlacedEntry(change.after().number(), entry, place, previous));
        if (isStep) {
          step = place;
        } else {
          refusal = place;
        }
      }
      others.add(new Placed(change, step, refusal));
    }
    if (place >= 1 << PLACES) {
      throw new IllegalArgumentException(
          "Expected a group of less than %,d entries, but found %,d."
              .formatted(1 << PLACES, place));
    }
  }

  /** The hashes of the entries in the order in which they are placed, of these instances only. */
  List<byte[]> hashes(LongPredicate instances) {
    List<byte[]> hashes = new ArrayList<>(steps.size() + entries.size());
    for (Change step : steps) {
      if (instances.test(step.after().number())) {
        hashes.add(step.entries().getFirst().hash());
      }
    }
    for (PlacedEntry entry : entries) {
      if (instances.test(entry.instance())) {
        hashes.add(entry.entry().hash());
      }
    }
    return hashes;
  }

  Outcome execute(Connection connection, @Nullable GroupRow row) throws SQLException {
    sql.append(
        "with g as materialized (select base + pg_current_xact_id()::text::bigint as number from"
            + " store)");
    List<String> parts = new ArrayList<>(3);
    if (!steps.isEmpty()) {
      step();
      parts.add("select number, newest_before, 0::bigint from o");
    }
    List<Placed> updates = others.stream().filter(c -> !c.change().isCreation()).toList();
    if (!updates.isEmpty()) {
      update(updates);
      parts.add("select * from u");
    }
    List<Placed> creations = others.stream().filter(c -> c.change().isCreation()).toList();
    if (!creations.isEmpty()) {
      create(creations);
      parts.add("select * from c");
    }
    sql.append(", w (number, newest_before, newest_refusal_before) as (");
    sql.append(String.join(" union all ", parts));
    sql.append(")");
    standing();
    if (!entries.isEmpty()) {
      entries();
    }
    if (row != null) {
      group(row);
    }
    effects();
    messages();
    search();
    sql.append(
        " select g.number, case when count(w.number) <> ? then array_agg(w.number) end from g left"
            + " join w on true group by g.number");
    values.add(steps.size() + others.size());
    return run(connection);
  }

  private Outcome run(Connection connection) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql.toString())) {
      for (int i = 0; i < values.size(); i++) {
        statement.setObject(i + 1, values.get(i));
      }
      try (ResultSet rows = statement.executeQuery()) {
        rows.next();
        java.sql.Array winners = rows.getArray(2);
        return new Outcome(rows.getLong(1), winners == null ? null : numbers(winners));
      }
    }
  }

  private static Set<Long> numbers(java.sql.Array winners) throws SQLException {
    Set<Long> numbers = new HashSet<>();
    for (Object number : (Object[]) winners.getArray()) {
      // A left join without a match counts no winner and still has its empty row.
      if (number != null) {
        numbers.add((Long) number);
      }
    }
    return numbers;
  }

  private void step() {
    sql.append(
        ", o as (update instance i set machine = p.machine, configuration = p.configuration,"
            + " status = p.status, sequence = p.sequence, head = p.head, at = p.at,"
            + " since = p.since, due = p.due, wake = least(i.wake, p.due),"
            + " snapshot = p.snapshot, newest = (g.number << 20) + p.place,"
            + " newest_before = i.newest from g, (select unnest(?::bigint[]), unnest(?::bigint[]),"
            + " unnest(?::bigint[]), unnest(?::smallint[]), unnest(?::bigint[]),"
            + " unnest(?::bytea[]), unnest(?::bigint[]), unnest(?::bigint[]), unnest(?::bigint[]),"
            + " unnest(?::bytea[]), unnest(?::bytea[]), unnest(?::bytea[]), unnest(?::bytea[]),"
            + " unnest(?::bytea[]), unnest(?::int[])) as p"
            + " (number, machine, configuration, status, sequence, head, at, since, due, snapshot,"
            + " expected_head, expected_refusal_head, key, body, place) where i.number = p.number"
            + " and i.head = p.expected_head and i.refusal_head = p.expected_refusal_head"
            + " returning i.number, i.newest_before, i.newest, i.sequence, p.head,"
            + " p.key, p.body), oe as (insert into entry (position, previous, instance, chain,"
            + " sequence, key, hash, body) select newest, newest_before, number, 0, sequence, key,"
            + " head, body from o)");
    values.add(longs(steps, r -> r.after().number()));
    values.add(longs(steps, r -> r.after().machine()));
    values.add(longs(steps, r -> r.after().configuration()));
    values.add(shorts(steps, r -> r.after().status().code()));
    values.add(longs(steps, r -> r.after().sequence()));
    values.add(bytes(steps, r -> r.after().head()));
    values.add(longs(steps, r -> r.after().at()));
    values.add(longs(steps, r -> r.after().since()));
    values.add(longs(steps, r -> r.after().due()));
    values.add(bytes(steps, r -> r.after().snapshot()));
    values.add(bytes(steps, Change::expectedHead));
    values.add(bytes(steps, Change::expectedRefusalHead));
    values.add(bytes(steps, r -> utf8(r.entries().getFirst().key())));
    values.add(bytes(steps, r -> r.entries().getFirst().body()));
    int[] places = new int[steps.size()];
    Arrays.setAll(places, i -> i + 1);
    values.add(places);
  }

  private void update(List<Placed> rows) {
    sql.append(
        ", u as (update instance i set machine = p.machine, configuration = p.configuration,"
            + " status = p.status, sequence = p.sequence, head = p.head, refusals = p.refusals,"
            + " refusal_head = p.refusal_head, at = p.at, since = p.since, due = p.due,"
            + " wake = least(i.wake, p.due), snapshot = p.snapshot,"
            + " newest = case p.step when 0 then i.newest else (g.number << 20) + p.step end,"
            + " newest_before = i.newest, newest_refusal = case p.refusal when 0 then"
            + " i.newest_refusal else (g.number << 20) + p.refusal end,"
            + " newest_refusal_before = i.newest_refusal from g, unnest(");
    after(rows);
    sql.append(", ?::bytea[], ?::bytea[]) as p (").append(AFTER);
    sql.append(
        ", expected_head, expected_refusal_head) where i.number = p.number and i.head ="
            + " p.expected_head and i.refusal_head = p.expected_refusal_head returning i.number,"
            + " i.newest_before, i.newest_refusal_before)");
    values.add(bytes(rows, r -> r.change().expectedHead()));
    values.add(bytes(rows, r -> r.change().expectedRefusalHead()));
  }

  private void create(List<Placed> rows) {
    sql.append(", c as (insert into instance (").append(ROW);
    sql.append(
        ", wake, newest, newest_before, newest_refusal, newest_refusal_before, id, parent) select"
            + " ");
    sql.append(ROW);
    sql.append(
        ", due, case step when 0 then 0 else (g_number << 20) + step end, 0, case refusal when 0"
            + " then 0 else (g_number << 20) + refusal end, 0, id, parent from (select number as"
            + " g_number from g) g, unnest(");
    after(rows);
    sql.append(", ?::text[], ?::text[]) as p (").append(AFTER);
    sql.append(
        ", id, parent) on conflict do nothing returning number, newest_before,"
            + " newest_refusal_before)");
    values.add(texts(rows, r -> r.after().id()));
    values.add(texts(rows, r -> r.after().parent()));
  }

  /** The columns of {@link #AFTER}. */
  private void after(List<Placed> rows) {
    sql.append(
        "?::bigint[], ?::bigint[], ?::bigint[], ?::smallint[], ?::bigint[], ?::bytea[],"
            + " ?::bigint[], ?::bytea[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bytea[],"
            + " ?::int[], ?::int[]");
    values.add(longs(rows, r -> r.after().number()));
    values.add(longs(rows, r -> r.after().machine()));
    values.add(longs(rows, r -> r.after().configuration()));
    values.add(shorts(rows, r -> r.after().status().code()));
    values.add(longs(rows, r -> r.after().sequence()));
    values.add(bytes(rows, r -> r.after().head()));
    values.add(longs(rows, r -> r.after().refusals()));
    values.add(bytes(rows, r -> r.after().refusalHead()));
    values.add(longs(rows, r -> r.after().at()));
    values.add(longs(rows, r -> r.after().since()));
    values.add(longs(rows, r -> r.after().due()));
    values.add(bytes(rows, r -> r.after().snapshot()));
    values.add(ints(rows, Placed::step));
    values.add(ints(rows, Placed::refusal));
  }

  /** Losers may leave a row too many, which does no harm. */
  private void standing() {
    Set<Standing> standings = new HashSet<>();
    steps.forEach(change -> standings.add(Standing.of(change.after())));
    others.forEach(placed -> standings.add(Standing.of(placed.after())));
    List<Standing> rows = new ArrayList<>(standings);
    rows.sort(
        Comparator.comparingLong(Standing::configuration)
            .thenComparingLong(Standing::block)
            .thenComparingLong(Standing::period));
    sql.append(
        ", s as (insert into standing (configuration, block, period) select * from"
            + " unnest(?::bigint[], ?::bigint[], ?::bigint[]) on conflict do nothing)");
    values.add(longs(rows, Standing::configuration));
    values.add(longs(rows, Standing::block));
    values.add(longs(rows, Standing::period));
  }

  private record Standing(long configuration, long block, long period) {
    static Standing of(InstanceRow row) {
      return new Standing(row.configuration(), row.number() >> BLOCK, row.since() >> PERIOD);
    }
  }

  private void entries() {
    sql.append(
        ", e as (insert into entry (position, previous, instance, chain, sequence, key, hash, body)"
            + " select (g.number << 20) + t.place, case when t.previous > 0 then (g.number << 20) +"
            + " t.previous when t.chain = 0 then w.newest_before else w.newest_refusal_before end,"
            + " t.instance, t.chain, t.sequence, t.key, t.hash, t.body from g, unnest(?::bigint[],"
            + " ?::int[], ?::int[], ?::smallint[], ?::bigint[], ?::bytea[], ?::bytea[], ?::bytea[])"
            + " as t (instance, place, previous, chain, sequence, key, hash, body) join w on"
            + " w.number = t.instance)");
    values.add(longs(entries, PlacedEntry::instance));
    values.add(ints(entries, PlacedEntry::place));
    values.add(ints(entries, PlacedEntry::previous));
    values.add(shorts(entries, e -> e.entry().chain().code()));
    values.add(longs(entries, e -> e.entry().sequence()));
    values.add(bytes(entries, e -> utf8(e.entry().key())));
    values.add(bytes(entries, e -> e.entry().hash()));
    values.add(bytes(entries, e -> e.entry().body()));
  }

  private void group(GroupRow row) {
    sql.append(
        ", r as (insert into commit_group (number, writer, previous, at, root) select g.number, ?,"
            + " ?, ?, ? from g)");
    values.addAll(List.of(row.writer(), row.previous(), row.at(), row.root()));
  }

  private void effects() {
    List<Owned<EffectRow>> effects = owned(Change::effects);
    if (!effects.isEmpty()) {
      sql.append(
          ", ei as (insert into effect (number, instance, key, name, reply, idempotent, during,"
              + " input, due, attempt, fence, owner, cut_off) select t.number, t.instance, t.key,"
              + " t.name, t.reply, t.idempotent, t.during, t.input, t.due, t.attempt, t.fence,"
              + " t.owner, t.cut_off from unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::text[],"
              + " ?::text[], ?::text[], ?::boolean[], ?::text[], ?::bytea[], ?::bigint[],"
              + " ?::int[], ?::bigint[], ?::text[], ?::boolean[]) as t (changed, number, instance,"
              + " key, name, reply, idempotent, during, input, due, attempt, fence, owner, cut_off)"
              + " join w on w.number = t.changed)");
      values.add(longs(effects, Owned::instance));
      values.add(longs(effects, e -> e.part().number()));
      values.add(longs(effects, e -> e.part().instance()));
      values.add(texts(effects, e -> e.part().key()));
      values.add(texts(effects, e -> e.part().name()));
      values.add(texts(effects, e -> e.part().reply()));
      values.add(effects.stream().map(e -> e.part().idempotent()).toArray(Boolean[]::new));
      values.add(texts(effects, e -> e.part().during()));
      values.add(bytes(effects, e -> e.part().input()));
      values.add(longs(effects, e -> e.part().due()));
      values.add(ints(effects, e -> e.part().attempt()));
      values.add(longs(effects, e -> e.part().fence()));
      values.add(texts(effects, e -> e.part().owner()));
      values.add(effects.stream().map(e -> e.part().cutOff()).toArray(Boolean[]::new));
    }
    List<Owned<Change.EffectEnd>> ended = owned(Change::ended);
    if (!ended.isEmpty()) {
      sql.append(
          ", ed as (delete from effect x using unnest(?::bigint[], ?::bigint[]) as t (changed,"
              + " number), w where x.number = t.number and w.number = t.changed)");
      values.add(longs(ended, Owned::instance));
      values.add(longs(ended, e -> e.part().number()));
    }
    List<Owned<String>> left = owned(change -> List.copyOf(change.left()));
    if (!left.isEmpty()) {
      // What the statement itself inserts it does not see, so the effects of this group stay.
      sql.append(
          ", el as (delete from effect x using unnest(?::bigint[], ?::text[]) as t (changed,"
              + " during), w where x.instance = t.changed and x.during = t.during and w.number ="
              + " t.changed)");
      values.add(longs(left, Owned::instance));
      values.add(texts(left, Owned::part));
    }
  }

  private void messages() {
    List<Owned<MessageRow>> messages = owned(Change::messages);
    if (!messages.isEmpty()) {
      sql.append(
          ", mi as (insert into message (number, sender, recipient, body) select t.number,"
              + " t.sender, t.recipient, t.body from unnest(?::bigint[], ?::bigint[], ?::text[],"
              + " ?::text[], ?::bytea[]) as t (changed, number, sender, recipient, body) join w on"
              + " w.number = t.changed)");
      values.add(longs(messages, Owned::instance));
      values.add(longs(messages, m -> m.part().number()));
      values.add(texts(messages, m -> m.part().from()));
      values.add(texts(messages, m -> m.part().to()));
      values.add(bytes(messages, m -> m.part().body()));
    }
    List<Owned<Long>> delivered = owned(Change::delivered);
    if (!delivered.isEmpty()) {
      sql.append(
          ", md as (delete from message x using unnest(?::bigint[], ?::bigint[]) as t (changed,"
              + " number), w where x.number = t.number and w.number = t.changed)");
      values.add(longs(delivered, Owned::instance));
      values.add(longs(delivered, Owned::part));
    }
  }

  private void search() {
    List<Owned<Field>> fields =
        owned(c ->
            c.search().entrySet().stream().map(e -> new Field(e.getKey(), e.getValue())).toList());
    if (fields.isEmpty()) {
      return;
    }
    sql.append(
        ", f as materialized (select t.* from unnest(?::bigint[], ?::text[], ?::bytea[]) as t"
            + " (instance, field, value) join w on w.number = t.instance), fi as (insert into"
            + " search (instance, field, value) select * from f where value is not null on"
            + " conflict (instance, field) do update set value = excluded.value), fd as (delete"
            + " from search x using f where f.value is null and x.instance = f.instance and x.field"
            + " = f.field)");
    values.add(longs(fields, Owned::instance));
    values.add(texts(fields, f -> f.part().name()));
    values.add(bytes(fields, f -> utf8(f.part().value())));
  }

  private record Field(String name, @Nullable String value) {}

  private <T> List<Owned<T>> owned(Function<Change, List<T>> parts) {
    List<Owned<T>> all = new ArrayList<>();
    steps.forEach(change -> own(change, parts, all));
    others.forEach(placed -> own(placed.change(), parts, all));
    return all;
  }

  private static <T> void own(Change change, Function<Change, List<T>> parts, List<Owned<T>> all) {
    for (T part : parts.apply(change)) {
      all.add(new Owned<>(change.after().number(), part));
    }
  }

  /** Bytes, because PostgreSQL's text does not take the character 0. */
  private static byte @Nullable [] utf8(@Nullable String text) {
    return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
  }

  private static <T> long[] longs(List<T> rows, ToLongFunction<T> column) {
    long[] values = new long[rows.size()];
    Arrays.setAll(values, i -> column.applyAsLong(rows.get(i)));
    return values;
  }

  private static <T> int[] ints(List<T> rows, ToIntFunction<T> column) {
    int[] values = new int[rows.size()];
    Arrays.setAll(values, i -> column.applyAsInt(rows.get(i)));
    return values;
  }

  private static <T> short[] shorts(List<T> rows, ToIntFunction<T> column) {
    short[] values = new short[rows.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = (short) column.applyAsInt(rows.get(i));
    }
    return values;
  }

  private static <T> byte @Nullable [][] bytes(
      List<T> rows, Function<T, byte @Nullable []> column) {
    byte @Nullable [][] values = new byte[rows.size()][];
    Arrays.setAll(values, i -> column.apply(rows.get(i)));
    return values;
  }

  private static <T> @Nullable String[] texts(List<T> rows, Function<T, @Nullable String> column) {
    return rows.stream().map(column).toArray(String[]::new);
  }
}
