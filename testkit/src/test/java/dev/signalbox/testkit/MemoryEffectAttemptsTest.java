package dev.signalbox.testkit;

import dev.signalbox.journal.Journal;
import dev.signalbox.journal.memory.MemoryJournal;
import java.time.InstantSource;

final class MemoryEffectAttemptsTest extends EffectAttemptsContract {
  private final MemoryJournal journal = new MemoryJournal(InstantSource.system());

  @Override
  Journal open() {
    return journal;
  }
}
