package dev.signalbox.journal.postgres;

import dev.signalbox.journal.sql.Selection;

/** Numbers for instances, effects and messages, taken from the store in blocks. */
final class Numbers {
  private static final int BLOCK = 1_000;

  private final Connections connections;
  private long next = 1;
  private long last;

  Numbers(Connections connections) {
    this.connections = connections;
  }

  synchronized long reserve(int count) {
    if (last - next + 1 < count) {
      int block = Math.max(count, BLOCK);
      long end =
          connections.run(
              "reserve numbers",
              c ->
                  new Selection(
                          "update store set reserved = reserved + ? returning reserved", block)
                      .list(c, row -> row.getLong(1))
                      .getFirst());
      last = end;
      next = end - block + 1;
    }
    long first = next;
    next += count;
    return first;
  }
}
