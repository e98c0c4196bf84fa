package dev.signalbox.testkit;

import dev.signalbox.journal.Journal;

/** A journal that may be closed again, which changes nothing. */
final class ClosedOnce extends ForwardingJournal {
  private boolean closed;

  ClosedOnce(Journal to) {
    super(to);
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      super.close();
    }
  }
}
