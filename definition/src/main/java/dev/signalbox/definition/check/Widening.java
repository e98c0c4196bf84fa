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
 * many different contexts, fields that differ become unknown there, first those that an event sets
 * to whatever it brings, then all. Of numbers it stays known between which bounds they lie, and the
 * sums of them that conditions depend on. What is explored is then more than the machine can do,
 * never less.
 */
final class Widening {
  /** How often the bounds of an interval move before they are given up. */
  private static final int MOST_MOVES = 4;

  /** So many abstract states, and steps between them, are explored before anything is widened. */
  private static final int EXACT = 500;

  private static final int EXACT_STEPS = 8_000;

  private final int variants;
  private final boolean adapts;
  private final Canon canon;
  private final Thresholds thresholds;
  private final Fields fields;
  private final Map<Control, Group> groups = new HashMap<>();
  private final Set<String> blurred = new LinkedHashSet<>();
  private int total;

  Widening(CheckOptions options, Canon canon, Thresholds thresholds, Fields fields) {
    this.variants = options.variants();
    this.adapts = options.adapts();
    this.canon = canon;
    this.thresholds = thresholds;
    this.fields = fields;
  }

  /** The fields that became unknown somewhere because they had too many values. */
  Set<String> blurred() {
    return blurred;
  }

  private record Control(
      Configuration configuration, Snapshot.Memory memory, Pending pending, boolean done) {}

  private final class Group {
    final Context base;
    final List<Vertex.Place> places = new ArrayList<>();
    final boolean[] differs;
    final boolean[] blur;
    final @Nullable Hull[] hulls;
    final Map<Term, Hull> sums = new LinkedHashMap<>();
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
      fields.sums().forEach(sum -> sums.put(sum, new Hull()));
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
      if (!group.blur[i]) {
        continue;
      }
      Term field = canon.field(context.layout().name(i));
      Hull hull = group.hulls[i];
      if (hull != null) {
        hull.add(range(context.slot(i), place.facts.about(field)));
        hull.put(field, facts);
      } else if (fields.isGiven(context.layout().name(i))) {
        facts.remove(field);
      }
    }
    group.sums.forEach((sum, hull) -> {
      if (sum.fields().stream().anyMatch(f -> isBlurred(group, f))) {
        hull.fixed = true;
        hull.add(Knowledge.summed(sum, context, place.facts));
        hull.put(sum, facts);
      }
    });
    Snapshot snapshot = canon.blur(place.snapshot, group.blur);
    return new Vertex.Place(snapshot, Facts.of(facts), place.pending);
  }

  private static boolean isBlurred(Group group, String field) {
    int slot = group.base.layout().index(field);
    return slot >= 0 && group.blur[slot];
  }

  /** The numbers a field can be; null when it need not be a whole number. */
  private static @Nullable Domain range(@Nullable Object value, @Nullable Domain fact) {
    if (value instanceof Long n) {
      return Domain.between(n, n);
    }
    return fact != null && fact.isWhole() ? fact : null;
  }

  /**
   * The interval of a number that has become unknown. A bound that does not hold moves at once to
   * the next of the machine's own thresholds, so that the interval stops growing soon.
   */
  private final class Hull {
    long least = Long.MAX_VALUE;
    long most = Long.MIN_VALUE;
    private boolean fixed;
    private int moves;

    void add(@Nullable Domain more) {
      long from = more == null ? Long.MIN_VALUE : more.least();
      long to = more == null ? Long.MAX_VALUE : more.most();
      if (from < least) {
        least = !fixed ? from : ++moves > MOST_MOVES ? Long.MIN_VALUE : thresholds.below(from);
      }
      if (to > most) {
        most = !fixed ? to : ++moves > MOST_MOVES ? Long.MAX_VALUE : thresholds.above(to);
      }
    }

    /** Makes the interval what is known about the term. */
    void put(Term term, Map<Term, Domain> facts) {
      if (least != Long.MIN_VALUE || most != Long.MAX_VALUE) {
        facts.put(term, Domain.between(least, most));
      } else {
        facts.remove(term);
      }
    }
  }

  /**
   * Counts a place that was not seen before.
   *
   * @param steps how many were taken so far
   */
  void added(Vertex.Place place, long steps) {
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
    // Up to so many everything is kept exactly; then, where there is much, less is kept apart.
    total++;
    group.count++;
    if (total < EXACT && steps < EXACT_STEPS) {
      return;
    }
    int most = !adapts || total < 1_000 ? variants : total < 4_000 ? variants / 2 : variants / 4;
    if (adapts && group.count >= Math.max(1, most / 8) && blur(group, context, true)) {
      group.count = 0;
      return;
    }
    if (group.count < most) {
      return;
    }
    boolean wider = blur(group, context, true) || blur(group, context, false);
    if (!wider && group.factsDiffer) {
      group.dropFacts = true;
    }
    group.count = 0;
  }

  /** Makes fields unknown that have had several values; answers whether there was one. */
  private boolean blur(Group group, Context context, boolean givenOnly) {
    boolean wider = false;
    for (int i = 0; i < group.differs.length; i++) {
      boolean meant = !givenOnly || fields.isGiven(context.layout().name(i));
      if (group.differs[i] && !group.blur[i] && meant) {
        group.blur[i] = true;
        Hull hull = group.hulls[i];
        if (hull != null) {
          hull.fixed = true;
        }
        wider = true;
        blurred.add(context.layout().name(i));
      }
    }
    return wider;
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
    group.sums.forEach((sum, hull) -> {
      if (!hull.fixed) {
        hull.add(Knowledge.summed(sum, context, place.facts));
      }
    });
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
