package dev.signalbox.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A real PostgreSQL that flushes every commit, and can be stopped and started again. It does not
 * clean up by itself: readers of groups wait for any transaction, and tests count what they see.
 */
public final class PostgresServer implements AutoCloseable {
  private final Path folder;
  private EmbeddedPostgres server;
  private int databases;

  public PostgresServer(Path folder) throws IOException, SQLException {
    this.folder = folder;
    this.server = configured().start();
    for (String setting : new String[] {"fsync", "synchronous_commit", "full_page_writes"}) {
      assertThat(value("show " + setting)).as(setting).isEqualTo("on");
    }
  }

  private EmbeddedPostgres.Builder configured() {
    return EmbeddedPostgres.builder()
        .setDataDirectory(folder)
        .setCleanDataDirectory(false)
        .setPGStartupWait(Duration.ofMinutes(1))
        .setServerConfig("fsync", "on")
        .setServerConfig("synchronous_commit", "on")
        .setServerConfig("full_page_writes", "on")
        .setServerConfig("autovacuum", "off");
  }

  int port() {
    return server.getPort();
  }

  /** The address of a new, empty database. */
  public String newDatabase() throws SQLException {
    String name = "journal_" + ++databases;
    execute("create database " + name);
    return server.getJdbcUrl("postgres", name);
  }

  /** Waits until the server is gone, however long its last checkpoint takes. */
  void stop() throws Exception {
    long process =
        Long.parseLong(Files.readAllLines(folder.resolve("postmaster.pid")).getFirst().strip());
    Optional<ProcessHandle> running = ProcessHandle.of(process);
    server.close();
    if (running.isPresent()) {
      running.get().onExit().get(2, TimeUnit.MINUTES);
    }
  }

  void startAgain() throws IOException {
    server = configured().setPort(server.getPort()).start();
  }

  /** Ends every connection but the asking one, as an administrator does. */
  void endConnections() throws SQLException {
    value(
        "select count(pg_terminate_backend(pid, 5000)) from pg_stat_activity"
            + " where pid <> pg_backend_pid() and datname like 'journal%'");
  }

  void execute(String sql) throws SQLException {
    try (Connection connection = connect("postgres");
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  String value(String sql) throws SQLException {
    return value("postgres", sql);
  }

  private String value(String database, String sql) throws SQLException {
    try (Connection connection = connect(database)) {
      return value(connection, sql);
    }
  }

  public static String value(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getString(1);
    }
  }

  private Connection connect(String database) throws SQLException {
    return DriverManager.getConnection(server.getJdbcUrl("postgres", database));
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
