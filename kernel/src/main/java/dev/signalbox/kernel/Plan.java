package dev.signalbox.kernel;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The fast path: what a configuration does with an event, worked out once.
 *
 * <p>Most moves change the active states and nothing else. When exactly one move can answer an
 * event in a configuration, and no action, timer, child, history, eventless move or monitor has a
 * part in it, the step is the same every time but for the guard. It is then a look-up, the guard
 * and two records. Everything else takes the plain algorithm; tests compare the two.
 *
 * @param after the configuration it leads to
 * @param guards the answer of the guard when it says yes
 */
record Plan(
    @Nullable Expression condition,
    Configuration after,
    boolean done,
    List<Microstep> microsteps,
    List<GuardResult> guards) {

  /** The step, or null when this event in this snapshot is not one for the fast path. */
  static @Nullable Step step(Chart chart, Snapshot before, Event event, long now) {
    if (before.done() || event.invokeId() != null) {
      return null;
    }
    int id = chart.events.id(event.name());
    if (id < 0) {
      return null;
    }
    Plan plan = before.configuration().plan(id);
    if (plan == null) {
      return null;
    }
    Snapshot.Memory memory = before.memory();
    if (!memory.children().isEmpty() || (plan.done && !memory.timers().isEmpty())) {
      return null;
    }
    Expression condition = plan.condition;
    if (condition != null) {
      Scope scope =
          new Scope(chart, before.instance(), before.configuration(), before.context(), event, now);
      try {
        if (!condition.test(scope)) {
          return null;
        }
      } catch (EvaluationException | LimitException e) {
        return null;
      }
    }
    Snapshot after =
        new Snapshot(
            before.instance(), before.parent(), plan.after, before.context(), plan.done, memory);
    return new Step(
        event,
        after,
        plan.microsteps,
        plan.guards,
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        List.of());
  }

  /** The plan for the known event in the configuration, or null when there is none. */
  static @Nullable Plan of(Chart chart, Configuration configuration, int eventId, String event) {
    Move move = onlyMove(chart, configuration, eventId);
    if (move == null
        || move.isTargetless()
        || move.domain == null
        || move.actions.length > 0
        || move.together.length > 0) {
      return null;
    }
    long[] active = configuration.bits().clone();
    List<String> exited = new ArrayList<>();
    long[] below = move.domain.descendants;
    for (int i = chart.nodes.length - 1; i > 0; i--) {
      if (Bits.has(active, i) && Bits.has(below, i)) {
        if (!isBare(chart.nodes[i]) || chart.nodes[i].histories.length > 0) {
          return null;
        }
        exited.add(chart.nodes[i].id);
        Bits.remove(active, i);
      }
    }
    long[] toEnter = new Entry(chart, Map.of()).of(List.of(move)).states;
    List<String> entered = new ArrayList<>();
    boolean done = false;
    List<String> raised = new ArrayList<>();
    for (int i = Bits.next(toEnter, 0); i >= 0; i = Bits.next(toEnter, i + 1)) {
      Node node = chart.nodes[i];
      if (!isBare(node) || node.done != null || (node.isFinal() && chart.root.isParallel())) {
        return null;
      }
      entered.add(node.id);
      Bits.add(active, i);
      if (node.isFinal() && node.parent != null) {
        done |= node.parent == chart.root;
        raised.add("done.state." + node.parent.id);
        if (node.parent.parent != null) {
          raised.add("done.state." + node.parent.parent.id);
        }
      }
    }
    if (!isAtRest(chart, active, raised) || (done && hasExits(chart, active))) {
      return null;
    }
    Microstep microstep =
        new Microstep(event, List.of(move.edge), List.copyOf(exited), List.copyOf(entered));
    Monitor.Moment moment = new Monitor.Moment(event, exited, entered, List.of());
    for (Monitor monitor : chart.monitors) {
      if (monitor.concerns(moment, done)) {
        return null;
      }
    }
    return new Plan(
        move.condition, chart.configuration(active), done, List.of(microstep), move.saidYes);
  }

  /** The only move that any active leaf offers for the event; null when there are none or more. */
  private static @Nullable Move onlyMove(Chart chart, Configuration configuration, int eventId) {
    Move only = null;
    for (Node leaf : chart.nodes) {
      if (!leaf.isAtomic() || !configuration.contains(leaf.index)) {
        continue;
      }
      Move first = null;
      for (Node node = leaf; node != null && first == null; node = node.parent) {
        for (Move move : node.byEvent[eventId]) {
          if (first == null) {
            first = move;
          }
        }
      }
      if (first != null && only != null && first != only) {
        return null;
      }
      only = first == null ? only : first;
    }
    return only;
  }

  private static boolean isBare(Node node) {
    return node.entry.length == 0
        && node.exit.length == 0
        && node.deadlines.length == 0
        && node.invokes.length == 0
        && node.late.isEmpty()
        && (node.initial == null || node.initial.actions.length == 0);
  }

  /** Whether no active state has a move that needs no event or waits for one of the raised. */
  private static boolean isAtRest(Chart chart, long[] active, List<String> raised) {
    for (int i = Bits.next(active, 0); i >= 0; i = Bits.next(active, i + 1)) {
      for (Move move : chart.nodes[i].moves) {
        if (move.timer == null
            && (move.descriptors.length == 0 || raised.stream().anyMatch(move::matches))) {
          return false;
        }
      }
    }
    return true;
  }

  /** Whether ending would run something that only the plain algorithm runs. */
  private static boolean hasExits(Chart chart, long[] active) {
    for (int i = Bits.next(active, 1); i >= 0; i = Bits.next(active, i + 1)) {
      if (chart.nodes[i].exit.length > 0) {
        return true;
      }
    }
    return false;
  }
}
