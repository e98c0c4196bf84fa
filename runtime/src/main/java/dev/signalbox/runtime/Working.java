package dev.signalbox.runtime;

import dev.signalbox.journal.InstanceKey;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.kernel.Snapshot;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** An instance in memory, as the commands so far leave it, whether they are committed or not. */
final class Working {
  PublishedChart machine;
  InstanceRow row;
  Snapshot snapshot;

  /** What seals its entries, or null when nothing of it is personal. */
  @Nullable Seal seal;

  /** Its key, when it is new and was not kept yet. */
  @Nullable InstanceKey newKey;

  /** Whether its keys were destroyed, or are as soon as this is durable. */
  boolean erased;

  /** Its part of the group that is open, or null. */
  @Nullable Slot slot;

  /** Since when its clocks stand still; negative when they run, 0 when it is not known. */
  long pausedAt;

  /** What it counts for in the memory's limit; 0 when it is not kept. */
  long weighed;

  /** How many groups that are not committed yet have a part of it. */
  int pins;

  /** Its idempotency keys, or null when they are not known. */
  @Nullable Set<String> keys;

  /** What commands that are not committed yet will be answered, by their keys. */
  final Map<String, Reply> answers = new HashMap<>(0);

  /** Commands that wait for a group that is on its way. */
  final List<Ticket> deferred = new ArrayList<>(0);

  Working(PublishedChart machine, InstanceRow row, Snapshot snapshot) {
    this.machine = machine;
    this.row = row;
    this.snapshot = snapshot;
  }

  static Working created(PublishedChart machine, InstanceRow row, Snapshot snapshot) {
    Working working = new Working(machine, row, snapshot);
    working.keys = new HashSet<>(0);
    return working;
  }

  void answered(@Nullable String key, Reply reply) {
    if (key != null) {
      answers.put(key, reply);
      if (keys != null) {
        keys.add(key);
      }
    }
  }

  /** About how many bytes it takes. */
  long weight() {
    return 1_000 + 4L * row.snapshot().length + 100L * (keys == null ? 0 : keys.size());
  }
}
