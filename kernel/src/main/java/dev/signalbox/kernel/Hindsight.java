package dev.signalbox.kernel;

import dev.signalbox.kernel.machine.Fact;
import dev.signalbox.kernel.machine.Invariant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The monitors that an instance gets in another machine and that mean something else there, or are
 * new: they are shown the instance's past, so that a gate of the new machine is open only for what
 * really happened. What the past broke is not asked; only where the monitors stand at its end.
 *
 * <p>Within one entry the order of records and microsteps is not known. The order is taken that
 * leaves more to be done: what answers came first, what asks for an answer came last.
 */
public final class Hindsight {
  private final Chart from;
  private final Map<String, String> states;
  private final Run run;
  private final List<Monitor> monitors = new ArrayList<>();
  private final Set<String> invariants = new LinkedHashSet<>();

  public Hindsight(Chart from, Chart to, Map<String, String> states) {
    this.from = from;
    this.states = states;
    this.run = new Run(to, "", null, 0);
    run.past = true;
    run.recorded = true;
    for (Monitor monitor : to.monitors) {
      Invariant now = monitor.invariant;
      if (hasMemory(now) && !isSame(Migration.invariant(from, now.name()), now)) {
        monitors.add(monitor);
        invariants.add(now.name());
      }
    }
  }

  /** The invariants that have to be shown the past. */
  public Set<String> invariants() {
    return Collections.unmodifiableSet(invariants);
  }

  /** Those of them that are closed for who shows them nothing. */
  public boolean isClosedWithout(String invariant) {
    return Migration.invariant(run.chart, invariant) instanceof Invariant.Before;
  }

  /**
   * Shows one entry of the past, with the states named as the new machine does.
   *
   * @param timer that caused it, or null
   * @return false when there is too much to be remembered
   */
  public boolean show(
      @Nullable String timer, List<Microstep> microsteps, List<Step.Emitted> records) {
    try {
      for (Monitor monitor : monitors) {
        String name = monitor.invariant.name();
        if (Monitor.timerId(name).equals(timer)) {
          // The target of a response's deadline is the response.
          run.setMonitor(name, null);
        }
        show(monitor, microsteps, records);
      }
      return true;
    } catch (Run.Refused e) {
      return false;
    }
  }

  private void show(Monitor monitor, List<Microstep> microsteps, List<Step.Emitted> records) {
    for (Step.Emitted record : records) {
      monitor.observe(new Monitor.Moment(null, List.of(), List.of(), List.of(record)), run);
    }
    for (Microstep microstep : microsteps) {
      monitor.observe(
          new Monitor.Moment(microstep.event(), microstep.exited(), microstep.entered(), List.of()),
          run);
    }
    if (monitor.invariant instanceof Invariant.LeadsTo leads
        && leads.trigger() instanceof Fact.Emits(String kind, String _)
        && leads.responses().stream().anyMatch(fact -> !(fact instanceof Fact.Emits))) {
      again(monitor, kind, records);
    }
    if (monitor.invariant instanceof Invariant.OneAtATime one
        && one.opens() instanceof Fact.Emits(String kind, String _)
        && !(one.closes() instanceof Fact.Emits)) {
      again(monitor, kind, records);
    }
  }

  private void again(Monitor monitor, String kind, List<Step.Emitted> records) {
    List<Step.Emitted> asking = records.stream().filter(r -> r.kind().equals(kind)).toList();
    if (!asking.isEmpty()) {
      monitor.observe(new Monitor.Moment(null, List.of(), List.of(), asking), run);
    }
  }

  /**
   * Where the monitors stand that are not at their beginning. A field that is frozen is told by
   * {@code true}: it stays what it is at the migration.
   */
  public Map<String, Object> monitors() {
    Map<String, Object> found = new LinkedHashMap<>();
    for (Monitor monitor : monitors) {
      String name = monitor.invariant.name();
      Object state = run.monitor(name);
      if (state != null) {
        found.put(name, monitor.invariant instanceof Invariant.Frozen ? (Object) true : state);
      }
    }
    return Collections.unmodifiableMap(found);
  }

  private static boolean hasMemory(Invariant invariant) {
    return switch (invariant) {
      case Invariant.Never _, Invariant.Apart _, Invariant.Always _ -> false;
      case Invariant.Before _,
          Invariant.LeadsTo _,
          Invariant.Times _,
          Invariant.OneAtATime _,
          Invariant.Frozen _ ->
          true;
    };
  }

  /**
   * Whether what the old monitor remembers is what the new one would. Only the facts count that it
   * remembers: how often something may happen, or what may come only after it, can change.
   */
  private boolean isSame(@Nullable Invariant old, Invariant now) {
    return switch (now) {
      case Invariant.Never _, Invariant.Apart _, Invariant.Always _ -> true;
      case Invariant.Before after ->
          old instanceof Invariant.Before before && isSame(before.first(), after.first());
      case Invariant.LeadsTo after ->
          old instanceof Invariant.LeadsTo before
              && isSame(before.trigger(), after.trigger())
              && isSame(before.responses(), after.responses());
      case Invariant.Times after ->
          old instanceof Invariant.Times before && isSame(before.fact(), after.fact());
      case Invariant.OneAtATime after ->
          old instanceof Invariant.OneAtATime before
              && isSame(before.opens(), after.opens())
              && isSame(before.closes(), after.closes());
      case Invariant.Frozen after ->
          old instanceof Invariant.Frozen before
              && before.field().equals(after.field())
              && isSame(before.after(), after.after());
    };
  }

  private boolean isSame(List<Fact> old, List<Fact> now) {
    Set<Fact> left = new HashSet<>(now);
    for (Fact fact : old) {
      if (now.stream().noneMatch(other -> isSame(fact, other))) {
        return false;
      }
      left.removeIf(other -> isSame(fact, other));
    }
    return left.isEmpty();
  }

  private boolean isSame(Fact old, Fact now) {
    return switch (old) {
      case Fact.Enters(String state) ->
          now instanceof Fact.Enters(String other) && isSame(state, other);
      case Fact.Moves(String left, String entered) ->
          now instanceof Fact.Moves(String otherLeft, String otherEntered)
              && isSame(left, otherLeft)
              && isSame(entered, otherEntered);
      case Fact.Receives _, Fact.Emits _ -> old.equals(now);
    };
  }

  /** Whether the old state, and no other, becomes the new one. */
  private boolean isSame(String old, String now) {
    int become = 0;
    for (Node node : from.nodes) {
      if (states.getOrDefault(node.id, node.id).equals(now)) {
        become++;
      }
    }
    return become == 1 && states.getOrDefault(old, old).equals(now);
  }
}
