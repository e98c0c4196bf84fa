package dev.signalbox.journal.sqlite;

import dev.signalbox.journal.JournalException;
import dev.signalbox.journal.sql.EffectTaking;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.sqlite.SQLiteConfig;

/**
 * A copy of a journal as it stands at one moment, made beside whoever owns it, who goes on writing.
 *
 * <p><b>The journal before its keys.</b> A key is durable before the commit that makes its
 * instance, so keys that are copied after the journal are those of all its entries, and perhaps of
 * some that it does not have yet. Where a key was destroyed in between, the copy would have the
 * instance without its key and without the entry that says why: then both are copied again.
 *
 * <p><b>A copy is older than the world.</b> Whoever owns the original goes on, and does what the
 * copy has as still to be done. So in the copy every effect that has not ended counts as begun: one
 * that may be repeated is repeated with its key, any other ends as {@code unknown} and is not done
 * a second time.
 *
 * @param entries how many it has
 * @param repeated effects that are done again, with their keys, when the copy goes on
 * @param unknown effects that end as unknown then
 * @param keyed whether there is a file of keys
 */
public record SqliteCopy(long entries, long repeated, long unknown, boolean keyed) {
  private static final int MOST_ATTEMPTS = 10;

  /**
   * Copies a journal.
   *
   * @param to a file that does not exist, beside which nothing of a journal is
   * @throws JournalException when there is no journal, or the copy can't be written
   */
  public static SqliteCopy of(Path journal, Path to) {
    Location from = Location.of(journal);
    String loss = from.loss();
    if (loss != null) {
      throw new JournalException(loss, null);
    }
    if (!Files.isRegularFile(from.file())) {
      throw new JournalException(
          "Expected a journal at '%s', but there is no such file.".formatted(journal), null);
    }
    Path keys = to.resolveSibling(to.getFileName() + ".keys");
    try {
      for (int i = 0; i < MOST_ATTEMPTS; i++) {
        long destroyed = KeyFile.destroyed(from.readableKeys());
        vacuum(from, to);
        boolean keyed = KeyFile.copy(from.readableKeys(), keys);
        if (KeyFile.destroyed(from.readableKeys()) == destroyed) {
          return settled(to, keyed);
        }
        Files.delete(to);
        Files.deleteIfExists(keys);
      }
    } catch (SQLException e) {
      throw Faults.of("copy " + journal, e);
    } catch (IOException e) {
      throw new JournalException(
          "Expected to copy '%s' to '%s', but it can't be written: %s.".formatted(journal, to, e),
          e);
    }
    throw new JournalException(
        "Expected to copy '%s' between two erasures, but keys were destroyed during each of %d attempts. Try again when nothing is being erased."
            .formatted(journal, MOST_ATTEMPTS),
        null);
  }

  /** One transaction that reads, beside which commits go on; what was deleted is not copied. */
  private static void vacuum(Location from, Path to) throws SQLException {
    SQLiteConfig config = new SQLiteConfig();
    config.setReadOnly(true);
    config.setBusyTimeout(10_000);
    try (Connection connection = DriverManager.getConnection(from.url(), config.toProperties());
        PreparedStatement statement = connection.prepareStatement("vacuum into ?")) {
      statement.setString(1, to.toString());
      statement.execute();
    }
  }

  private static SqliteCopy settled(Path to, boolean keyed) throws SQLException {
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + to);
        Statement statement = connection.createStatement()) {
      statement.execute("pragma synchronous = full");
      // A vacuum does not keep it, and who only reads can't change it.
      statement.execute("pragma journal_mode = wal");
      statement.execute(EffectTaking.SETTLED);
      return new SqliteCopy(
          count(statement, "select count(*) from entry"),
          count(statement, "select count(*) from effect where idempotent"),
          count(statement, "select count(*) from effect where not idempotent"),
          keyed);
    }
  }

  private static long count(Statement statement, String query) throws SQLException {
    try (ResultSet rows = statement.executeQuery(query)) {
      rows.next();
      return rows.getLong(1);
    }
  }
}
