package dev.signalbox.runtime;

import dev.signalbox.journal.Appended;
import dev.signalbox.journal.Change;
import dev.signalbox.journal.Group;
import dev.signalbox.journal.InstanceKey;
import dev.signalbox.journal.Journal;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** A group of commands that share one commit. */
final class Batch {
  final List<Slot> slots;
  final Group group;

  /** Keys that are kept before anything that they seal. */
  final List<InstanceKey> keys;

  Batch(List<Slot> slots, Group group, List<InstanceKey> keys) {
    this.slots = slots;
    this.group = group;
    this.keys = keys;
  }

  boolean isEmpty() {
    return group.changes().isEmpty();
  }

  /** Writes the group; keys go first. */
  Appended appendTo(Journal journal) {
    if (!keys.isEmpty()) {
      journal.keepKeys(keys);
    }
    return isEmpty() ? new Appended(0, List.of()) : journal.append(group);
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
