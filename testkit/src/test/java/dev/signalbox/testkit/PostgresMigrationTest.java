package dev.signalbox.testkit;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

final class PostgresMigrationTest extends MigrationContract {
  @TempDir static Path data;
  private static FlushingPostgres server;
  private static int databases;

  @BeforeAll
  static void started() throws Exception {
    server = new FlushingPostgres(data);
  }

  @AfterAll
  static void stopped() throws Exception {
    server.close();
  }

  @Override
  String url() throws Exception {
    return server.database("migration" + ++databases);
  }
}
