package dev.signalbox.testkit;

import dev.signalbox.journal.Journal;
import dev.signalbox.journal.sqlite.SqliteJournal;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

@SuppressWarnings("NullAway.Init")
final class SqliteEveryCallFailsTest extends EveryCallFailsContract {
  @TempDir Path folder;
  private int files;

  @Override
  Journal open(ManualClock clock) {
    return SqliteJournal.open(folder.resolve(++files + ".db"), clock);
  }

  @Override
  int every() {
    return 9;
  }
}
