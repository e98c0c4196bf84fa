package dev.signalbox.testkit;

import dev.signalbox.journal.Journal;
import dev.signalbox.journal.memory.MemoryJournal;

final class MemoryEveryCallFailsTest extends EveryCallFailsContract {
  @Override
  Journal open(ManualClock clock) {
    return new MemoryJournal(clock);
  }
}
