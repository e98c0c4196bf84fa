package dev.signalbox.journal.sqlite;

import dev.signalbox.journal.Change;
import dev.signalbox.journal.EffectRow;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.MessageRow;
import dev.signalbox.journal.NewEntry;
import dev.signalbox.journal.PublishedMachine;
import dev.signalbox.journal.sql.EffectTaking;
import dev.signalbox.journal.sql.Rows;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What is written, statement by statement; each is prepared once. */
final class Statements {
  private static final String ENTRY =
      "insert into entry (position, instance, chain, sequence, key, hash, body, previous)"
          + " values (?, ?, ?, ?, ?, ?, ?, ";

  private final Connection connection;
  private final Statement plain;
  private final PreparedStatement entryAfter;
  private final PreparedStatement stepAfterNewest;
  private final PreparedStatement refusalAfterNewest;
  private final PreparedStatement dropEntries;
  private final PreparedStatement insertInstance;
  private final PreparedStatement updateInstance;
  private final PreparedStatement updateStep;
  private final PreparedStatement updateInPlace;
  private final PreparedStatement group;
  private final PreparedStatement effect;
  private final PreparedStatement endDuring;
  private final PreparedStatement endEffect;
  private final PreparedStatement message;
  private final PreparedStatement deliver;
  private final PreparedStatement putSearch;
  private final PreparedStatement dropSearch;
  private final PreparedStatement claim;
  private final PreparedStatement postpone;
  private final PreparedStatement release;
  private final PreparedStatement begin;

  Statements(Connection connection) throws SQLException {
    this.connection = connection;
    this.plain = connection.createStatement();
    this.entryAfter = connection.prepareStatement(ENTRY + "?)");
    this.stepAfterNewest =
        connection.prepareStatement(ENTRY + "(select newest from instance where number = ?))");
    this.refusalAfterNewest =
        connection.prepareStatement(
            ENTRY + "(select newest_refusal from instance where number = ?))");
    this.dropEntries = connection.prepareStatement("delete from entry where position > ?");
    this.insertInstance =
        connection.prepareStatement(
            "insert or ignore into instance (configuration, status, sequence, head, newest,"
                + " refusals, refusal_head, newest_refusal, at, since, due, snapshot, number, id,"
                + " machine, parent) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    this.updateInstance =
        connection.prepareStatement(
            "update instance set configuration = ?, status = ?, sequence = ?, head = ?,"
                + " newest = iif(?5 < 0, newest, ?5), refusals = ?, refusal_head = ?,"
                + " newest_refusal = iif(?8 < 0, newest_refusal, ?8), at = ?, since = ?, due = ?,"
                + " snapshot = ?, machine = ? where number = ? and head = ? and refusal_head = ?");
    this.updateStep =
        connection.prepareStatement(
            "update instance set configuration = ?, status = ?, sequence = ?, head = ?, newest = ?,"
                + " at = ?, since = ?, due = ?, snapshot = ?, machine = ? where number = ? and head"
                + " = ? and refusal_head = ?");
    this.updateInPlace =
        connection.prepareStatement(
            "update instance set sequence = ?, head = ?, newest = ?, at = ?, due = ?, snapshot = ?"
                + " where number = ? and head = ? and refusal_head = ?");
    this.group =
        connection.prepareStatement(
            "insert into commit_group (number, first, count, at, root) values (?, ?, ?, ?, ?)");
    this.effect =
        connection.prepareStatement(
            "insert into effect (number, instance, key, name, reply, idempotent, during, input,"
                + " due, attempt, fence, owner, cut_off) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
                + " ?, ?)");
    this.endEffect =
        connection.prepareStatement("delete from effect where number = ? and fence = ?");
    this.endDuring =
        connection.prepareStatement("delete from effect where instance = ? and during = ?");
    this.message =
        connection.prepareStatement(
            "insert into message (number, sender, recipient, body) values (?, ?, ?, ?)");
    this.deliver = connection.prepareStatement("delete from message where number = ?");
    this.putSearch =
        connection.prepareStatement(
            "insert or replace into search (instance, field, value) values (?, ?, ?)");
    this.dropSearch =
        connection.prepareStatement("delete from search where instance = ? and field = ?");
    this.claim =
        connection.prepareStatement(
            "update effect set "
                + EffectTaking.TAKEN
                + ", owner = ?, due = ? where number in (select number from effect where due <= ?"
                + " and name in (select value from json_each(?)) order by number limit ?) returning"
                + " "
                + Rows.EFFECT);
    this.begin =
        connection.prepareStatement(
            "update effect set " + EffectTaking.BEGUN + " where number = ? and fence = ?");
    this.postpone =
        connection.prepareStatement("update effect set due = ? where number = ? and fence = ?");
    this.release =
        connection.prepareStatement(
            "update effect set due = ?, owner = null where number = ? and fence = ?");
  }

  void execute(String statement) throws SQLException {
    plain.execute(statement);
  }

  long number(String query) throws SQLException {
    try (ResultSet rows = plain.executeQuery(query)) {
      return rows.next() ? rows.getLong(1) : 0;
    }
  }

  void entryAfter(long position, long previous, long instance, NewEntry entry) throws SQLException {
    entry(entryAfter, position, instance, entry, previous);
  }

  void entryAfterNewest(long position, long instance, NewEntry entry) throws SQLException {
    PreparedStatement statement =
        switch (entry.chain()) {
          case STEPS -> stepAfterNewest;
          case REFUSALS -> refusalAfterNewest;
        };
    entry(statement, position, instance, entry, instance);
  }

  private static void entry(
      PreparedStatement statement, long position, long instance, NewEntry entry, long last)
      throws SQLException {
    statement.setLong(1, position);
    statement.setLong(2, instance);
    statement.setInt(3, entry.chain().code());
    statement.setLong(4, entry.sequence());
    statement.setString(5, entry.key());
    statement.setBytes(6, entry.hash());
    statement.setBytes(7, entry.body());
    statement.setLong(8, last);
    statement.executeUpdate();
  }

  void dropEntries(long after) throws SQLException {
    dropEntries.setLong(1, after);
    dropEntries.executeUpdate();
  }

  boolean insertInstance(InstanceRow row, long newest, long newestRefusal) throws SQLException {
    changing(insertInstance, row, newest, newestRefusal);
    insertInstance.setLong(13, row.number());
    insertInstance.setString(14, row.id());
    insertInstance.setLong(15, row.machine());
    insertInstance.setString(16, row.parent());
    return insertInstance.executeUpdate() == 1;
  }

  boolean updateInstance(Change change, InstanceRow row, long newest, long newestRefusal)
      throws SQLException {
    changing(updateInstance, row, newest, newestRefusal);
    updateInstance.setLong(13, row.machine());
    updateInstance.setLong(14, row.number());
    updateInstance.setBytes(15, change.expectedHead());
    updateInstance.setBytes(16, change.expectedRefusalHead());
    return updateInstance.executeUpdate() == 1;
  }

  /** What an instance is after one more step, which leaves its refusals as they are. */
  boolean updateStep(Change change, long newest) throws SQLException {
    InstanceRow row = change.after();
    updateStep.setLong(1, row.configuration());
    updateStep.setInt(2, row.status().code());
    updateStep.setLong(3, row.sequence());
    updateStep.setBytes(4, row.head());
    updateStep.setLong(5, newest);
    updateStep.setLong(6, row.at());
    updateStep.setLong(7, row.since());
    updateStep.setLong(8, row.due());
    updateStep.setBytes(9, row.snapshot());
    updateStep.setLong(10, row.machine());
    updateStep.setLong(11, row.number());
    updateStep.setBytes(12, change.expectedHead());
    updateStep.setBytes(13, change.expectedRefusalHead());
    return updateStep.executeUpdate() == 1;
  }

  /** The same where no index has anything new; SQLite writes every index whose columns are set. */
  boolean updateInPlace(Change change, long newest) throws SQLException {
    InstanceRow row = change.after();
    updateInPlace.setLong(1, row.sequence());
    updateInPlace.setBytes(2, row.head());
    updateInPlace.setLong(3, newest);
    updateInPlace.setLong(4, row.at());
    updateInPlace.setLong(5, row.due());
    updateInPlace.setBytes(6, row.snapshot());
    updateInPlace.setLong(7, row.number());
    updateInPlace.setBytes(8, change.expectedHead());
    updateInPlace.setBytes(9, change.expectedRefusalHead());
    return updateInPlace.executeUpdate() == 1;
  }

  private static void changing(
      PreparedStatement statement, InstanceRow row, long newest, long newestRefusal)
      throws SQLException {
    statement.setLong(1, row.configuration());
    statement.setInt(2, row.status().code());
    statement.setLong(3, row.sequence());
    statement.setBytes(4, row.head());
    statement.setLong(5, newest);
    statement.setLong(6, row.refusals());
    statement.setBytes(7, row.refusalHead());
    statement.setLong(8, newestRefusal);
    statement.setLong(9, row.at());
    statement.setLong(10, row.since());
    statement.setLong(11, row.due());
    statement.setBytes(12, row.snapshot());
  }

  void group(long number, long first, int count, long at, byte[] root) throws SQLException {
    group.setLong(1, number);
    group.setLong(2, first);
    group.setInt(3, count);
    group.setLong(4, at);
    group.setBytes(5, root);
    group.executeUpdate();
  }

  void effect(EffectRow row) throws SQLException {
    effect.setLong(1, row.number());
    effect.setLong(2, row.instance());
    effect.setString(3, row.key());
    effect.setString(4, row.name());
    effect.setString(5, row.reply());
    effect.setBoolean(6, row.idempotent());
    effect.setString(7, row.during());
    effect.setBytes(8, row.input());
    effect.setLong(9, row.due());
    effect.setInt(10, row.attempt());
    effect.setLong(11, row.fence());
    effect.setString(12, row.owner());
    effect.setBoolean(13, row.cutOff());
    effect.executeUpdate();
  }

  boolean endEffect(long number, long fence) throws SQLException {
    endEffect.setLong(1, number);
    endEffect.setLong(2, fence);
    return endEffect.executeUpdate() == 1;
  }

  void endDuring(long instance, String state) throws SQLException {
    endDuring.setLong(1, instance);
    endDuring.setString(2, state);
    endDuring.executeUpdate();
  }

  void message(MessageRow row) throws SQLException {
    message.setLong(1, row.number());
    message.setString(2, row.from());
    message.setString(3, row.to());
    message.setBytes(4, row.body());
    message.executeUpdate();
  }

  boolean deliver(long number) throws SQLException {
    deliver.setLong(1, number);
    return deliver.executeUpdate() == 1;
  }

  void search(long instance, String field, @Nullable String value) throws SQLException {
    PreparedStatement statement = value == null ? dropSearch : putSearch;
    statement.setLong(1, instance);
    statement.setString(2, field);
    if (value != null) {
      statement.setString(3, value);
    }
    statement.executeUpdate();
  }

  List<EffectRow> claim(String owner, String names, long now, long lease, int most)
      throws SQLException {
    claim.setString(1, owner);
    claim.setLong(2, now + lease);
    claim.setLong(3, now);
    claim.setString(4, names);
    claim.setInt(5, most);
    List<EffectRow> claimed = new ArrayList<>();
    try (ResultSet rows = claim.executeQuery()) {
      while (rows.next()) {
        claimed.add(Rows.effect(rows));
      }
    }
    claimed.sort(java.util.Comparator.comparingLong(EffectRow::number));
    return claimed;
  }

  boolean postpone(long number, long fence, long due, boolean released) throws SQLException {
    PreparedStatement statement = released ? release : postpone;
    statement.setLong(1, due);
    statement.setLong(2, number);
    statement.setLong(3, fence);
    return statement.executeUpdate() == 1;
  }

  boolean begin(long number, long fence) throws SQLException {
    begin.setLong(1, number);
    begin.setLong(2, fence);
    return begin.executeUpdate() == 1;
  }

  void publish(PublishedMachine machine) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "insert or ignore into machine (name, version, digest, definition, at)"
                + " values (?, ?, ?, ?, ?)")) {
      statement.setString(1, machine.name());
      statement.setInt(2, machine.version());
      statement.setString(3, machine.digest());
      statement.setString(4, machine.definition());
      statement.setLong(5, machine.at());
      statement.executeUpdate();
    }
  }

  PublishedMachine machine(String name, int version) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "select " + Rows.MACHINE + " from machine where name = ? and version = ?")) {
      statement.setString(1, name);
      statement.setInt(2, version);
      try (ResultSet rows = statement.executeQuery()) {
        rows.next();
        return Rows.machine(rows);
      }
    }
  }

  long configuration(long machine, String leaves, String states) throws SQLException {
    try (PreparedStatement insert =
            connection.prepareStatement(
                "insert or ignore into configuration (machine, leaves, states) values (?, ?, ?)");
        PreparedStatement select =
            connection.prepareStatement(
                "select number from configuration where machine = ? and leaves = ?")) {
      insert.setLong(1, machine);
      insert.setString(2, leaves);
      insert.setString(3, states);
      insert.executeUpdate();
      select.setLong(1, machine);
      select.setString(2, leaves);
      try (ResultSet rows = select.executeQuery()) {
        rows.next();
        return rows.getLong(1);
      }
    }
  }

  /** Writes what is there already. */
  void touch() throws SQLException {
    execute("update counter set reserved = reserved");
  }

  void reserved(long last) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("update counter set reserved = ?")) {
      statement.setLong(1, last);
      statement.executeUpdate();
    }
  }
}
