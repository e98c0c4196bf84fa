package dev.signalbox.kernel;

import dev.signalbox.kernel.machine.Fact;
import dev.signalbox.kernel.machine.Invariant;
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

  /** The individual of facts that have no key. */
  private static final String ALL = "";

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
    for (String key : moment.keys(before.first())) {
      set(run, key, 1);
    }
    for (String key : moment.keys(before.reaching())) {
      boolean seen = count(run, key) > 0 || (before.first().key() == null && count(run, ALL) > 0);
      if (!seen) {
        violated(
            run, "%s came before %s".formatted(before.reaching().text(), before.first().text()));
      }
    }
  }

  private void observe(Invariant.LeadsTo leads, Moment moment, Run run) {
    for (String key : moment.keys(leads.trigger())) {
      set(run, key, 1);
      if (leads.within() != null) {
        run.timers.startResponse(leads, leads.within().toMillis());
      }
    }
    for (Fact response : leads.responses()) {
      for (String key : moment.keys(response)) {
        if (key.equals(ALL)) {
          run.setMonitor(invariant.name(), null);
        } else {
          set(run, key, 0);
        }
      }
    }
    if (leads.within() != null && run.monitor(invariant.name()) == null) {
      run.timers.stopResponse(invariant.name());
    }
  }

  private void observe(Invariant.Times times, Moment moment, Run run) {
    for (String key : moment.keys(times.fact())) {
      long count = count(run, key) + 1;
      set(run, key, count);
      if (count > times.max()) {
        violated(run, "%s happened %d times".formatted(times.fact().text(), count));
      }
    }
  }

  private void observe(Invariant.OneAtATime one, Moment moment, Run run) {
    for (String key : moment.keys(one.closes())) {
      set(run, key, 0);
    }
    for (String key : moment.keys(one.opens())) {
      if (count(run, key) > 0) {
        violated(
            run, "%s happened again before %s".formatted(one.opens().text(), one.closes().text()));
      }
      set(run, key, 1);
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
      List<@Nullable Object> held = new ArrayList<>();
      if (value != Context.ABSENT) {
        held.add(value);
      }
      run.setMonitor(invariant.name(), Collections.unmodifiableList(held));
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

  private long count(Run run, String key) {
    return switch (run.monitor(invariant.name())) {
      case Long count when key.equals(ALL) -> count;
      case Map<?, ?> map when map.get(key) instanceof Long count -> count;
      case null, default -> 0;
    };
  }

  private void set(Run run, String key, long count) {
    Object state = run.monitor(invariant.name());
    if (key.equals(ALL)) {
      if (count == 0) {
        run.setMonitor(invariant.name(), null);
      } else {
        run.setMonitor(invariant.name(), count);
      }
      return;
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

  /** What one microstep showed. */
  record Moment(
      @Nullable String event,
      List<String> exited,
      List<String> entered,
      List<Step.Emitted> records) {

    boolean shows(Fact fact) {
      return !keys(fact).isEmpty();
    }

    /** For each time the fact happened, its individual; facts without a key have one name. */
    List<String> keys(Fact fact) {
      boolean happened =
          switch (fact) {
            case Fact.Enters(String state) -> entered.contains(state);
            case Fact.Moves(String from, String to) ->
                exited.contains(from) && entered.contains(to);
            case Fact.Receives(String descriptor) ->
                event != null && Move.matches(Move.strip(descriptor), event);
            case Fact.Emits _ -> false;
          };
      if (happened) {
        return List.of(ALL);
      }
      if (!(fact instanceof Fact.Emits(String kind, String key)) || records.isEmpty()) {
        return List.of();
      }
      List<String> keys = new ArrayList<>();
      for (Step.Emitted record : records) {
        if (record.kind().equals(kind)) {
          Object individual =
              key != null && record.data() instanceof Map<?, ?> map ? map.get(key) : ALL;
          keys.add(String.valueOf(individual));
        }
      }
      return keys;
    }
  }
}
