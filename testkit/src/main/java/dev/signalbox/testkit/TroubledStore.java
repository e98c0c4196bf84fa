package dev.signalbox.testkit;

import dev.signalbox.journal.Appended;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.journal.Group;
import dev.signalbox.journal.InstanceKey;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.JournalException;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The store as a node sees it in bad times. */
final class TroubledStore extends ForwardingJournal {
  private final Mishaps mishaps;

  TroubledStore(Journal to, Mishaps mishaps) {
    super(to);
    this.mishaps = mishaps;
  }

  @Override
  public Appended append(Group group) {
    if (mishaps.chance(15)) {
      mishaps.count(Fault.CRASH_BEFORE_COMMIT);
      throw new Mishaps.Death();
    }
    if (mishaps.chance(15)) {
      mishaps.count(Fault.STORE_FAILS);
      throw new JournalException("Expected to append, but the store fails.", null);
    }
    Appended appended = super.append(group);
    if (mishaps.chance(15)) {
      mishaps.count(Fault.CRASH_AFTER_COMMIT);
      throw new Mishaps.Death();
    }
    if (mishaps.chance(15)) {
      mishaps.count(Fault.OUTCOME_UNKNOWN);
      throw new JournalException("Expected an answer, but the connection broke.", null, true);
    }
    return appended;
  }

  private void mayFail() {
    if (mishaps.chance(2)) {
      mishaps.count(Fault.READ_FAILS);
      throw new JournalException("Expected to read, but the store fails.", null);
    }
  }

  @Override
  public @Nullable InstanceRow load(String id) {
    mayFail();
    return super.load(id);
  }

  @Override
  public @Nullable InstanceRow load(long number) {
    mayFail();
    return super.load(number);
  }

  @Override
  public @Nullable EntryRow keyed(long instance, String key) {
    mayFail();
    return super.keyed(instance, key);
  }

  @Override
  public void keepKeys(List<InstanceKey> keys) {
    mayFail();
    super.keepKeys(keys);
  }

  @Override
  public void destroyKeys(Collection<Long> instances) {
    if (!instances.isEmpty() && mishaps.chance(150)) {
      mishaps.count(Fault.CRASH_AT_ERASURE);
      throw new Mishaps.Death();
    }
    mayFail();
    super.destroyKeys(instances);
    if (!instances.isEmpty() && mishaps.chance(100)) {
      mishaps.count(Fault.CRASH_AT_ERASURE);
      throw new Mishaps.Death();
    }
  }

  @Override
  public long reserve(int count) {
    mayFail();
    return super.reserve(count);
  }
}
