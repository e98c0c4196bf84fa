package dev.signalbox.runtime;

import dev.signalbox.journal.Chain;
import dev.signalbox.journal.EffectRow;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.JournalException;
import dev.signalbox.kernel.machine.Retry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * How often each effect is tried: as the entry says that asked for it, whatever became of its
 * machine since, and otherwise as the settings do. It is looked for only when an attempt has
 * failed.
 */
final class Retries {
  private static final int PAGE = 64;
  private static final int MOST_KNOWN = 10_000;

  private final Journal journal;
  private final Seals seals;
  private final Retry usual;
  private final Map<Long, Retry> known = new ConcurrentHashMap<>();

  Retries(Journal journal, Seals seals, Settings settings) {
    this.journal = journal;
    this.seals = seals;
    this.usual =
        new Retry(
            settings.attempts(),
            settings.firstDelay(),
            Retry.FACTOR,
            Duration.ofHours(1),
            Retry.Failure.usual(true));
  }

  Retry of(EffectRow effect) {
    Retry found = known.get(effect.number());
    if (found == null) {
      try {
        found = asked(effect);
      } catch (JournalException e) {
        throw e;
      } catch (RuntimeException e) {
        // An entry that can't be read says nothing; the effect is not tried for ever for that.
        found = usual;
      }
      if (known.size() < MOST_KNOWN) {
        known.put(effect.number(), found);
      }
    }
    return found;
  }

  /** The effect has ended. */
  void forget(EffectRow effect) {
    known.remove(effect.number());
  }

  private Retry asked(EffectRow effect) {
    InstanceRow row = journal.load(effect.instance());
    if (row == null) {
      return usual;
    }
    for (long end = row.sequence(); end > 0; end -= PAGE) {
      long from = Math.max(1, end - PAGE + 1);
      List<EntryRow> page =
          journal.history(row.number(), Chain.STEPS, from, (int) (end - from + 1));
      for (EntryRow entry : page.reversed()) {
        Map<?, ?> asking = entry.body().length == 0 ? null : asking(entry, effect.key());
        if (asking != null) {
          Retry declared = Retry.of(asking.get("retry"));
          return declared == null ? usual : declared;
        }
      }
    }
    return usual;
  }

  /** What the entry says of the effect, or null when it did not ask for it. */
  private @Nullable Map<?, ?> asking(EntryRow entry, String key) {
    if (seals.whole(Ledger.body(entry)).get("effects") instanceof List<?> effects) {
      for (Object effect : effects) {
        if (effect instanceof Map<?, ?> map && key.equals(map.get("key"))) {
          return map;
        }
      }
    }
    return null;
  }
}
