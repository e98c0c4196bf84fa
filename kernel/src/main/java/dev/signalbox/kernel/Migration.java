package dev.signalbox.kernel;

import dev.signalbox.kernel.machine.Invariant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Takes an instance from one machine to another, usually to another version of its own. It is a
 * step in which no transition is taken and no action runs; what can't be taken along without one is
 * refused as {@link Rejection.Code#STRANDED}.
 *
 * <ul>
 *   <li>Each innermost active state becomes the state it is mapped to, or the one of its own name;
 *       the states around it are those of the new machine.
 *   <li>Context fields keep their values by name; new ones get their declared value.
 *   <li>A deadline that the new state has too keeps its due time; others are cancelled, and what
 *       the new states have beyond that starts anew. Delayed sends stay.
 *   <li>History, late-bound data and children move with their states.
 *   <li>An invariant whose monitor means the same in both machines, under the map of states, goes
 *       on from where it was. Any other begins where the instance's own past puts it, which {@link
 *       Hindsight} finds out; and an instance that would stand where a fatal invariant lets nobody
 *       be is stranded.
 * </ul>
 *
 * <p>Migrations that were journaled without what hindsight found go by the older rule: an invariant
 * of the same name and kind goes on from where it was, any other begins anew.
 */
public final class Migration {
  /** The event that a migration is recorded as. */
  public static final String EVENT = "(migrate)";

  private final Chart from;
  private final Chart to;
  private final Snapshot before;
  private final Map<String, String> states;
  private final @Nullable Map<String, Object> hindsight;

  private Migration(
      Chart from,
      Chart to,
      Snapshot before,
      Map<String, String> states,
      @Nullable Map<String, Object> hindsight) {
    this.from = from;
    this.to = to;
    this.before = before;
    this.states = states;
    this.hindsight = hindsight;
  }

  /**
   * The instance in the other machine.
   *
   * @param states for states whose name does not stay, their new one
   * @param hindsight what {@link Hindsight#monitors} found; null for the older rule
   * @param now when deadlines that start anew begin
   */
  public static Answer migrate(
      Chart from,
      Chart to,
      Snapshot before,
      Map<String, String> states,
      @Nullable Map<String, Object> hindsight,
      Event event,
      long now) {
    if (before.done()) {
      return new Rejection(
          Rejection.Code.INSTANCE_FINAL,
          "Expected to take '%s' to another version, but it ended in %s."
              .formatted(before.instance(), String.join(", ", before.configuration().leaves())),
          List.of());
    }
    try {
      return new Migration(from, to, before, states, hindsight).step(event, now);
    } catch (Stranded stranded) {
      return stranded(before, to, stranded.getMessage());
    } catch (Run.Refused refused) {
      return stranded(before, to, "of this: " + refused.getMessage());
    }
  }

  private static Rejection stranded(Snapshot before, Chart to, @Nullable String why) {
    return new Rejection(
        Rejection.Code.STRANDED,
        "Expected to take '%s' to version %d of '%s', but it would be stranded: %s"
            .formatted(before.instance(), to.machine.version(), to.machine.name(), why),
        List.of());
  }

  /** Something of the instance has no place in the other machine. */
  private static final class Stranded extends RuntimeException {
    Stranded(String message) {
      super(message, null, false, false);
    }
  }

  private Step step(Event event, long now) {
    Configuration configuration = configuration();
    Snapshot.Memory memory = before.memory();
    Snapshot moved =
        new Snapshot(
            before.instance(),
            before.parent(),
            configuration,
            Context.empty(to.layout),
            false,
            new Snapshot.Memory(
                history(),
                memory.timers(),
                remaining(),
                children(configuration),
                monitors(),
                bound(),
                memory.ids(),
                null));
    Run run = new Run(to, moved, event, now);
    // What it has it may keep, however large.
    run.recorded = true;
    data(run, configuration);
    if (hindsight != null) {
      for (Monitor monitor : to.monitors) {
        monitor.freeze(run);
      }
    }
    timers(run, configuration);
    if (hindsight != null) {
      stand(run, configuration);
    }
    return run.step(event);
  }

  /** Whether the instance may be where it would be, as far as that is not asked at every rest. */
  private void stand(Run run, Configuration configuration) {
    List<String> left = new ArrayList<>();
    List<String> entered = new ArrayList<>();
    List<String> active = new ArrayList<>();
    for (Node node : to.nodes) {
      boolean was = before.configuration().contains(node.id);
      boolean is = configuration.contains(node.index);
      if (is) {
        active.add(node.id);
      }
      if (was != is) {
        (is ? entered : left).add(node.id);
      }
    }
    Monitor.Moment moved = new Monitor.Moment(null, left, entered, List.of());
    Monitor.Moment standing = new Monitor.Moment(null, List.of(), active, List.of());
    for (Monitor monitor : to.monitors) {
      monitor.permits(standing, moved, run);
    }
  }

  private String mapped(String state) {
    return states.getOrDefault(state, state);
  }

  private @Nullable Node node(String state) {
    int index = to.indexOf(state);
    return index < 0 ? null : to.nodes[index];
  }

  private Configuration configuration() {
    Set<String> leaves = new TreeSet<>();
    for (String leaf : before.configuration().leaves()) {
      leaves.add(leaf(leaf));
    }
    Configuration configuration = to.configurationOf(leaves);
    for (Node node : to.nodes) {
      if (configuration.contains(node.index)) {
        complete(node, configuration);
      }
    }
    return configuration;
  }

  private String leaf(String state) {
    String target = mapped(state);
    Node node = node(target);
    String which =
        target.equals(state) ? "'%s'".formatted(state) : "'%s', for '%s',".formatted(target, state);
    if (node == null || node.index == 0) {
      throw new Stranded("the new version has no state %s; map it.".formatted(which));
    }
    if (!node.isAtomic() || node.state.kind().isPoint()) {
      throw new Stranded(
          "%s has states inside or is none to stay in; map it to one of those.".formatted(which));
    }
    if (node.isFinal() && node.parent == to.root) {
      throw new Stranded("%s would be its end.".formatted(which));
    }
    return target;
  }

  /** Whether a state's children can be active as they are. */
  private void complete(Node node, Configuration configuration) {
    List<String> active = new ArrayList<>();
    for (Node child : node.children) {
      if (configuration.contains(child.index)) {
        active.add(child.id);
      } else if (node.isParallel() && !child.isHistory()) {
        throw new Stranded(
            "nothing says where it is in '%s', which is active with '%s'."
                .formatted(child.id, node.id));
      }
    }
    if (node.isCompound() && active.size() != 1) {
      throw new Stranded(
          "of the states %s only one can be active; map one of them to another.".formatted(active));
    }
  }

  private Map<String, List<String>> history() {
    Map<String, List<String>> kept = new LinkedHashMap<>();
    before
        .memory()
        .history()
        .forEach((id, remembered) -> {
          Node node = node(mapped(id));
          Node parent = node == null ? null : node.parent;
          List<String> there = remembered.stream().map(this::mapped).toList();
          if (node != null
              && parent != null
              && node.isHistory()
              && there.stream().allMatch(state -> isBelow(state, parent))) {
            kept.put(node.id, there);
          }
        });
    return kept.isEmpty() ? Map.of() : Collections.unmodifiableMap(kept);
  }

  private boolean isBelow(String state, Node ancestor) {
    Node node = node(state);
    return node != null && node.isBelow(ancestor);
  }

  private List<String> bound() {
    return before.memory().bound().stream()
        .map(this::mapped)
        .filter(state -> node(state) != null)
        .distinct()
        .toList();
  }

  private List<ChildChange.Invocation> children(Configuration configuration) {
    List<ChildChange.Invocation> kept = new ArrayList<>();
    for (ChildChange.Invocation child : before.memory().children()) {
      Node node = node(mapped(child.state()));
      if (node == null
          || !configuration.contains(node.index)
          || node.invokes.length <= child.number()) {
        throw new Stranded(
            "its child '%s' runs for state '%s', and nothing invokes it in the new version."
                .formatted(child.instance(), child.state()));
      }
      kept.add(new ChildChange.Invocation(child.id(), node.id, child.number(), child.instance()));
    }
    for (Node node : to.nodes) {
      if (configuration.contains(node.index) && node.invokes.length > invoked(node)) {
        throw new Stranded("nothing would start the child that '%s' invokes.".formatted(node.id));
      }
    }
    return List.copyOf(kept);
  }

  /** How many children the active states that become this one have invoked. */
  private int invoked(Node target) {
    int most = 0;
    for (Node node : from.nodes) {
      if (before.configuration().contains(node.index) && mapped(node.id).equals(target.id)) {
        most = Math.max(most, node.invokes.length);
      }
    }
    return most;
  }

  private Map<String, Object> monitors() {
    Map<String, Object> kept = new LinkedHashMap<>();
    Set<String> anew = hindsight == null ? Set.of() : new Hindsight(from, to, states).invariants();
    before
        .memory()
        .monitors()
        .forEach((name, state) -> {
          if (hindsight == null
              ? isOfSameKind(invariant(from, name), invariant(to, name))
              : invariant(to, name) != null && !anew.contains(name)) {
            kept.put(name, state);
          }
        });
    if (hindsight != null) {
      hindsight.forEach((name, state) -> {
        if (anew.contains(name)) {
          kept.put(name, state);
        }
      });
    }
    return kept.isEmpty() ? Map.of() : Collections.unmodifiableMap(kept);
  }

  static @Nullable Invariant invariant(Chart chart, String name) {
    for (Monitor monitor : chart.monitors) {
      if (monitor.invariant.name().equals(name)) {
        return monitor.invariant;
      }
    }
    return null;
  }

  private static boolean isOfSameKind(@Nullable Invariant old, @Nullable Invariant now) {
    if (old instanceof Invariant.Frozen one && now instanceof Invariant.Frozen other) {
      return one.field().equals(other.field());
    }
    return old != null && now != null && old.getClass() == now.getClass();
  }

  private void data(Run run, Configuration configuration) {
    for (int slot = 0; slot < to.layout.size(); slot++) {
      int old = from.layout.index(to.layout.name(slot));
      Object value = old < 0 ? Context.ABSENT : before.context().slot(old);
      if (value != Context.ABSENT) {
        keep(run, slot, value);
      }
    }
    for (Node.Slot slot : to.slots) {
      if (from.layout.index(to.layout.name(slot.index())) < 0) {
        Interpreter.bind(run, slot);
      }
    }
    for (Node node : to.nodes) {
      if (configuration.contains(node.index) && !node.late.isEmpty() && run.bindOnce(node)) {
        node.late.forEach(slot -> Interpreter.bind(run, slot));
      }
    }
  }

  private static void keep(Run run, int slot, @Nullable Object value) {
    try {
      run.assign(slot, value);
    } catch (EvaluationException e) {
      throw new Stranded(
          "its field '%s' does not fit. %s".formatted(run.chart.layout.name(slot), e.getMessage()));
    }
  }

  /** What was left of cumulative deadlines that are not running. */
  private Map<String, Long> remaining() {
    Map<String, Long> kept = new LinkedHashMap<>();
    for (Node node : from.nodes) {
      for (Node.Deadline deadline : node.deadlines) {
        Long left = before.memory().remaining().get(deadline.id());
        Node.Deadline now = left == null ? null : same(node, deadline);
        if (left != null && now != null) {
          kept.put(now.id(), left);
        }
      }
    }
    return kept.isEmpty() ? Map.of() : Collections.unmodifiableMap(kept);
  }

  /** The deadline of the new state that is the same as one of the old state, or null. */
  private Node.@Nullable Deadline same(Node old, Node.Deadline deadline) {
    Node node = node(mapped(old.id));
    if (node == null) {
      return null;
    }
    String id = "after:" + node.id + deadline.id().substring("after:".length() + old.id.length());
    for (Node.Deadline candidate : node.deadlines) {
      if (candidate.id().equals(id)
          && candidate.fixed() == deadline.fixed()
          && candidate.cumulative() == deadline.cumulative()) {
        return candidate;
      }
    }
    return null;
  }

  private void timers(Run run, Configuration configuration) {
    List<Timer> renamed = new ArrayList<>();
    for (Timer timer : before.memory().timers()) {
      String id = kept(timer, run, configuration);
      if (!timer.id().equals(id)) {
        run.timers.cancel(timer);
      }
      String state = timer.state();
      if (id != null && state != null && !timer.id().equals(id)) {
        renamed.add(new Timer(id, timer.sendId(), mapped(state), timer.due(), timer.message()));
      }
    }
    // One that fired without effect is not pending, and does not start again.
    Set<String> known = new HashSet<>();
    for (Node old : from.nodes) {
      if (before.configuration().contains(old.index)) {
        for (Node.Deadline deadline : old.deadlines) {
          Node.Deadline same = same(old, deadline);
          if (same != null) {
            known.add(same.id());
          }
        }
      }
    }
    for (Timer timer : renamed) {
      if (run.timers.pending().stream().noneMatch(t -> t.id().equals(timer.id()))) {
        run.timers.schedule(timer);
      }
    }
    for (Node node : to.nodes) {
      for (Node.Deadline deadline : node.deadlines) {
        if (configuration.contains(node.index) && !known.contains(deadline.id())) {
          run.timers.startDeadline(node, deadline);
        }
      }
    }
    for (Monitor monitor : to.monitors) {
      if (monitor.invariant instanceof Invariant.LeadsTo leads
          && leads.within() != null
          && run.monitor(leads.name()) != null) {
        run.timers.startResponse(leads, leads.within().toMillis());
      }
    }
  }

  /** The id under which the timer goes on, or null when it does not. */
  private @Nullable String kept(Timer timer, Run run, Configuration configuration) {
    String state = timer.state();
    if (state != null) {
      Node old = from.nodes[from.indexOf(state)];
      Node now = node(mapped(state));
      if (now == null || !configuration.contains(now.index)) {
        return null;
      }
      for (Node.Deadline deadline : old.deadlines) {
        Node.Deadline same = deadline.id().equals(timer.id()) ? same(old, deadline) : null;
        if (same != null) {
          return same.id();
        }
      }
      return null;
    }
    for (Monitor monitor : from.monitors) {
      String name = monitor.invariant.name();
      if (timer.id().equals(Monitor.timerId(name))) {
        return run.monitor(name) != null
                && invariant(to, name) instanceof Invariant.LeadsTo leads
                && leads.within() != null
            ? timer.id()
            : null;
      }
    }
    return timer.id();
  }
}
