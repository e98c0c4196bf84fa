package dev.signalbox.testkit;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

final class SqliteMigrationTest extends MigrationContract {
  @TempDir Path folder;

  @Override
  String url() {
    return "jdbc:sqlite:" + folder.resolve("box.db");
  }
}
