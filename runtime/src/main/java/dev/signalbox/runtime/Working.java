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

  /** Whether a turn with it is wanted, which counts as a group on its way. */
  boolean wanted;

  /** Its idempotency keys, or null when they are not known. */
  @Nullable Set<String> keys;

  /** What commands that are not committed yet will be answered, by the owners of their keys. */
  final Map<String, AnsweredKeys.Pending> answers = new HashMap<>(0);

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

  /** The owner of the key that the command which is worked out answered last, or null. */
  @Nullable String answeredLast;

  /** Takes the last answer back. */
  void unanswered() {
    if (answeredLast != null) {
      answers.remove(answeredLast);
    }
  }

  void answered(@Nullable KeyUse use, Reply reply) {
    if (use != null) {
      answeredLast = use.owner();
      answers.put(use.owner(), new AnsweredKeys.Pending(use.digest(), reply));
      if (keys != null) {
        keys.add(use.key());
      }
    }
  }

  /** About how many bytes it takes. */
  long weight() {
    return 1_000 + 4L * row.snapshot().length + 100L * (keys == null ? 0 : keys.size());
  }
}
