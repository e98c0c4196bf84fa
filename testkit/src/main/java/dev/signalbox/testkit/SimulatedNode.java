package dev.signalbox.testkit;

import dev.signalbox.journal.EffectRow;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.Lease;
import dev.signalbox.runtime.ManualSignalbox;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One life of a node: the runtime, and the store as it sees it. */
final class SimulatedNode {
  final ManualSignalbox box;
  final FaultyStore store;

  /** What it opened, without the faults. */
  final Journal opened;

  /** Under which the handler works that began last. */
  @Nullable Lease lease;

  /** Effects whose handlers have answered here, by key. */
  private final Map<String, EffectRow> answered = new HashMap<>();

  private boolean closed;

  SimulatedNode(ManualSignalbox box, FaultyStore store, Journal opened) {
    this.box = box;
    this.store = store;
    this.opened = opened;
  }

  /** Whether its process goes on. */
  boolean isAlive() {
    return !closed && !store.isDead();
  }

  /** It was closed, and its process has ended. */
  void closed() {
    closed = true;
  }

  /** A handler has answered, and what it says is to be reported under the lease it has now. */
  void answered(EffectRow effect) {
    answered.put(effect.key(), effect);
  }

  /**
   * A node that has nothing to do has reported what its handlers answered, unless the effect is
   * another's by now or its instance does not take it.
   */
  void audit(Journal view, Consumer<String> found) {
    if (answered.isEmpty() || !box.isResting()) {
      return;
    }
    for (EffectRow effect : answered.values()) {
      EffectRow now = view.effect(effect.number());
      InstanceRow row = view.load(effect.instance());
      if (now != null
          && now.fence() == effect.fence()
          && row != null
          && row.status() == InstanceRow.Status.LIVE) {
        found.accept("what the handler of effect %s answered is lost".formatted(effect.key()));
      }
    }
    answered.clear();
  }
}
