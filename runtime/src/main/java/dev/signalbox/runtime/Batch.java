package dev.signalbox.runtime;

import dev.signalbox.journal.Appended;
import dev.signalbox.journal.Change;
import dev.signalbox.journal.Group;
import dev.signalbox.journal.InstanceKey;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.Turn;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A group of commands that share one commit. */
final class Batch {
  final List<Slot> slots;
  final Group group;

  /** Keys that are kept before anything that they seal. */
  final List<InstanceKey> keys;

  /** Where this is no group but the wish for a turn with an instance: that instance. */
  final @Nullable Working wanted;

  Batch(List<Slot> slots, Group group, List<InstanceKey> keys) {
    this.slots = slots;
    this.group = group;
    this.keys = keys;
    this.wanted = null;
  }

  /** The wish for a turn with an instance, for those commands that wait for it. */
  Batch(Working wanted, long at) {
    this.slots = List.of();
    this.group = new Group(at, List.of());
    this.keys = List.of();
    this.wanted = wanted;
  }

  boolean isEmpty() {
    return group.changes().isEmpty();
  }

  /** Writes the group; keys go first. */
  Appended appendTo(Journal journal) {
    return appendTo(journal, null);
  }

  /** Writes the group in a turn, where there is one; keys go first. */
  Appended appendTo(Journal journal, @Nullable Turn turn) {
    if (!keys.isEmpty()) {
      journal.keepKeys(keys);
    }
    if (isEmpty()) {
      return new Appended(0, List.of());
    }
    return turn == null ? journal.append(group) : turn.append(group);
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
