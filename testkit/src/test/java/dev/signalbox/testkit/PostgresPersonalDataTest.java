package dev.signalbox.testkit;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Personal data in the files of a PostgreSQL server, its write-ahead log among them. */
final class PostgresPersonalDataTest extends PersonalDataContract {
  @TempDir static Path data;
  private static FlushingPostgres server;
  private static int databases;
  private String url = "";

  @BeforeAll
  static void started() throws Exception {
    server = new FlushingPostgres(data);
  }

  @AfterAll
  static void stopped() throws Exception {
    server.close();
  }

  @BeforeEach
  @Override
  void opened() throws Exception {
    String name = "personal" + ++databases;
    execute("create database " + name);
    url = server.url().replace("/postgres?", "/" + name + "?");
    super.opened();
  }

  private static void execute(String sql) throws Exception {
    try (Connection connection = DriverManager.getConnection(server.url());
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @Override
  String url() {
    return url;
  }

  @Override
  Path files() {
    return data;
  }

  @Override
  void flush() throws Exception {
    execute("checkpoint");
  }

  /** The log keeps what was written for as long as the server wants; docs/operating.md says so. */
  @Override
  void assertKeyGone(byte[] wrapped) {}
}
