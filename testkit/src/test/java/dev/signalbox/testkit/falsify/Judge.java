package dev.signalbox.testkit.falsify;

import dev.signalbox.kernel.machine.Fact;
import dev.signalbox.kernel.machine.Field;
import dev.signalbox.kernel.machine.Invariant;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.Type;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Judges the invariants of one instance over the entries of its journal, and knows nothing of the
 * kernel's monitors. An entry does not tell in which microstep a record was emitted; so where a
 * record is concerned the step is one moment, and the judge is milder than the monitors, never
 * stricter.
 */
final class Judge {
  static final String LATE = "the deadline passed without a response and without the target";

  private final Map<String, List<String>> around = new HashMap<>();
  private final List<Watch> watches = new ArrayList<>();
  private final Map<String, @Nullable Object> context = new LinkedHashMap<>();
  private final Map<String, String> broken = new LinkedHashMap<>();
  private final Set<String> entered = new TreeSet<>();
  private final Set<String> doubles = new HashSet<>();
  private Set<String> active = Set.of();

  Judge(Machine machine, Map<String, @Nullable Condition> conditions) {
    place(machine.root(), List.of());
    for (Field field : machine.context()) {
      if (field.type().kind() == Type.Kind.DOUBLE) {
        doubles.add(field.name());
      }
    }
    for (Invariant invariant : machine.invariants()) {
      watches.add(new Watch(invariant, conditions.get(invariant.name())));
    }
  }

  /** The conditions of the machine's invariants, by name. */
  static Map<String, @Nullable Condition> conditions(Machine machine) {
    Map<String, @Nullable Condition> conditions = new HashMap<>();
    for (Invariant invariant : machine.invariants()) {
      if (invariant instanceof Invariant.Always always) {
        conditions.put(invariant.name(), Condition.of(always.condition().text()));
      }
    }
    return conditions;
  }

  private void place(State state, List<String> above) {
    List<String> with = new ArrayList<>(above);
    with.add(state.id());
    around.put(state.id(), with);
    state.children().forEach(child -> place(child, with));
  }

  /** What was broken so far, and how. */
  Map<String, String> broken() {
    return broken;
  }

  /** Every state that was entered. */
  Set<String> entered() {
    return entered;
  }

  Set<String> active() {
    return active;
  }

  /** Whether the response of the invariant is owed. */
  boolean owes(String invariant) {
    return watches.stream().anyMatch(w -> w.name().equals(invariant) && !w.open.isEmpty());
  }

  /** Looks at the clock when everything that was due has happened. */
  void rests(long now) {
    for (Watch watch : watches) {
      if (watch.invariant instanceof Invariant.LeadsTo leads
          && leads.within() != null
          && !watch.open.isEmpty()
          && now >= watch.since + leads.within().toMillis()
          && !watch.taken) {
        breaks(watch, LATE);
      }
    }
  }

  /** What it remembers: runs that differ in nothing else go on alike. */
  String memory(long now) {
    StringBuilder text = new StringBuilder();
    for (Watch watch : watches) {
      text.append(watch.open).append(watch.counts).append(watch.held).append(watch.taken);
      if (watch.invariant instanceof Invariant.LeadsTo leads && leads.within() != null) {
        text.append(watch.open.isEmpty() ? 0 : now - watch.since);
      }
    }
    return text.toString();
  }

  /** Looks at one entry of the chain of steps. */
  void saw(Map<?, ?> entry) {
    if (entry.get("changes") instanceof Map<?, ?> changes) {
      changes.forEach((name, value) -> context.put((String) name, value((String) name, value)));
    }
    texts(entry.get("cleared")).forEach(context::remove);
    active = new TreeSet<>();
    texts(entry.get("states")).forEach(leaf -> active.addAll(around.getOrDefault(leaf, List.of())));
    List<Moment> moments = new ArrayList<>();
    if (entry.get("microsteps") instanceof List<?> microsteps) {
      for (Object microstep : microsteps) {
        if (microstep instanceof Map<?, ?> map) {
          moments.add(
              new Moment(
                  map.get("event") instanceof String event ? event : null,
                  texts(map.get("exited")),
                  texts(map.get("entered")),
                  List.of()));
        }
      }
    }
    moments.forEach(moment -> entered.addAll(moment.entered()));
    List<Map<?, ?>> records = new ArrayList<>();
    if (entry.get("records") instanceof List<?> list) {
      list.forEach(record -> records.add((Map<?, ?>) record));
    }
    boolean ended = Boolean.TRUE.equals(entry.get("ended"));
    boolean cancelled = "cancel".equals(entry.get("kind"));
    long at = entry.get("at") instanceof Long time ? time : 0;
    for (Watch watch : watches) {
      if (("within:" + watch.name()).equals(entry.get("cause"))) {
        // The deadline takes the place of the response.
        watch.open.clear();
      }
      watch.saw(moments, records, at);
      if (!cancelled) {
        watch.rest(ended);
      }
    }
  }

  /** In canonical JSON numbers beyond 2^53 are strings, and 1.0 is written as 1. */
  private @Nullable Object value(String field, @Nullable Object value) {
    if (value instanceof Long number && doubles.contains(field)) {
      return number.doubleValue();
    }
    return value instanceof String text && text.matches("-?\\d{16,19}")
        ? Long.valueOf(text)
        : value;
  }

  private static List<String> texts(@Nullable Object value) {
    List<String> texts = new ArrayList<>();
    if (value instanceof List<?> list) {
      list.forEach(text -> texts.add((String) text));
    }
    return texts;
  }

  private void breaks(Watch watch, String why) {
    broken.putIfAbsent(watch.name(), why);
  }

  /** What is seen at once. */
  private record Moment(
      @Nullable String event, List<String> exited, List<String> entered, List<Map<?, ?>> records) {

    /** The individuals for which the fact happened; one empty list element stands for all. */
    List<Individual> of(Fact fact) {
      List<Individual> found = new ArrayList<>();
      switch (fact) {
        case Fact.Enters(String state) -> add(entered.contains(state), found);
        case Fact.Moves(String from, String to) ->
            add(exited.contains(from) && entered.contains(to), found);
        case Fact.Receives(String descriptor) ->
            add(event != null && matches(descriptor, event), found);
        case Fact.Emits(String kind, String field) -> {
          for (Map<?, ?> record : records) {
            if (kind.equals(record.get("kind"))) {
              boolean keyed = field != null && record.get("data") instanceof Map<?, ?>;
              found.add(
                  keyed
                      ? new Individual("=" + ((Map<?, ?>) record.get("data")).get(field))
                      : Individual.ALL);
            }
          }
        }
      }
      return found;
    }

    private static void add(boolean happened, List<Individual> found) {
      if (happened) {
        found.add(Individual.ALL);
      }
    }
  }

  /** Whether the event is one that SCXML's descriptor names. */
  static boolean matches(String descriptor, String event) {
    for (String one : descriptor.split(" ")) {
      String core = one.endsWith(".*") ? one.substring(0, one.length() - 2) : one;
      core = core.endsWith(".") ? core.substring(0, core.length() - 1) : core;
      if (core.equals("*") || event.equals(core) || event.startsWith(core + ".")) {
        return true;
      }
    }
    return false;
  }

  /** Whom a fact is about. */
  private record Individual(String key) implements Comparable<Individual> {
    static final Individual ALL = new Individual("");

    @Override
    public int compareTo(Individual other) {
      return key.compareTo(other.key);
    }

    /** Never empty, so that a set with it differs from one without. */
    @Override
    public String toString() {
      return "(" + key + ")";
    }
  }

  /** What is remembered for one invariant. */
  private final class Watch {
    final Invariant invariant;
    final @Nullable Condition condition;
    final Set<Individual> open = new TreeSet<>();
    final Map<Individual, Integer> counts = new TreeMap<>();
    @Nullable List<@Nullable Object> held;
    long since;
    boolean taken;

    Watch(Invariant invariant, @Nullable Condition condition) {
      this.invariant = invariant;
      this.condition = condition;
    }

    String name() {
      return invariant.name();
    }

    void saw(List<Moment> moments, List<Map<?, ?>> records, long at) {
      List<Fact> facts = facts(invariant);
      if (facts.stream().noneMatch(Fact.Emits.class::isInstance)) {
        moments.forEach(moment -> saw(moment, at));
        return;
      }
      // The whole step is one moment for each of its microsteps' facts.
      List<String> exited = new ArrayList<>();
      List<String> enteredNow = new ArrayList<>();
      moments.forEach(moment -> exited.addAll(moment.exited()));
      moments.forEach(moment -> enteredNow.addAll(moment.entered()));
      List<String> events = moments.stream().map(Moment::event).filter(Objects::nonNull).toList();
      if (events.size() <= 1 && !(mixesMoves(facts) && moments.size() > 1)) {
        saw(
            new Moment(events.isEmpty() ? null : events.getFirst(), exited, enteredNow, records),
            at);
      } else {
        saw(new Moment(null, List.of(), enteredNow, records), at);
      }
    }

    private boolean mixesMoves(List<Fact> facts) {
      return facts.stream().anyMatch(Fact.Moves.class::isInstance);
    }

    private void saw(Moment moment, long at) {
      switch (invariant) {
        case Invariant.Never never -> {
          if (!moment.of(never.fact()).isEmpty()) {
            breaks(this, "it happened: " + never.fact().text());
          }
        }
        case Invariant.Apart _, Invariant.Always _ -> {}
        case Invariant.Before before -> {
          open.addAll(moment.of(before.first()));
          boolean comparable = before.first().key() == null || before.reaching().key() != null;
          for (Individual one : moment.of(before.reaching())) {
            boolean seen =
                open.contains(one)
                    || (before.first().key() == null && open.contains(Individual.ALL));
            if (comparable && !seen) {
              breaks(this, "%s came first".formatted(before.reaching().text()));
            }
          }
        }
        case Invariant.LeadsTo leads -> {
          for (Individual one : moment.of(leads.trigger())) {
            if (open.isEmpty()) {
              since = at;
              taken = false;
            }
            open.add(one);
          }
          for (Fact response : leads.responses()) {
            for (Individual one : moment.of(response)) {
              if (one.equals(Individual.ALL)) {
                open.clear();
              } else {
                open.remove(one);
              }
            }
          }
          String target = leads.target();
          taken |= target != null && moment.entered().contains(target);
        }
        case Invariant.Times times -> {
          for (Individual one : moment.of(times.fact())) {
            if (counts.merge(one, 1, Integer::sum) > times.max()) {
              breaks(this, "%s happened %d times".formatted(times.fact().text(), counts.get(one)));
            }
          }
        }
        case Invariant.OneAtATime one -> {
          open.removeAll(moment.of(one.closes()));
          for (Individual opened : moment.of(one.opens())) {
            boolean closing = !moment.of(one.closes()).isEmpty();
            if (!open.add(opened) && !closing) {
              breaks(this, one.opens().text() + " happened again");
            }
          }
        }
        case Invariant.Frozen frozen -> taken |= moment.entered().contains(frozen.after());
      }
    }

    void rest(boolean ended) {
      switch (invariant) {
        case Invariant.Apart apart -> {
          if (active.containsAll(apart.states())) {
            breaks(this, "active together: " + apart.states());
          }
        }
        case Invariant.Always always -> {
          boolean asked = always.in() == null || active.contains(always.in());
          if (asked && condition != null && !condition.holds(context)) {
            breaks(this, "not so: %s with %s".formatted(always.condition().text(), context));
          }
        }
        case Invariant.Times times -> {
          if (ended && times.min() > 0 && times.fact().key() == null) {
            int count = counts.getOrDefault(Individual.ALL, 0);
            if (count < times.min()) {
              breaks(this, "%s happened %d times in all".formatted(times.fact().text(), count));
            }
          }
        }
        case Invariant.LeadsTo _ -> {
          if (ended && !open.isEmpty()) {
            breaks(this, "the instance ended before the response");
          }
        }
        case Invariant.Frozen frozen -> {
          List<@Nullable Object> before = held;
          if (before != null && !Objects.equals(before.getFirst(), context.get(frozen.field()))) {
            breaks(this, "%s changed after %s".formatted(frozen.field(), frozen.after()));
          }
          if (before == null && taken) {
            List<@Nullable Object> value = new ArrayList<>();
            value.add(context.get(frozen.field()));
            held = value;
          }
        }
        case Invariant.Never _, Invariant.Before _, Invariant.OneAtATime _ -> {}
      }
    }
  }

  private static List<Fact> facts(Invariant invariant) {
    return switch (invariant) {
      case Invariant.Never never -> List.of(never.fact());
      case Invariant.Before before -> List.of(before.reaching(), before.first());
      case Invariant.LeadsTo leads -> {
        Set<Fact> facts = new LinkedHashSet<>(leads.responses());
        facts.add(leads.trigger());
        yield List.copyOf(facts);
      }
      case Invariant.Times times -> List.of(times.fact());
      case Invariant.OneAtATime one -> List.of(one.opens(), one.closes());
      case Invariant.Apart _, Invariant.Always _, Invariant.Frozen _ -> List.of();
    };
  }
}
