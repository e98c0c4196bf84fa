package dev.signalbox.services.sweep;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

final class SqliteSpoiltRowsTest extends SpoiltRowsContract {
  @TempDir Path folder;

  @Override
  String store() {
    return "jdbc:sqlite:" + folder.resolve("box.db");
  }
}
