package dev.signalbox.journal.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.journal.IndexedQueriesContract;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.PostgresServer;
import dev.signalbox.journal.Query;
import dev.signalbox.journal.Sorted;
import dev.signalbox.journal.Sorting;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
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

  @Test
  void so_many_are_sorted_by_their_time_in_a_state_and_it_says_whether_these_are_all()
      throws Exception {
    filled();
    int every = 10_025;
    Query all = Query.ALL.page(0, 3);
    assertThat(waiting(all, every, 1).whole()).isTrue();
    assertThat(waiting(all, every - 1, 1).whole()).isFalse();
    assertThat(waiting(all, 1, 1).rows()).hasSize(2);
    Query often = all.ofMachine("usual").in("OFTEN");
    assertThat(waiting(often, every, 1_000).whole()).isTrue();
    assertThat(waiting(often, every, 10).whole()).isFalse();
    assertThat(waiting(often, 100, 1_000).whole()).isFalse();
    assertThat(waiting(often, every, 1_000).rows())
        .extracting(InstanceRow::id)
        .containsExactly("early-5000", "early-5001", "early-5002");
    assertThat(waiting(all.in("SELDOM"), 5, 3).whole()).isTrue();
  }

  private Sorted waiting(Query query, int sorted, int blocks) throws SQLException {
    Sorting order = Sorting.by(Sorting.By.WAITING);
    try (Connection connection = DriverManager.getConnection(url)) {
      return WaitingQuery.list(connection, query, order, sorted, blocks);
    }
  }

  @Override
  protected Journal journal() {
    return journal;
  }

  @Override
  protected long work(Query query) throws Exception {
    return work(connection -> Reader.query(connection, query));
  }

  @Override
  protected long work(Query query, Sorting sorting) throws Exception {
    return work(connection -> Reader.sorted(connection, query, sorting));
  }

  private interface Asked {
    Object of(Connection connection) throws SQLException;
  }

  private long work(Asked asked) throws Exception {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute("analyze");
      connection.setAutoCommit(false);
      var _ = asked.of(connection);
      return Long.parseLong(PostgresServer.value(connection, READ));
    }
  }
}
