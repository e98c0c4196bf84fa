package dev.signalbox.definition.check;

import dev.signalbox.definition.expression.Unknown;
import dev.signalbox.kernel.Configuration;
import dev.signalbox.kernel.Context;
import dev.signalbox.kernel.Snapshot;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the exploration finite: when the same configuration with the same memory was seen with too
 * many different contexts, the fields that differ become unknown there. What is explored is then
 * more than the machine can do, never less.
 */
final class Widening {
  /** How often the bounds of an interval move before they are given up. */
  private static final int MOST_MOVES = 4;

  private final int variants;
  private final Canon canon;
  private final Thresholds thresholds;
  private final Map<Control, Group> groups = new HashMap<>();
  private final Set<String> blurred = new LinkedHashSet<>();
  private int total;

  Widening(int variants, Canon canon, Thresholds thresholds) {
    this.variants = variants;
    this.canon = canon;
    this.thresholds = thresholds;
  }

  /** The fields that became unknown somewhere because they had too many values. */
  Set<String> blurred() {
    return blurred;
  }

  private record Control(
      Configuration configuration, Snapshot.Memory memory, Pending pending, boolean done) {}

  private static final class Group {
    final Context base;
    final List<Vertex.Place> places = new ArrayList<>();
    final boolean[] differs;
    final boolean[] blur;
    final @Nullable Hull[] hulls;
    Facts common;
    boolean factsDiffer;
    boolean dropFacts;
    int count;

    Group(Context base, Facts facts) {
      this.base = base;
      this.common = facts;
      this.differs = new boolean[base.layout().size()];
      this.blur = new boolean[base.layout().size()];
      this.hulls = new @Nullable Hull[base.layout().size()];
    }
  }

  /**
   * A place that was explored and allows everything that this one does: with the same control, and
   * each field either the same or unknown. Null when there is none.
   */
  Vertex.@Nullable Place cover(Vertex.Place place) {
    Group group = groups.get(control(place));
    if (group != null) {
      for (Vertex.Place wider : group.places) {
        if (!wider.equals(place) && covers(wider, place)) {
          return wider;
        }
      }
    }
    return null;
  }

  private static boolean covers(Vertex.Place wider, Vertex.Place place) {
    Context more = wider.snapshot.context();
    Context less = place.snapshot.context();
    for (int i = 0; i < more.layout().size(); i++) {
      Object value = more.slot(i);
      if (value != Unknown.VALUE && !Canon.sameSlot(value, less.slot(i))) {
        return false;
      }
    }
    return wider.facts.follow(place.facts, less);
  }

  /** The place as it is, or a wider one that covers it. */
  Vertex.Place widen(Vertex.Place place) {
    Group group = groups.get(control(place));
    if (group == null || !(group.dropFacts || any(group.blur))) {
      return place;
    }
    if (group.dropFacts) {
      group.common = group.common.common(place.facts);
    }
    Map<Term, Domain> facts = (group.dropFacts ? group.common : place.facts).asMap();
    Context context = place.snapshot.context();
    for (int i = 0; i < group.blur.length; i++) {
      Hull hull = group.hulls[i];
      if (group.blur[i] && hull != null) {
        Term field = canon.field(context.layout().name(i));
        hull.add(range(context.slot(i), place.facts.about(field)));
        if (hull.isBounded()) {
          facts.put(field, Domain.between(hull.low, hull.high));
        } else {
          facts.remove(field);
        }
      }
    }
    Snapshot snapshot = canon.blur(place.snapshot, group.blur);
    return new Vertex.Place(snapshot, Facts.of(facts), place.pending);
  }

  /** The numbers a field can be; null when it need not be a whole number. */
  private static @Nullable Domain range(@Nullable Object value, @Nullable Domain fact) {
    if (value instanceof Long n) {
      return Domain.between(n, n);
    }
    return fact != null && fact.isWhole() ? fact : null;
  }

  /**
   * The interval of a field that has become unknown. A bound that does not hold moves at once to
   * the next of the machine's own thresholds, so that the interval stops growing soon.
   */
  private final class Hull {
    double low = Double.POSITIVE_INFINITY;
    double high = Double.NEGATIVE_INFINITY;
    private boolean fixed;
    private int moves;

    void add(@Nullable Domain more) {
      double from = more == null ? Double.NEGATIVE_INFINITY : more.low();
      double to = more == null ? Double.POSITIVE_INFINITY : more.high();
      if (from < low) {
        low = !fixed ? from : ++moves > MOST_MOVES ? Double.NEGATIVE_INFINITY : thresholds.below(from);
      }
      if (to > high) {
        high = !fixed ? to : ++moves > MOST_MOVES ? Double.POSITIVE_INFINITY : thresholds.above(to);
      }
    }

    boolean isBounded() {
      return low != Double.NEGATIVE_INFINITY || high != Double.POSITIVE_INFINITY;
    }
  }

  /** Counts a place that was not seen before. */
  void added(Vertex.Place place) {
    Group group =
        groups.computeIfAbsent(
            control(place), _ -> new Group(place.snapshot.context(), place.facts));
    Context context = place.snapshot.context();
    for (int i = 0; i < group.differs.length; i++) {
      group.differs[i] |= !Canon.sameSlot(context.slot(i), group.base.slot(i));
    }
    note(group, place);
    group.places.add(place);
    group.factsDiffer |= !place.facts.equals(group.common);
    group.common = group.common.common(place.facts);
    // Where there is much to explore, less is kept apart.
    int most = total < 1_000 ? variants : total < 4_000 ? variants / 2 : variants / 4;
    total++;
    if (++group.count < most) {
      return;
    }
    boolean wider = false;
    for (int i = 0; i < group.differs.length; i++) {
      if (group.differs[i] && !group.blur[i]) {
        group.blur[i] = true;
        Hull hull = group.hulls[i];
        if (hull != null) {
          hull.fixed = true;
        }
        wider = true;
        blurred.add(context.layout().name(i));
      }
    }
    if (!wider && group.factsDiffer) {
      group.dropFacts = true;
    }
    group.count = 0;
  }

  /** Follows the interval of each field that has only been a whole number so far. */
  private void note(Group group, Vertex.Place place) {
    Context context = place.snapshot.context();
    for (int i = 0; i < group.differs.length; i++) {
      Hull hull = group.hulls[i];
      if (group.count == 0 && hull == null && context.slot(i) instanceof Long) {
        hull = new Hull();
        group.hulls[i] = hull;
      }
      if (hull != null && !group.blur[i]) {
        Term field = canon.field(context.layout().name(i));
        hull.add(range(context.slot(i), place.facts.about(field)));
      }
    }
  }

  private static Control control(Vertex.Place place) {
    return new Control(
        place.snapshot.configuration(),
        place.snapshot.memory(),
        place.pending,
        place.snapshot.done());
  }

  private static boolean any(boolean[] flags) {
    for (boolean flag : flags) {
      if (flag) {
        return true;
      }
    }
    return false;
  }
}
