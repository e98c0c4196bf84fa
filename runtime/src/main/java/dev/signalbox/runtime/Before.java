package dev.signalbox.runtime;

import dev.signalbox.journal.Change;
import dev.signalbox.journal.EffectRow;
import dev.signalbox.journal.InstanceKey;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.kernel.Snapshot;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An instance and its part of the open group as they were before a command. What a command does is
 * in the group as a whole or not at all: where working it out fails on the way, all of it is
 * undone.
 */
final class Before {
  private final Slot slot;
  private final PublishedChart machine;
  private final InstanceRow row;
  private final Snapshot snapshot;
  private final @Nullable Seal seal;
  private final @Nullable InstanceKey newKey;
  private final boolean erased;
  private final long pausedAt;
  private final boolean dirty;
  private final boolean erases;
  private final int entries;
  private final int ended;
  private final int messages;
  private final int delivered;
  private final List<EffectRow> effects;
  private final Set<String> left;
  private final Map<String, @Nullable String> search;

  Before(Slot slot) {
    Working working = slot.working;
    Change change = slot.change;
    this.slot = slot;
    this.machine = working.machine;
    this.row = working.row;
    this.snapshot = working.snapshot;
    this.seal = working.seal;
    this.newKey = working.newKey;
    this.erased = working.erased;
    this.pausedAt = working.pausedAt;
    this.dirty = slot.dirty;
    this.erases = slot.erases;
    this.entries = change.entries().size();
    this.ended = change.ended().size();
    this.messages = change.messages().size();
    this.delivered = change.delivered().size();
    this.effects = List.copyOf(change.effects());
    this.left = Set.copyOf(change.left());
    this.search = change.search().isEmpty() ? Map.of() : new LinkedHashMap<>(change.search());
    working.answeredLast = null;
  }

  Working working() {
    return slot.working;
  }

  void restore() {
    Working working = slot.working;
    working.machine = machine;
    working.row = row;
    working.snapshot = snapshot;
    working.seal = seal;
    working.newKey = newKey;
    working.erased = erased;
    working.pausedAt = pausedAt;
    working.unanswered();
    slot.dirty = dirty;
    slot.erases = erases;
    Change change = slot.change;
    cut(change.entries(), entries);
    cut(change.ended(), ended);
    cut(change.messages(), messages);
    cut(change.delivered(), delivered);
    change.effects().clear();
    change.effects().addAll(effects);
    change.left().clear();
    change.left().addAll(left);
    change.search().clear();
    change.search().putAll(search);
  }

  private static void cut(List<?> list, int size) {
    list.subList(Math.min(size, list.size()), list.size()).clear();
  }
}
