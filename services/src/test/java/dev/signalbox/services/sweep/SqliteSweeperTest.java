package dev.signalbox.services.sweep;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

final class SqliteSweeperTest extends SweeperContract {
  @TempDir Path folder;

  @Override
  String store() {
    return "jdbc:sqlite:" + folder.resolve("box.db");
  }
}
