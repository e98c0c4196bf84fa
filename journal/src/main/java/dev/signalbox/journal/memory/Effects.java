package dev.signalbox.journal.memory;

import dev.signalbox.journal.Change;
import dev.signalbox.journal.EffectRow;
import dev.signalbox.journal.Lease;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The effects that have not ended, by their numbers. For one thread at a time. */
final class Effects {
  private final TreeMap<Long, EffectRow> rows = new TreeMap<>();

  /** The fences under which effects were taken, until a handler is about to begin. */
  private final Map<Long, Long> unbegun = new HashMap<>();

  /** Whether every effect that ends has the fence that it must have. */
  boolean haveFences(List<Change.EffectEnd> ended) {
    for (Change.EffectEnd end : ended) {
      EffectRow effect = rows.get(end.number());
      if (effect == null || effect.fence() != end.fence()) {
        return false;
      }
    }
    return true;
  }

  void write(long instance, Change change, Undoing undoing) {
    if (!change.left().isEmpty()) {
      rows.values().stream()
          .filter(e -> e.instance() == instance && change.left().contains(e.during()))
          .map(EffectRow::number)
          .toList()
          .forEach(number -> remove(number, undoing));
    }
    change.effects().forEach(e -> undoing.put(rows, e.number(), e));
    change.ended().forEach(e -> remove(e.number(), undoing));
  }

  private void remove(long number, Undoing undoing) {
    undoing.remove(rows, number);
    undoing.remove(unbegun, number);
  }

  List<EffectRow> claim(String owner, Collection<String> names, long now, long lease, int most) {
    List<EffectRow> claimed =
        rows.values().stream()
            .filter(effect -> effect.due() <= now && names.contains(effect.name()))
            .limit(most)
            .map(e -> taken(e, now + lease, owner))
            .toList();
    for (EffectRow effect : claimed) {
      unbegun.put(effect.number(), effect.cutOff() ? 0 : effect.fence());
      rows.put(effect.number(), effect);
    }
    return claimed;
  }

  /** A taking under which nothing began counts for nothing. */
  private EffectRow taken(EffectRow e, long due, String owner) {
    boolean idle = e.fence() > 0 && unbegun.getOrDefault(e.number(), 0L) == e.fence();
    int attempt = idle ? e.attempt() : e.attempt() + 1;
    return leased(e, due, attempt, e.fence() + 1, owner, e.owner() != null && !idle);
  }

  /** The leases that are not their holders' any more. */
  List<Lease> begin(Collection<Lease> leases) {
    List<Lease> lost = leases.stream().filter(l -> !isHeld(l.effect(), l.fence())).toList();
    leases.forEach(lease -> {
      if (isHeld(lease.effect(), lease.fence())) {
        unbegun.put(lease.effect(), 0L);
      }
    });
    return lost;
  }

  private boolean isHeld(long number, long fence) {
    EffectRow effect = rows.get(number);
    return effect != null && effect.fence() == fence;
  }

  @Nullable EffectRow get(long number) {
    return rows.get(number);
  }

  List<EffectRow> page(long after, int most) {
    return rows.tailMap(after, false).values().stream().limit(most).toList();
  }

  boolean areOf(long instance) {
    return rows.values().stream().anyMatch(e -> e.instance() == instance);
  }

  boolean postpone(long effect, long fence, long due, boolean released) {
    EffectRow e = rows.get(effect);
    if (e == null || e.fence() != fence) {
      return false;
    }
    String owner = released ? null : e.owner();
    rows.put(effect, leased(e, due, e.attempt(), e.fence(), owner, e.cutOff()));
    return true;
  }

  /** The same work under another lease. */
  private static EffectRow leased(
      EffectRow e, long due, int attempt, long fence, @Nullable String owner, boolean cutOff) {
    return new EffectRow(
        e.number(),
        e.instance(),
        e.key(),
        e.name(),
        e.reply(),
        e.idempotent(),
        e.during(),
        e.input(),
        due,
        attempt,
        fence,
        owner,
        cutOff);
  }

  /** The leases that could not be renewed. */
  List<Lease> renew(Collection<Lease> leases, long due) {
    return leases.stream().filter(l -> !postpone(l.effect(), l.fence(), due, false)).toList();
  }
}
