package dev.signalbox.journal.postgres;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The connections to the database: a few that append, and a few for everything else. A connection
 * that broke is replaced when the next one is asked for.
 */
final class Connections implements AutoCloseable {
  /** More writers than this don't help: they share the disk's flushes and the processors. */
  static final int WRITERS = 4;

  private static final int OTHERS = 6;
  private static final long PATIENCE = 5_000;

  /**
   * The plan of an append never depends on its values, and is made while the tables may be empty:
   * it must look rows up, however few there were. Durability is not left to the role's settings.
   * What a writer puts out of the server's buffers is to go to the disk at once: left to the
   * operating system it goes in bursts, and every commit waits behind them.
   */
  private static final String WRITER_SETTINGS =
      "set plan_cache_mode = force_generic_plan;"
          + " set enable_seqscan = off; set enable_mergejoin = off; set jit = off;"
          + " set backend_flush_after = '512kB';"
          + " select set_config('synchronous_commit', 'on', false)"
          + " where current_setting('synchronous_commit') = 'off'";

  private final HikariDataSource writers;
  private final HikariDataSource others;

  Connections(DataSource database) {
    HikariConfig writing = pool(database, "writers", WRITERS);
    writing.setAutoCommit(false);
    writing.setConnectionInitSql(WRITER_SETTINGS);
    // Committed by themselves, or the first rollback would take them back.
    writing.setIsolateInternalQueries(true);
    this.writers = new HikariDataSource(writing);
    this.others = new HikariDataSource(pool(database, "others", OTHERS));
  }

  private static HikariConfig pool(DataSource database, String name, int most) {
    HikariConfig config = new HikariConfig();
    config.setPoolName("signalbox-" + name);
    config.setDataSource(database);
    config.setMaximumPoolSize(most);
    config.setMinimumIdle(1);
    config.setConnectionTimeout(PATIENCE);
    config.setInitializationFailTimeout(-1);
    return config;
  }

  /** Something done with a connection. */
  interface Work<T extends @Nullable Object> {
    T with(Connection connection) throws SQLException;
  }

  /**
   * Does something that changes nothing. A pool gives out a connection that was used a moment ago
   * without trying it, so one that the database has closed meanwhile is replaced here.
   */
  <T extends @Nullable Object> T read(String doing, Work<T> work) {
    for (int left = OTHERS; ; left--) {
      try (Connection connection = others.getConnection()) {
        return whole(connection, work);
      } catch (SQLException e) {
        if (left == 0 || !Faults.isBroken(e) || e instanceof SQLTransientConnectionException) {
          throw Faults.of(doing, e);
        }
      }
    }
  }

  /** Does something that is one statement, or several that need no common transaction. */
  <T extends @Nullable Object> T run(String doing, Work<T> work) {
    try (Connection connection = others.getConnection()) {
      return whole(connection, work);
    } catch (SQLException e) {
      throw Faults.of(doing, e);
    }
  }

  /** Does something in a transaction. */
  <T extends @Nullable Object> T inTransaction(String doing, Work<T> work) {
    try (Connection connection = writers.getConnection()) {
      T result = whole(connection, work);
      connection.commit();
      return result;
    } catch (SQLException e) {
      throw Faults.of(doing, e);
    }
  }

  private <T extends @Nullable Object> T whole(Connection connection, Work<T> work)
      throws SQLException {
    try {
      return work.with(connection);
    } catch (Error e) {
      discard(connection);
      throw e;
    }
  }

  /**
   * Ends a connection that an Error may have left in the middle of an answer: whoever got it next
   * would take the rest for an answer to its own question.
   */
  void discard(Connection connection) {
    writers.evictConnection(connection);
    others.evictConnection(connection);
    try {
      connection.abort(Runnable::run);
    } catch (SQLException e) {
      // It is closed when it is given back.
    }
  }

  /** A connection in a transaction; closing it rolls back what was not committed. */
  Connection writer() throws SQLException {
    return writers.getConnection();
  }

  /** A connection in a transaction that has the lock on the instance's row. */
  Connection locked(long instance) {
    Connection connection = null;
    try {
      connection = writers.getConnection();
      while (!lock(connection, instance)) {
        connection.rollback();
      }
      return connection;
    } catch (SQLException e) {
      close(connection);
      throw Faults.of("wait for a turn", e);
    } catch (RuntimeException | Error e) {
      if (connection != null) {
        discard(connection);
      }
      close(connection);
      throw e;
    }
  }

  /**
   * Takes the lock; false when somebody wrote the instance in a transaction with a higher number
   * meanwhile. Entries are placed by the number of their transaction, which this one got before it
   * waited, so what it wrote would stand before what it continues.
   */
  private static boolean lock(Connection connection, long instance) throws SQLException {
    try (PreparedStatement lock =
        connection.prepareStatement(
            "select greatest(newest, newest_refusal) >> 20 < (select base from store)"
                + " + pg_current_xact_id()::text::bigint from instance where number = ? for no key"
                + " update")) {
      lock.setLong(1, instance);
      try (ResultSet found = lock.executeQuery()) {
        return !found.next() || found.getBoolean(1);
      }
    }
  }

  private static void close(@Nullable Connection connection) {
    try {
      if (connection != null) {
        connection.close();
      }
    } catch (SQLException e) {
      // The pool has let go of it.
    }
  }

  static int update(Connection connection, String sql, Object... values) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < values.length; i++) {
        statement.setObject(i + 1, values[i]);
      }
      return statement.executeUpdate();
    }
  }

  @Override
  public void close() {
    writers.close();
    others.close();
  }
}
