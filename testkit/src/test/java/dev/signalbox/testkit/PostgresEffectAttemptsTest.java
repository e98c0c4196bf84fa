package dev.signalbox.testkit;

import dev.signalbox.journal.Journal;
import dev.signalbox.journal.postgres.PostgresJournal;
import org.jspecify.annotations.Nullable;

final class PostgresEffectAttemptsTest extends EffectAttemptsContract {
  private static int databases;
  private @Nullable String url;
  private @Nullable Journal before;

  @Override
  Journal open() throws Exception {
    if (before != null) {
      before.close();
    }
    String address = url;
    if (address == null) {
      address = FlushingPostgres.shared().database("attempts" + ++databases);
      url = address;
    }
    Journal journal = PostgresJournal.open(address, null, null);
    before = journal;
    return journal;
  }
}
