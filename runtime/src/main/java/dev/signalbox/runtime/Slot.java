package dev.signalbox.runtime;

import dev.signalbox.journal.Change;
import dev.signalbox.journal.InstanceRow;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One instance's part of a group: what is to be written, and the commands that caused it. */
final class Slot {
  final Working working;

  /** The instance as it was before, or null when this brings it into being. */
  final @Nullable InstanceRow before;

  final Change change;
  final List<Ticket> tickets = new ArrayList<>(2);

  /** Whether there is something to write. */
  boolean dirty;

  /** Whether the instance's key is to be destroyed once this is durable. */
  boolean erases;

  Slot(Working working, boolean created) {
    this.working = working;
    this.before = created ? null : working.row;
    this.change = created ? Change.creation() : Change.of(working.row);
  }
}
