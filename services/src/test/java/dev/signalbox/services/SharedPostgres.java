package dev.signalbox.services;

import static org.assertj.core.api.Assertions.assertThat;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/**
 * A real PostgreSQL, started once for all tests of this process; it ends with the process. Each
 * test has databases of its own.
 */
public final class SharedPostgres {
  private static @Nullable EmbeddedPostgres server;
  private static int databases;

  private SharedPostgres() {}

  /** The address of a new, empty database that flushes every commit. */
  public static String flushingDatabase() throws IOException, SQLException {
    return newDatabase("on");
  }

  /** The address of a new, empty database that does not wait for the disk. */
  public static String database() throws IOException, SQLException {
    return newDatabase("off");
  }

  private static synchronized String newDatabase(String flush) throws IOException, SQLException {
    EmbeddedPostgres running = server;
    if (running == null) {
      running = EmbeddedPostgres.builder().setServerConfig("fsync", "on").start();
      server = running;
    }
    String name = "services_" + ++databases;
    execute(running, "postgres", "create database " + name);
    execute(running, name, "alter database %s set synchronous_commit = %s".formatted(name, flush));
    assertThat(value(running, name, "fsync")).isEqualTo("on");
    assertThat(value(running, name, "synchronous_commit")).isEqualTo(flush);
    return running.getJdbcUrl("postgres", name);
  }

  private static void execute(EmbeddedPostgres running, String database, String sql)
      throws SQLException {
    try (Connection connection = connect(running, database);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static String value(EmbeddedPostgres running, String database, String setting)
      throws SQLException {
    try (Connection connection = connect(running, database);
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("show " + setting)) {
      assertThat(rows.next()).isTrue();
      return rows.getString(1);
    }
  }

  private static Connection connect(EmbeddedPostgres running, String database) throws SQLException {
    return DriverManager.getConnection(running.getJdbcUrl("postgres", database));
  }
}
