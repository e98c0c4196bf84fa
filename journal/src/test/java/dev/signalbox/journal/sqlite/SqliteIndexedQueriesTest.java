package dev.signalbox.journal.sqlite;

import dev.signalbox.journal.IndexedQueriesContract;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.Query;
import dev.signalbox.journal.Sorting;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.ProgressHandler;

/** On SQLite the steps of its machine are counted. */
final class SqliteIndexedQueriesTest extends IndexedQueriesContract {
  private static final int STEPS = 100;

  @TempDir Path folder;
  private Path file;
  private Journal journal;

  @BeforeEach
  void opened() {
    file = folder.resolve("journal.db");
    journal = SqliteJournal.open(file, InstantSource.system());
  }

  @AfterEach
  void closed() {
    journal.close();
  }

  @Test
  void the_order_by_time_in_state_costs_little() throws Exception {
    theOrderByTimeCostsLittle();
  }

  @Override
  protected Journal journal() {
    return journal;
  }

  @Override
  protected long work(Query query) throws Exception {
    return work(reader -> reader.query(query));
  }

  @Override
  protected long work(Query query, Sorting sorting) throws Exception {
    return work(reader -> reader.sorted(query, sorting));
  }

  private interface Asked {
    Object of(Reader reader) throws SQLException;
  }

  private long work(Asked asked) throws Exception {
    AtomicLong counted = new AtomicLong();
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file)) {
      Reader reader = new Reader(connection);
      reader.begin(null);
      ProgressHandler.setHandler(
          connection,
          STEPS,
          new ProgressHandler() {
            @Override
            protected int progress() {
              counted.incrementAndGet();
              return 0;
            }
          });
      var _ = asked.of(reader);
      ProgressHandler.clearHandler(connection);
      reader.done();
    }
    return counted.get();
  }
}
