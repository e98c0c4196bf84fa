package dev.signalbox.services.sweep;

import dev.signalbox.services.SharedPostgres;
import org.jspecify.annotations.Nullable;

final class PostgresSweeperTest extends SweeperContract {
  private @Nullable String store;

  @Override
  String store() throws Exception {
    if (store == null) {
      store = SharedPostgres.database();
    }
    return store;
  }
}
