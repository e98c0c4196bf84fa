package dev.signalbox.journal;

import dev.signalbox.journal.memory.MemoryJournal;

final class MemoryJournalTest extends JournalContract {
  @Override
  Journal open() {
    return new MemoryJournal(clock());
  }

  @Override
  Journal reopen(Journal open) {
    return open;
  }
}
