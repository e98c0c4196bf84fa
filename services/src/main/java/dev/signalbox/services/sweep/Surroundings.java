package dev.signalbox.services.sweep;

import dev.signalbox.journal.EffectRow;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.MessageRow;
import dev.signalbox.journal.PublishedMachine;
import dev.signalbox.journal.Query;
import dev.signalbox.kernel.Environment;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.RowFault;
import dev.signalbox.runtime.Signalbox;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The store around an instance, as one sweep sees it. For one thread. */
public final class Surroundings {
  private static final int PAGE = 1_000;

  private final Signalbox box;
  private final SweepSettings settings;
  private final long now;
  private final Map<Long, String> machines = new HashMap<>();
  private final Map<String, Environment> environments = new HashMap<>();
  private Set<Long> withEffects = Set.of();
  private Set<String> withMail = Set.of();
  private long replayed;

  Surroundings(Signalbox box, SweepSettings settings) {
    this.box = box;
    this.settings = settings;
    this.now = box.clock().millis();
    for (PublishedMachine machine : box.journal().machines()) {
      machines.put(machine.number(), machine.name());
    }
    for (Machine machine : box.machines()) {
      environments.put(machine.name() + "@" + machine.version(), Environment.of(machine));
    }
    refresh();
  }

  /** Learns anew which instances have work or messages on the way. */
  private void refresh() {
    withEffects = new HashSet<>();
    long after = 0;
    List<EffectRow> effects;
    do {
      effects = box.journal().effects(after, PAGE);
      for (EffectRow effect : effects) {
        withEffects.add(effect.instance());
        after = effect.number();
      }
    } while (effects.size() == PAGE);
    withMail = new HashSet<>();
    after = 0;
    List<MessageRow> messages;
    do {
      messages = box.journal().messages(after, PAGE);
      for (MessageRow message : messages) {
        withMail.add(message.to());
        withMail.add(message.from());
        after = message.number();
      }
    } while (messages.size() == PAGE);
  }

  public SweepSettings settings() {
    return settings;
  }

  public long now() {
    return now;
  }

  long replayed() {
    return replayed;
  }

  String machine(long number) {
    return machines.computeIfAbsent(
        number,
        _ ->
            box.journal().machines().stream()
                .filter(m -> m.number() == number)
                .map(PublishedMachine::name)
                .findFirst()
                .orElse("machine " + number));
  }

  @Nullable Instance view(InstanceRow row) {
    try {
      Instance instance = box.view(row);
      return instance.isReadable() ? instance : null;
    } catch (IllegalStateException e) {
      // The store does not have its machine.
      return null;
    }
  }

  /** What the outside may do to the instance. */
  Environment environment(Instance instance) {
    return environments.computeIfAbsent(
        instance.machine() + "@" + instance.version(),
        _ ->
            box.machines().stream()
                .filter(
                    m -> m.name().equals(instance.machine()) && m.version() == instance.version())
                .map(Environment::of)
                .findFirst()
                .orElseThrow());
  }

  /** The instance with an id, or null. One whose entries have not ended it is live. */
  public @Nullable InstanceRow row(String id) {
    InstanceRow row = box.journal().load(id);
    return row == null ? null : believed(row);
  }

  /** The row, but without an end that the newest entry knows nothing of. */
  private InstanceRow believed(InstanceRow row) {
    return box.unconfirmed(List.of(row)).isEmpty()
        ? row
        : row.standing(InstanceRow.Status.LIVE, row.due());
  }

  /** The instance with an id, or null when there is none or it can't be read. */
  public @Nullable Instance instance(String id) {
    InstanceRow row = row(id);
    return row == null ? null : view(row);
  }

  /** Instances that fit a query; of those that the store says have ended some may live. */
  public List<InstanceRow> rows(Query query) {
    return box.journal().query(query);
  }

  boolean hasWork(InstanceRow row) {
    return withEffects.contains(row.number()) || withMail.contains(row.id());
  }

  boolean hasMail(String id) {
    return withMail.contains(id);
  }

  boolean hasLiveChild(String id) {
    return !rows(Query.ALL.below(id).that(InstanceRow.Status.LIVE).page(0, 1)).isEmpty()
        || !rows(Query.ALL.below(id).that(InstanceRow.Status.PAUSED).page(0, 1)).isEmpty()
        || !rows(Query.ALL.below(id).that(InstanceRow.Status.HALTED).page(0, 1)).isEmpty();
  }

  /** Whether the instance still has neither work nor messages, and has not moved meanwhile. */
  boolean isStillIdle(InstanceRow row) {
    refresh();
    InstanceRow again = box.journal().load(row.number());
    return again != null && again.sequence() == row.sequence() && !hasWork(row);
  }

  /** What is wrong with a row; only looked at as deeply as the settings allow. */
  @Nullable RowFault fault(InstanceRow row) {
    if (row.status() == InstanceRow.Status.ENDED) {
      return box.fault(row);
    }
    if (replayed < settings.mostReplays() && row.sequence() <= settings.longestReplay()) {
      replayed++;
      return box.fault(row);
    }
    return view(row) == null ? box.fault(row) : null;
  }
}
