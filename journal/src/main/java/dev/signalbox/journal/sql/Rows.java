package dev.signalbox.journal.sql;

import dev.signalbox.journal.Chain;
import dev.signalbox.journal.CommittedEntry;
import dev.signalbox.journal.EffectRow;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.MessageRow;
import dev.signalbox.journal.PublishedMachine;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Rows of the tables as records; each list of columns is in the order of its record. */
public final class Rows {
  public static final String MACHINE = "number, name, version, digest, definition, at";
  public static final String INSTANCE =
      "i.number, i.id, i.machine, i.parent, i.configuration, i.status, i.sequence, i.head,"
          + " i.refusals, i.refusal_head, i.at, i.since, i.due, i.snapshot";
  public static final String ENTRY = "position, instance, chain, sequence, hash, body, key";
  public static final String EFFECT =
      "number, instance, key, name, reply, idempotent, during, input, due, attempt, fence,"
          + " owner, cut_off";
  public static final String MESSAGE = "number, sender, recipient, body";

  private Rows() {}

  public static PublishedMachine machine(ResultSet row) throws SQLException {
    return new PublishedMachine(
        row.getLong(1),
        row.getString(2),
        row.getInt(3),
        row.getString(4),
        row.getString(5),
        row.getLong(6));
  }

  public static InstanceRow instance(ResultSet row) throws SQLException {
    return new InstanceRow(
        row.getLong(1),
        row.getString(2),
        row.getLong(3),
        row.getString(4),
        row.getLong(5),
        InstanceRow.Status.stored(row.getInt(6)),
        row.getLong(7),
        row.getBytes(8),
        row.getLong(9),
        row.getBytes(10),
        row.getLong(11),
        row.getLong(12),
        row.getLong(13),
        row.getBytes(14));
  }

  public static EntryRow entry(ResultSet row) throws SQLException {
    return new EntryRow(
        row.getLong(1),
        row.getLong(2),
        Chain.of(row.getInt(3)),
        row.getLong(4),
        row.getBytes(5),
        row.getBytes(6),
        text(row.getBytes(7)));
  }

  public static CommittedEntry committed(ResultSet row) throws SQLException {
    return new CommittedEntry(entry(row), row.getString(8), row.getLong(9));
  }

  /** Keys are read as bytes, because not every database takes every character in a text. */
  private static @Nullable String text(byte @Nullable [] utf8) {
    return utf8 == null ? null : new String(utf8, StandardCharsets.UTF_8);
  }

  public static EffectRow effect(ResultSet row) throws SQLException {
    return new EffectRow(
        row.getLong(1),
        row.getLong(2),
        row.getString(3),
        row.getString(4),
        row.getString(5),
        row.getBoolean(6),
        row.getString(7),
        row.getBytes(8),
        row.getLong(9),
        row.getInt(10),
        row.getLong(11),
        row.getString(12),
        row.getBoolean(13));
  }

  public static MessageRow message(ResultSet row) throws SQLException {
    return new MessageRow(row.getLong(1), row.getString(2), row.getString(3), row.getBytes(4));
  }
}
