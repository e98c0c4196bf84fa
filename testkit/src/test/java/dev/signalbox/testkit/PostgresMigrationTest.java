package dev.signalbox.testkit;

final class PostgresMigrationTest extends MigrationContract {
  private static int databases;

  @Override
  String url() throws Exception {
    return FlushingPostgres.shared().database("migration" + ++databases);
  }
}
