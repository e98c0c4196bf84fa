package dev.signalbox.testkit;

import dev.signalbox.journal.Appended;
import dev.signalbox.journal.Group;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.Turn;

/**
 * A journal that gives turns where nothing happens at the same time, so that whoever has one is
 * alone anyway.
 */
final class TurnGivingJournal extends ForwardingJournal {
  private final Journal to;

  TurnGivingJournal(Journal to) {
    super(to);
    this.to = to;
  }

  @Override
  public Turn turn(long instance) {
    return new Turn() {
      @Override
      public Appended append(Group group) {
        return to.append(group);
      }

      @Override
      public void close() {
        // Nobody waits.
      }
    };
  }
}
