package dev.signalbox.runtime;

import dev.signalbox.journal.Appended;
import dev.signalbox.journal.Change;
import dev.signalbox.journal.Group;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** A group of commands that share one commit. */
final class Batch {
  final List<Slot> slots;
  final Group group;

  Batch(List<Slot> slots, Group group) {
    this.slots = slots;
    this.group = group;
  }

  boolean isEmpty() {
    return group.changes().isEmpty();
  }

  /** Tells everybody whose command is durable now. */
  void answer(Appended appended) {
    Set<Change> lost = appended.lost().isEmpty() ? Set.of() : new HashSet<>(appended.lost());
    for (Slot slot : slots) {
      if (!lost.contains(slot.change)) {
        slot.tickets.forEach(Ticket::complete);
      }
    }
  }
}
