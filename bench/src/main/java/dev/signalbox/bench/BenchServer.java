package dev.signalbox.bench;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A PostgreSQL as a careful operator sets it up, for us, our limit and our peers alike: every
 * commit flushed, and the files of its log there already. A server that was just made has to fill
 * each of them with zeros first, 16 MB at a time, and every commit waits for that; one that has run
 * for a while uses its old ones again. What leaves its buffers goes to the disk at once, and soon:
 * left to the operating system, hundreds of megabytes go in one burst every half a minute, and
 * every commit waits behind them.
 */
public final class BenchServer {
  private static final int LOG_FILES = 512;
  private static final int LOG_FILES_OF_QUICK = 128;

  private BenchServer() {}

  /** A server for a full run, or for a quick one, which writes less. */
  public static EmbeddedPostgres start(boolean quick) throws IOException, SQLException {
    EmbeddedPostgres server =
        EmbeddedPostgres.builder()
            .setServerConfig("fsync", "on")
            .setServerConfig("synchronous_commit", "on")
            .setServerConfig("full_page_writes", "on")
            .setServerConfig("shared_buffers", "128MB")
            .setServerConfig("backend_flush_after", "512kB")
            .setServerConfig("min_wal_size", "8GB")
            .setServerConfig("max_wal_size", "8GB")
            .start();
    try (Connection admin = DriverManager.getConnection(server.getJdbcUrl("postgres", "postgres"));
        Statement statement = admin.createStatement()) {
      for (int i = 0; i < (quick ? LOG_FILES_OF_QUICK : LOG_FILES); i++) {
        statement.execute("select pg_logical_emit_message(false, 'bench', 'x'), pg_switch_wal()");
      }
      statement.execute("checkpoint");
    }
    return server;
  }
}
