package dev.signalbox.services.sweep;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

final class PostgresSweeperTest extends SweeperContract {
  @TempDir static Path folder;
  private static EmbeddedPostgres server;
  private static int databases;
  private @Nullable String store;

  @BeforeAll
  static void started() throws Exception {
    server = EmbeddedPostgres.builder().setDataDirectory(folder).start();
  }

  @AfterAll
  static void stopped() throws Exception {
    server.close();
  }

  @Override
  String store() throws Exception {
    if (store == null) {
      String name = "sweep" + ++databases;
      try (Connection connection =
              DriverManager.getConnection(server.getJdbcUrl("postgres", "postgres"));
          Statement statement = connection.createStatement()) {
        statement.execute("create database " + name);
      }
      store = server.getJdbcUrl("postgres", name);
    }
    return store;
  }
}
