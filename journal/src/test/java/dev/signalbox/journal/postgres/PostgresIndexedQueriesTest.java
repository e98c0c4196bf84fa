package dev.signalbox.journal.postgres;

import dev.signalbox.journal.IndexedQueriesContract;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.PostgresServer;
import dev.signalbox.journal.Query;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** On PostgreSQL the instances that are read are counted. */
final class PostgresIndexedQueriesTest extends IndexedQueriesContract {
  private static final String READ =
      "select pg_stat_get_xact_tuples_returned('instance'::regclass)"
          + " + pg_stat_get_xact_tuples_fetched('instance'::regclass)";

  @TempDir static Path folder;
  private static PostgresServer server;
  private String url;
  private Journal journal;

  @BeforeAll
  static void started() throws Exception {
    server = new PostgresServer(folder);
  }

  @AfterAll
  static void stopped() throws Exception {
    server.close();
  }

  @BeforeEach
  void opened() throws Exception {
    url = server.newDatabase();
    journal = PostgresJournal.open(url, null, null);
  }

  @AfterEach
  void closed() {
    journal.close();
  }

  @Override
  protected Journal journal() {
    return journal;
  }

  @Override
  protected long work(Query query) throws Exception {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute("analyze");
      connection.setAutoCommit(false);
      var _ = Reader.query(connection, query);
      return Long.parseLong(PostgresServer.value(connection, READ));
    }
  }
}
