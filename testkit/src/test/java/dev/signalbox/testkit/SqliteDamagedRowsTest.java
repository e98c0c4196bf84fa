package dev.signalbox.testkit;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

@SuppressWarnings("NullAway.Init")
final class SqliteDamagedRowsTest extends DamagedRowsContract {
  @TempDir Path folder;

  @Override
  String store(String name) {
    return "jdbc:sqlite:" + folder.resolve(name + ".db");
  }
}
