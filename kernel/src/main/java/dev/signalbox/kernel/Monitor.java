package dev.signalbox.kernel;

import dev.signalbox.kernel.machine.Fact;
import dev.signalbox.kernel.machine.Invariant;
import dev.signalbox.kernel.machine.Trigger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Watches one invariant. Its state is a small JSON value in the snapshot: for facts without a key,
 * a number; for facts with one, a number for each individual. Facts of one microstep are one
 * moment: what must come first, or respond, may come in the same microstep.
 */
final class Monitor {
  /** More individuals than this cannot be told apart. */
  private static final int MOST_KEYS = 10_000;

  /** A longer key is no name of an individual; all of them are kept. */
  private static final int LONGEST_KEY = 1_000;

  /** The individual of facts that have no key. */
  private static final Individual ALL = new Individual(null);

  final Invariant invariant;
  private final @Nullable Expression condition;
  private final int slot;

  private Monitor(Invariant invariant, @Nullable Expression condition, int slot) {
    this.invariant = invariant;
    this.condition = condition;
    this.slot = slot;
  }

  static Monitor of(Invariant invariant, ActionCompiler code, Context.Layout layout) {
    return switch (invariant) {
      case Invariant.Always always ->
          new Monitor(invariant, code.condition(always.condition(), List.of()), -1);
      case Invariant.Frozen frozen -> {
        int slot = layout.index(frozen.field());
        if (slot < 0) {
          throw new IllegalArgumentException(
              "Expected invariant '%s' to freeze a context field, but '%s' is none."
                  .formatted(frozen.name(), frozen.field()));
        }
        yield new Monitor(invariant, null, slot);
      }
      default -> new Monitor(invariant, null, -1);
    };
  }

  static String timerId(String invariant) {
    return "within:" + invariant;
  }

  /**
   * Whether a microstep that changes nothing but the active states can matter to this monitor.
   *
   * @param done whether the instance ends with it
   */
  boolean concerns(Moment moment, boolean done) {
    return switch (invariant) {
      case Invariant.Never never -> moment.shows(never.fact());
      case Invariant.Apart _, Invariant.Always _ -> true;
      case Invariant.Frozen frozen -> moment.entered().contains(frozen.after());
      case Invariant.Before before ->
          moment.shows(before.reaching()) || moment.shows(before.first());
      case Invariant.LeadsTo leads ->
          done
              || moment.shows(leads.trigger())
              || leads.responses().stream().anyMatch(moment::shows);
      case Invariant.Times times -> moment.shows(times.fact()) || (done && times.min() > 0);
      case Invariant.OneAtATime one -> moment.shows(one.opens()) || moment.shows(one.closes());
    };
  }

  /** Looks at one microstep. */
  void observe(Moment moment, Run run) {
    switch (invariant) {
      case Invariant.Never never -> {
        if (moment.shows(never.fact())) {
          violated(run, "it happened: " + never.fact().text());
        }
      }
      case Invariant.Apart _, Invariant.Always _ -> {}
      case Invariant.Before before -> observe(before, moment, run);
      case Invariant.LeadsTo leads -> observe(leads, moment, run);
      case Invariant.Times times -> observe(times, moment, run);
      case Invariant.OneAtATime one -> observe(one, moment, run);
      case Invariant.Frozen frozen -> observe(frozen, moment, run);
    }
  }

  private void observe(Invariant.Before before, Moment moment, Run run) {
    for (Individual one : moment.individuals(before.first())) {
      set(run, one, 1);
    }
    reach(before, moment, run);
  }

  private void reach(Invariant.Before before, Moment moment, Run run) {
    for (Individual one : moment.individuals(before.reaching())) {
      boolean seen = count(run, one) > 0 || (before.first().key() == null && count(run, ALL) > 0);
      if (!seen) {
        violated(
            run, "%s came before %s".formatted(before.reaching().text(), before.first().text()));
      }
    }
  }

  private void observe(Invariant.LeadsTo leads, Moment moment, Run run) {
    for (Individual one : moment.individuals(leads.trigger())) {
      set(run, one, 1);
      if (leads.within() != null) {
        run.timers.startResponse(leads, leads.within().toMillis());
      }
    }
    for (Fact response : leads.responses()) {
      for (Individual one : moment.individuals(response)) {
        if (one.equals(ALL)) {
          run.setMonitor(invariant.name(), null);
        } else {
          set(run, one, 0);
        }
      }
    }
    if (leads.within() != null && run.monitor(invariant.name()) == null) {
      run.timers.stopResponse(invariant.name());
    }
  }

  private void observe(Invariant.Times times, Moment moment, Run run) {
    for (Individual one : moment.individuals(times.fact())) {
      long count = count(run, one) + 1;
      set(run, one, count);
      if (count > times.max()) {
        violated(run, "%s happened %d times".formatted(times.fact().text(), count));
      }
    }
  }

  private void observe(Invariant.OneAtATime one, Moment moment, Run run) {
    for (Individual individual : moment.individuals(one.closes())) {
      set(run, individual, 0);
    }
    for (Individual individual : moment.individuals(one.opens())) {
      if (count(run, individual) > 0) {
        violated(
            run, "%s happened again before %s".formatted(one.opens().text(), one.closes().text()));
      }
      set(run, individual, 1);
    }
  }

  private void observe(Invariant.Frozen frozen, Moment moment, Run run) {
    Object value = run.context().slot(slot);
    if (run.monitor(invariant.name()) instanceof List<?> held) {
      Object kept = held.isEmpty() ? Context.ABSENT : held.getFirst();
      if (!Objects.equals(kept, value)) {
        violated(run, "%s changed after %s".formatted(frozen.field(), frozen.after()));
      }
    } else if (moment.entered().contains(frozen.after())) {
      hold(run);
    }
  }

  private void hold(Run run) {
    Object value = run.context().slot(slot);
    List<@Nullable Object> held = new ArrayList<>();
    if (value != Context.ABSENT) {
      held.add(value);
    }
    run.setMonitor(invariant.name(), Collections.unmodifiableList(held));
  }

  /**
   * Whether an instance may be where a migration puts it. It counts for nothing there: who is put
   * into a state has not earned what reaching it means.
   *
   * @param standing shows the states it would be in as entered
   * @param moved shows what the migration itself leaves and enters
   */
  void permits(Moment standing, Moment moved, Run run) {
    switch (invariant) {
      case Invariant.Never never -> {
        if ((never.fact() instanceof Fact.Moves ? moved : standing).shows(never.fact())) {
          violated(run, "it happened: " + never.fact().text());
        }
      }
      case Invariant.Before before ->
          reach(before, before.reaching() instanceof Fact.Moves ? moved : standing, run);
      case Invariant.Apart _,
          Invariant.Always _,
          Invariant.LeadsTo _,
          Invariant.Times _,
          Invariant.OneAtATime _,
          Invariant.Frozen _ -> {}
    }
  }

  /** Holds the field's present value where hindsight says that it is frozen, but not at what. */
  void freeze(Run run) {
    if (invariant instanceof Invariant.Frozen && run.monitor(invariant.name()) instanceof Boolean) {
      hold(run);
    }
  }

  /** Looks at the machine at rest. */
  void rest(Run run) {
    switch (invariant) {
      case Invariant.Apart apart -> {
        if (apart.states().stream().allMatch(run::isActive)) {
          violated(run, "active together: " + String.join(", ", apart.states()));
        }
      }
      case Invariant.Always always -> {
        if (condition != null && (always.in() == null || run.isActive(always.in()))) {
          Scope scope = run.scope();
          try {
            if (!condition.test(scope)) {
              violated(run, condition.explain(scope));
            }
          } catch (EvaluationException e) {
            violated(run, e.getMessage());
          }
        }
      }
      case Invariant.Times times -> {
        if (run.isDone() && times.min() > 0) {
          long least = leastCount(run);
          if (least < times.min()) {
            violated(run, "%s happened %d times in all".formatted(times.fact().text(), least));
          }
        }
      }
      case Invariant.LeadsTo leads -> {
        if (run.isDone() && run.monitor(invariant.name()) != null) {
          violated(run, "the instance ended after %s".formatted(leads.trigger().text()));
        }
      }
      case Invariant.Never _, Invariant.Before _, Invariant.OneAtATime _, Invariant.Frozen _ -> {}
    }
  }

  private long leastCount(Run run) {
    return run.monitor(invariant.name()) instanceof Map<?, ?> map && !map.isEmpty()
        ? map.values().stream().mapToLong(v -> (Long) v).min().orElse(0)
        : count(run, ALL);
  }

  private void violated(Run run, @Nullable String what) {
    run.violated(invariant, "%s: %s".formatted(invariant.name(), what));
  }

  private long count(Run run, Individual one) {
    String key = one.key();
    return switch (run.monitor(invariant.name())) {
      case Long count when key == null -> count;
      case Map<?, ?> map when key != null && map.get(key) instanceof Long count -> count;
      case null, default -> 0;
    };
  }

  private void set(Run run, Individual one, long count) {
    Object state = run.monitor(invariant.name());
    String key = one.key();
    if (key == null) {
      if (count == 0) {
        run.setMonitor(invariant.name(), null);
      } else {
        run.setMonitor(invariant.name(), count);
      }
      return;
    }
    if (!run.recorded && key.length() > LONGEST_KEY) {
      throw new LimitException("%,d characters in one key".formatted(LONGEST_KEY));
    }
    Map<String, Object> map = new LinkedHashMap<>();
    if (state instanceof Map<?, ?> known) {
      known.forEach((k, v) -> map.put((String) k, v));
    }
    if (count == 0) {
      map.remove(key);
    } else {
      map.put(key, count);
    }
    if (map.size() > MOST_KEYS) {
      throw run.limit("%d individuals of invariant '%s'".formatted(MOST_KEYS, invariant.name()));
    }
    if (map.isEmpty()) {
      run.setMonitor(invariant.name(), null);
    } else {
      run.setMonitor(invariant.name(), Collections.unmodifiableMap(map));
    }
  }

  /** Whether a record has no key by which the invariant could tell it from others. */
  boolean meetsEmptyKey(List<Step.Emitted> records) {
    for (Fact fact : keyed()) {
      if (fact instanceof Fact.Emits(String kind, String key) && key != null) {
        for (Step.Emitted record : records) {
          if (record.kind().equals(kind) && isEmpty(record, key)) {
            return true;
          }
        }
      }
    }
    return false;
  }

  /** The facts of which the invariant counts individuals. */
  private List<Fact> keyed() {
    return switch (invariant) {
      case Invariant.Before before -> List.of(before.first(), before.reaching());
      case Invariant.LeadsTo leads -> {
        List<Fact> facts = new ArrayList<>(leads.responses());
        facts.add(leads.trigger());
        yield facts;
      }
      case Invariant.Times times -> List.of(times.fact());
      case Invariant.OneAtATime one -> List.of(one.opens(), one.closes());
      case Invariant.Never _, Invariant.Apart _, Invariant.Always _, Invariant.Frozen _ ->
          List.of();
    };
  }

  private static boolean isEmpty(Step.Emitted record, String key) {
    return !(record.data() instanceof Map<?, ?> map) || "".equals(map.get(key));
  }

  /**
   * Whom a fact is about.
   *
   * @param key null for all together
   */
  private record Individual(@Nullable String key) {}

  /** What one microstep showed. */
  record Moment(
      @Nullable String event,
      List<String> exited,
      List<String> entered,
      List<Step.Emitted> records,
      EmptyKeys keys) {

    Moment(
        @Nullable String event,
        List<String> exited,
        List<String> entered,
        List<Step.Emitted> records) {
      this(event, exited, entered, records, EmptyKeys.DISTINCT);
    }

    boolean shows(Fact fact) {
      return !individuals(fact).isEmpty();
    }

    /** For each time the fact happened, its individual; facts without a key have one for all. */
    private List<Individual> individuals(Fact fact) {
      boolean happened =
          switch (fact) {
            case Fact.Enters(String state) -> entered.contains(state);
            case Fact.Moves(String from, String to) ->
                exited.contains(from) && entered.contains(to);
            case Fact.Receives(String descriptor) ->
                event != null && Trigger.matches(Trigger.core(descriptor), event);
            case Fact.Emits _ -> false;
          };
      if (happened) {
        return List.of(ALL);
      }
      if (!(fact instanceof Fact.Emits(String kind, String key)) || records.isEmpty()) {
        return List.of();
      }
      List<Individual> individuals = new ArrayList<>();
      for (Step.Emitted record : records) {
        if (record.kind().equals(kind)) {
          individuals.add(key == null ? ALL : individual(record, key));
        }
      }
      return individuals;
    }

    private Individual individual(Step.Emitted record, String key) {
      if (keys == EmptyKeys.EMPTY_MEANS_ALL && isEmpty(record, key)) {
        return ALL;
      }
      Object value = record.data() instanceof Map<?, ?> map ? map.get(key) : null;
      return new Individual(String.valueOf(value));
    }
  }
}
