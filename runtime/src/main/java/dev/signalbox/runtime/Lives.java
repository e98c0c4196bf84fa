package dev.signalbox.runtime;

import dev.signalbox.journal.Hashing;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * How far each instance has been followed while a journal is read from its beginning. Those that
 * were met lately are in memory, up to {@link #MOST_BYTES}; the others are in a {@link Scratch}
 * file. For one thread at a time.
 */
final class Lives {
  /** About how many bytes of snapshots are in memory; as objects they take some times as much. */
  static final long MOST_BYTES = 4 << 20;

  /** What a life takes besides its snapshot. */
  private static final int BASE = 400;

  private final Scratch scratch;
  private final Map<String, Life> recent = new LinkedHashMap<>(1_024, 0.75f, true);
  private final Restoring restoring;
  private long bytes;
  private long count;

  /** Brings a replay back. */
  interface Restoring {
    @Nullable Replay restored(Replay.State state);
  }

  Lives(Scratch scratch, Restoring restoring) {
    this.scratch = scratch;
    this.restoring = restoring;
  }

  /** One instance so far. */
  static final class Life {
    byte[] head = Hashing.origin();
    long sequence;
    byte[] refusalHead = Hashing.origin();
    long refusals;
    boolean broken;
    boolean ended;
    @Nullable Replay replay;
    @Nullable Seal seal;

    /** The number of the key that the seal is of. */
    long key;

    /** The journal's number of it, known only where it was archived. */
    long number;

    /** The number by which the rows of its entries know it; 0 where there are no rows. */
    long row;

    /** Whether the row of the instance was met. */
    boolean met;

    /** About how many bytes it takes. */
    private long weight = BASE;
  }

  /** The instance, or null when nothing of it was met. */
  @Nullable Life find(String id) {
    Life known = recent.get(id);
    if (known != null) {
      return known;
    }
    byte[] kept = scratch.life(id);
    if (kept == null) {
      return null;
    }
    Life life = LifeCodec.read(kept, restoring);
    life.weight = BASE + 2L * id.length() + kept.length;
    add(id, life);
    return life;
  }

  /** The instance, which begins when nothing of it was met. */
  Life of(String id) {
    Life known = find(id);
    return known == null ? begin(id) : known;
  }

  /** A new life for the id; whoever had it before is forgotten. */
  Life begin(String id) {
    Life before = recent.remove(id);
    if (before != null) {
      bytes -= before.weight;
    }
    if (before == null && scratch.life(id) == null) {
      count++;
    }
    Life life = new Life();
    life.weight = BASE + 2L * id.length();
    add(id, life);
    return life;
  }

  private void add(String id, Life life) {
    recent.put(id, life);
    bytes += life.weight;
    shrink(id);
  }

  /** Something of so many bytes was added to what is known of the instance. */
  void grew(String id, Life life, int by) {
    life.weight += by;
    bytes += by;
    shrink(id);
  }

  /** Puts away what was not met for longest; the one that is at hand stays. */
  private void shrink(String atHand) {
    Iterator<Map.Entry<String, Life>> oldest = recent.entrySet().iterator();
    while (bytes > MOST_BYTES && recent.size() > 1 && oldest.hasNext()) {
      Map.Entry<String, Life> entry = oldest.next();
      if (!entry.getKey().equals(atHand)) {
        oldest.remove();
        bytes -= entry.getValue().weight;
        scratch.keepLife(entry.getKey(), LifeCodec.bytes(entry.getValue()));
      }
    }
  }

  /** Tells of every instance. */
  void each(BiConsumer<String, Life> consumer) {
    recent.forEach(consumer);
    scratch.lives((id, state) -> {
      if (!recent.containsKey(id)) {
        consumer.accept(id, LifeCodec.read(state, _ -> null));
      }
    });
  }

  /** How many ids were met. */
  long count() {
    return count;
  }
}
