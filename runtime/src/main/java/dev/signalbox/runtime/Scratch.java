package dev.signalbox.runtime;

import dev.signalbox.journal.JournalException;
import dev.signalbox.journal.Tombstone;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A file for what would not fit into memory while a journal is read from its beginning. It is made
 * when it is first needed, nobody but its owner reads it, and it is gone when this is closed. What
 * may be personal is sealed with a key that is never written. For one thread at a time.
 */
final class Scratch implements AutoCloseable {
  /** Kibibytes of the file that SQLite keeps in memory. */
  private static final int CACHE = 8 * 1024;

  private static final String[] TABLES = {
    "pragma journal_mode = off",
    "pragma synchronous = off",
    "pragma cache_size = -" + CACHE,
    "create table life (id text primary key, state blob) without rowid",
    "create table tombstone (number integer primary key, buried integer, id text, machine integer,"
        + " sequence integer, head blob, refusals integer, refusal_head blob, at integer, file"
        + " text)",
    "create table promise (writer integer, number integer, root blob, signers text, published"
        + " integer, primary key (writer, number)) without rowid",
    "create table checkpoint (digest text primary key) without rowid",
    "create table claim (number integer, digest text, file text)",
    "create index claim_by_number on claim (number)",
    "create index tombstone_by_file on tombstone (file, number)",
    "create table erasure (place text, number integer, instance text, head text)",
    "create table ending (place integer primary key, id text unique, sequence integer, head blob,"
        + " refusals integer, refusal_head blob)"
  };

  private final Seal seal;
  private @Nullable Path file;
  private @Nullable Connection opened;
  private @Nullable PreparedStatement findLife;
  private @Nullable PreparedStatement putLife;

  Scratch() {
    byte[] key = new byte[Seal.KEY];
    new SecureRandom().nextBytes(key);
    this.seal = new Seal(1, key);
  }

  /** What is done with the file. */
  interface Work<T extends @Nullable Object> {
    T with(Connection connection) throws SQLException;
  }

  /** Does something with the file, which is made if there is none. */
  <T extends @Nullable Object> T run(Work<T> work) {
    try {
      return work.with(connection());
    } catch (SQLException e) {
      throw new JournalException(
          "Expected to keep what does not fit into memory in a file below '%s', but: %s. Make room"
                  .formatted(System.getProperty("java.io.tmpdir"), e.getMessage())
              + " there, or name another folder with -Djava.io.tmpdir.",
          e);
    }
  }

  private Connection connection() throws SQLException {
    Connection known = opened;
    if (known != null) {
      return known;
    }
    try {
      Path made = Files.createTempFile("signalbox-verify-", ".db");
      file = made;
      Connection connection = DriverManager.getConnection("jdbc:sqlite:" + made);
      opened = connection;
      try (Statement statement = connection.createStatement()) {
        for (String each : TABLES) {
          statement.execute(each);
        }
      }
      connection.setAutoCommit(false);
      return connection;
    } catch (IOException e) {
      throw new SQLException(e.getMessage(), e);
    }
  }

  boolean isEmpty() {
    return opened == null;
  }

  byte @Nullable [] life(String id) {
    if (isEmpty()) {
      return null;
    }
    return run(c -> {
      PreparedStatement find = findLife;
      if (find == null) {
        find = c.prepareStatement("select state from life where id = ?");
        findLife = find;
      }
      find.setString(1, id);
      try (ResultSet rows = find.executeQuery()) {
        return rows.next() ? seal.plain("life " + id, rows.getBytes(1)) : null;
      }
    });
  }

  /** Tells of every instance that is in the file. */
  void lives(BiConsumer<String, byte[]> consumer) {
    record Kept(String id, byte[] state) {}
    each(
        "select id, state from life",
        row -> new Kept(row.getString(1), row.getBytes(2)),
        kept -> consumer.accept(kept.id(), seal.plain("life " + kept.id(), kept.state())));
  }

  void keepLife(String id, byte[] state) {
    boolean _ =
        run(c -> {
          PreparedStatement put = putLife;
          if (put == null) {
            put = c.prepareStatement("insert or replace into life (id, state) values (?, ?)");
            putLife = put;
          }
          put.setString(1, id);
          put.setBytes(2, seal.bytes("life " + id, state));
          return put.executeUpdate() > 0;
        });
  }

  /** Changes something. */
  int update(String sql, @Nullable Object... values) {
    return run(c -> {
      try (PreparedStatement statement = c.prepareStatement(sql)) {
        set(statement, values);
        return statement.executeUpdate();
      }
    });
  }

  /** A row of an answer. */
  interface Row<T extends @Nullable Object> {
    T of(ResultSet row) throws SQLException;
  }

  /** The first row of an answer, or null. */
  <T> @Nullable T first(String sql, Row<T> reading, Object... values) {
    if (isEmpty()) {
      return null;
    }
    return run(c -> {
      try (PreparedStatement statement = c.prepareStatement(sql)) {
        set(statement, values);
        try (ResultSet rows = statement.executeQuery()) {
          return rows.next() ? reading.of(rows) : null;
        }
      }
    });
  }

  /** Shows every row of an answer; what the consumer does must not change the file. */
  <T> void each(String sql, Row<T> reading, Consumer<T> consumer, Object... values) {
    if (isEmpty()) {
      return;
    }
    boolean _ =
        run(c -> {
          try (PreparedStatement statement = c.prepareStatement(sql)) {
            set(statement, values);
            try (ResultSet rows = statement.executeQuery()) {
              while (rows.next()) {
                consumer.accept(reading.of(rows));
              }
            }
          }
          return true;
        });
  }

  private static void set(PreparedStatement statement, @Nullable Object... values)
      throws SQLException {
    for (int i = 0; i < values.length; i++) {
      switch (values[i]) {
        case byte[] bytes -> statement.setBytes(i + 1, bytes);
        case Long number -> statement.setLong(i + 1, number);
        case Object other -> statement.setString(i + 1, other.toString());
        case null -> statement.setNull(i + 1, java.sql.Types.NULL);
      }
    }
  }

  /** Keeps a tombstone; one that was kept stays as it is. */
  void keep(Tombstone t) {
    int _ =
        update(
            "insert or ignore into tombstone values (?, 0, ?, ?, ?, ?, ?, ?, ?, ?)",
            t.number(),
            t.id(),
            t.machine(),
            t.sequence(),
            t.head(),
            t.refusals(),
            t.refusalHead(),
            t.at(),
            t.file());
  }

  static final String TOMBSTONE =
      "number, id, machine, sequence, head, refusals, refusal_head, at, file";

  static Tombstone tombstone(ResultSet row) throws SQLException {
    return new Tombstone(
        row.getLong(1),
        row.getString(2),
        row.getLong(3),
        row.getLong(4),
        row.getBytes(5),
        row.getLong(6),
        row.getBytes(7),
        row.getLong(8),
        row.getString(9));
  }

  @Override
  public void close() {
    Path made = file;
    try (Connection connection = opened) {
      opened = null;
      if (connection != null) {
        connection.rollback();
      }
    } catch (SQLException e) {
      // The file goes all the same.
    }
    if (made != null) {
      try {
        Files.deleteIfExists(made);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
