package dev.signalbox.testkit;

import dev.signalbox.journal.Change;
import dev.signalbox.journal.EffectRow;
import dev.signalbox.journal.Group;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.Query;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Someone who writes to the store past the runtime: rows change without an entry, and effects are
 * gone without a result. Entries stay as they are, for those have hashes.
 */
final class Intruder {
  private static final int AMONG = 100;

  private final Journal store;
  private final Random random;

  Intruder(Journal store, Random random) {
    this.store = store;
    this.random = random;
  }

  /** Changes the row of an instance that lives, and gives what it was; null when none lives. */
  @Nullable InstanceRow spoil() {
    List<InstanceRow> live =
        store.query(Query.ALL.that(InstanceRow.Status.LIVE).newest().page(0, AMONG));
    if (live.isEmpty()) {
      return null;
    }
    InstanceRow row = live.get(random.nextInt(live.size()));
    InstanceRow other = live.get(random.nextInt(live.size()));
    InstanceRow spoilt =
        switch (random.nextInt(6)) {
          case 0 -> row.encoded(torn(row.snapshot()));
          case 1 -> row.encoded(other.snapshot());
          case 2 -> row.standing(row.status(), InstanceRow.NEVER);
          case 3 -> row.standing(InstanceRow.Status.PAUSED, row.due());
          case 4 -> row.standing(InstanceRow.Status.ENDED, InstanceRow.NEVER);
          default -> elsewhere(row, other);
        };
    write(spoilt, row, null);
    return row;
  }

  /** Says of an instance that it is paused, which no entry says. */
  void pause(InstanceRow row) {
    write(row.standing(InstanceRow.Status.PAUSED, row.due()), row, null);
  }

  /** Takes an effect that has not ended out of the store; null when there is none. */
  @Nullable EffectRow takeEffect() {
    List<EffectRow> pending = store.effects(0, AMONG);
    if (pending.isEmpty()) {
      return null;
    }
    EffectRow effect = pending.get(random.nextInt(pending.size()));
    InstanceRow row = Objects.requireNonNull(store.load(effect.instance()));
    write(row, row, effect);
    return effect;
  }

  private void write(InstanceRow after, InstanceRow before, @Nullable EffectRow ended) {
    Change change = Change.of(before);
    change.after(after);
    if (ended != null) {
      change.ended().add(new Change.EffectEnd(ended.number(), ended.fence()));
    }
    if (!store.append(new Group(before.at(), List.of(change))).lost().isEmpty()) {
      throw new IllegalStateException("Nobody else writes in this moment.");
    }
  }

  /** The first byte says whether it is sealed, and stays. */
  private static byte[] torn(byte[] snapshot) {
    byte[] bytes = Arrays.copyOf(snapshot, 1 + snapshot.length / 2);
    byte[] noise = "torn".getBytes(StandardCharsets.UTF_8);
    System.arraycopy(noise, 0, bytes, 1, Math.min(noise.length, bytes.length - 1));
    return bytes;
  }

  private static InstanceRow elsewhere(InstanceRow row, InstanceRow other) {
    return new InstanceRow(
        row.number(),
        row.id(),
        row.machine(),
        row.parent(),
        other.configuration(),
        row.status(),
        row.sequence(),
        row.head(),
        row.refusals(),
        row.refusalHead(),
        row.at(),
        other.since(),
        other.due(),
        other.snapshot());
  }
}
