package dev.signalbox.testkit;

import dev.signalbox.journal.Change;
import dev.signalbox.journal.EffectRow;
import dev.signalbox.journal.Group;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Someone who writes to the store past the runtime: effects are gone without a result. Entries stay
 * as they are, for those have hashes.
 */
final class Intruder {
  private static final int AMONG = 100;

  private final Journal store;
  private final Random random;

  Intruder(Journal store, Random random) {
    this.store = store;
    this.random = random;
  }

  /** Takes an effect that has not ended out of the store; null when there is none. */
  @Nullable EffectRow takeEffect() {
    List<EffectRow> pending = store.effects(0, AMONG);
    if (pending.isEmpty()) {
      return null;
    }
    EffectRow effect = pending.get(random.nextInt(pending.size()));
    InstanceRow row = Objects.requireNonNull(store.load(effect.instance()));
    Change change = Change.of(row);
    change.after(row);
    change.ended().add(new Change.EffectEnd(effect.number(), effect.fence()));
    if (!store.append(new Group(row.at(), List.of(change))).lost().isEmpty()) {
      throw new IllegalStateException("Nobody else writes in this moment.");
    }
    return effect;
  }
}
