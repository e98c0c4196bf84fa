package dev.signalbox.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/** A real PostgreSQL that flushes every commit, and can be stopped and started again. */
final class FlushingPostgres implements AutoCloseable {
  private static @Nullable FlushingPostgres shared;

  private final @Nullable Path folder;
  private EmbeddedPostgres server;

  /**
   * Starts one.
   *
   * @param folder for its files; null for one that is gone with the server
   */
  FlushingPostgres(@Nullable Path folder) throws IOException, SQLException {
    this.folder = folder;
    this.server = configured().start();
    for (String setting : new String[] {"fsync", "synchronous_commit", "full_page_writes"}) {
      assertThat(value("show " + setting)).as(setting).isEqualTo("on");
    }
  }

  /**
   * The server of all tests of this process that neither stop it nor look into its files; it ends
   * with the process. Each has databases of its own, with names that no other has.
   */
  static synchronized FlushingPostgres shared() throws IOException, SQLException {
    FlushingPostgres running = shared;
    if (running == null) {
      running = new FlushingPostgres(null);
      shared = running;
    }
    return running;
  }

  private EmbeddedPostgres.Builder configured() {
    EmbeddedPostgres.Builder flushing =
        EmbeddedPostgres.builder()
            .setServerConfig("fsync", "on")
            .setServerConfig("synchronous_commit", "on")
            .setServerConfig("full_page_writes", "on");
    return folder == null
        ? flushing
        : flushing.setDataDirectory(folder).setCleanDataDirectory(false);
  }

  String url() {
    return server.getJdbcUrl("postgres", "postgres");
  }

  /** The address of a new, empty database on the server. */
  String database(String name) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url());
        Statement statement = connection.createStatement()) {
      statement.execute("create database " + name);
    }
    return server.getJdbcUrl("postgres", name);
  }

  /** The address of a new, empty database whose tables are in the folder. */
  String database(String name, Path tables) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url());
        Statement statement = connection.createStatement()) {
      statement.execute("create tablespace %s location '%s'".formatted(name, tables));
      statement.execute("create database %s tablespace %s".formatted(name, name));
    }
    return server.getJdbcUrl("postgres", name);
  }

  /** The address for a node whose connections can be told from others'. */
  String url(String node) {
    return url() + "&ApplicationName=" + node;
  }

  /** The address for a node behind a wire, which gives up what is not answered in a second. */
  String url(Wire wire) {
    return url().replace(":" + server.getPort() + "/", ":" + wire.port() + "/")
        + "&socketTimeout=1&connectTimeout=1";
  }

  int port() {
    return server.getPort();
  }

  void stop() throws IOException {
    server.close();
  }

  /** Starts it once more where it was. */
  void start() throws IOException {
    server = configured().setPort(server.getPort()).start();
  }

  /** Ends the connections of one node, as an administrator or a broken network does. */
  int cutOff(String node) throws SQLException {
    return Integer.parseInt(
        value(
            "select count(pg_terminate_backend(pid)) from pg_stat_activity where application_name"
                + " = '%s'".formatted(node)));
  }

  private String value(String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url());
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getString(1);
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
