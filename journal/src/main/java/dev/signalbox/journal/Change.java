package dev.signalbox.journal;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Everything that one commit does to one instance. It is written only if the instance still has the
 * heads that the change started from, every message it delivers is still there, and every effect it
 * ends still has its fence.
 *
 * <p>The runtime fills it while the group is open; afterwards nobody changes it.
 */
public final class Change {
  private final @Nullable InstanceRow before;
  private final List<NewEntry> entries = new ArrayList<>(2);
  private final List<EffectRow> effects = new ArrayList<>(0);
  private final List<EffectEnd> ended = new ArrayList<>(0);
  private final Set<String> left = new HashSet<>(0);
  private final List<MessageRow> messages = new ArrayList<>(0);
  private final List<Long> delivered = new ArrayList<>(0);
  private final Map<String, @Nullable String> search = new LinkedHashMap<>(0);
  private @Nullable InstanceRow after;

  private Change(@Nullable InstanceRow before) {
    this.before = before;
  }

  /** A change of an instance that is there. */
  public static Change of(InstanceRow before) {
    return new Change(before);
  }

  /** A change that brings the instance into being. */
  public static Change creation() {
    return new Change(null);
  }

  /** An effect that ends with this change. */
  public record EffectEnd(long number, long fence) {}

  public boolean isCreation() {
    return before == null;
  }

  /** Nearly every change is this: one more step of an instance that is there. */
  public boolean isOneStep() {
    return !isCreation() && entries.size() == 1 && entries.getFirst().chain() == Chain.STEPS;
  }

  /**
   * Whether the instance is found afterwards by what it was found by before: its states, since when
   * it has them, its machine and its status are the same.
   */
  public boolean isInPlace() {
    InstanceRow now = after();
    return before != null
        && before.configuration() == now.configuration()
        && before.since() == now.since()
        && before.machine() == now.machine()
        && before.status() == now.status();
  }

  /** The instance as it was, or null when this brings it into being. */
  public @Nullable InstanceRow before() {
    return before;
  }

  public byte @Nullable [] expectedHead() {
    return before == null ? null : before.head();
  }

  public byte @Nullable [] expectedRefusalHead() {
    return before == null ? null : before.refusalHead();
  }

  /** The instance once the change is written. */
  public InstanceRow after() {
    if (after == null) {
      throw new IllegalStateException("A change says how the instance is afterwards.");
    }
    return after;
  }

  public void after(InstanceRow row) {
    after = row;
  }

  public List<NewEntry> entries() {
    return entries;
  }

  public List<EffectRow> effects() {
    return effects;
  }

  public List<EffectEnd> ended() {
    return ended;
  }

  /** States whose effects, as far as they were asked for before this change, end with it. */
  public Set<String> left() {
    return left;
  }

  public List<MessageRow> messages() {
    return messages;
  }

  public List<Long> delivered() {
    return delivered;
  }

  /** Searchable fields that have a new value; null takes the field out. */
  public Map<String, @Nullable String> search() {
    return search;
  }
}
