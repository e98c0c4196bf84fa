package dev.signalbox.journal.postgres;

import dev.signalbox.journal.JournalException;
import dev.signalbox.journal.sql.EffectTaking;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A database that was brought back from a backup, before the first node opens it: what is older
 * than the world must not do again what must not be repeated, so every effect that has not ended
 * counts as begun.
 *
 * @param repeated effects that are done again, with their keys, when it goes on
 * @param unknown effects that end as unknown then
 */
public record PostgresCopy(long repeated, long unknown) {
  /**
   * Settles what was to be done outside when the backup was made.
   *
   * @throws JournalException when somebody else works on the database, or it has no journal
   */
  public static PostgresCopy settle(String url) {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      long others = others(statement);
      // Who has just closed a connection is seen for a moment longer.
      for (int i = 0; i < 50 && others > 0; i++) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
        connection.rollback();
        others = others(statement);
      }
      if (others > 0) {
        throw new JournalException(
            "Expected a database that was just brought back and that nobody has open, but %d others are connected to it. Stop every node first; what one of them does would end as unknown."
                .formatted(others),
            null);
      }
      statement.execute(EffectTaking.SETTLED);
      PostgresCopy settled =
          new PostgresCopy(
              count(statement, "select count(*) from effect where idempotent"),
              count(statement, "select count(*) from effect where not idempotent"));
      connection.commit();
      return settled;
    } catch (SQLException e) {
      throw Faults.of("settle the effects of " + withoutSecrets(url), e);
    }
  }

  private static String withoutSecrets(String url) {
    int end = url.indexOf('?');
    return end < 0 ? url : url.substring(0, end);
  }

  private static long others(Statement statement) throws SQLException {
    return count(
        statement,
        "select count(*) from pg_stat_activity where datname = current_database()"
            + " and backend_type = 'client backend' and pid <> pg_backend_pid()");
  }

  private static long count(Statement statement, String query) throws SQLException {
    try (ResultSet rows = statement.executeQuery(query)) {
      rows.next();
      return rows.getLong(1);
    }
  }
}
