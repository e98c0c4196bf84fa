package dev.signalbox.testkit;

import dev.signalbox.journal.Journal;
import dev.signalbox.journal.sqlite.SqliteJournal;
import java.nio.file.Path;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;

@SuppressWarnings("NullAway.Init")
final class SqliteEffectAttemptsTest extends EffectAttemptsContract {
  @TempDir Path folder;
  private @Nullable Journal before;

  @Override
  Journal open() {
    if (before != null) {
      // Nobody tells it anything any more; what it had is in the file.
      before.close();
    }
    Journal file = SqliteJournal.open(folder.resolve("box.db"), InstantSource.system());
    before = file;
    return file;
  }
}
