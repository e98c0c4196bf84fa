package dev.signalbox.kernel;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The fast path of flat charts: charts whose states have no children.
 *
 * <p>Most moves of a flat chart change the state and nothing else. Their microsteps and the
 * configuration they lead to are the same every time, so they are made when the chart is compiled,
 * and a step is a look-up, a guard and two records. Every other move takes the ordinary way; tests
 * compare the two.
 */
final class FlatTables {
  private FlatTables() {}

  static void fill(Chart chart) {
    for (Node node : chart.nodes) {
      if (node != chart.root && (node.parent != chart.root || !node.isAtomic())) {
        return;
      }
    }
    for (Move move : chart.moves) {
      move.lean = lean(chart, move);
    }
    int events = chart.events.size();
    Move[][][] table = new Move[chart.nodes.length][][];
    for (Node node : chart.nodes) {
      Move[][] rows = new Move[events][];
      for (int id = 0; id < events; id++) {
        List<Move> row = new ArrayList<>(List.of(node.byEvent[id]));
        if (node != chart.root) {
          row.addAll(List.of(chart.root.byEvent[id]));
        }
        rows[id] = isFast(chart, row, id) ? row.toArray(new Move[0]) : Move.NONE;
      }
      table[node.index] = rows;
    }
    chart.flat = table;
  }

  /** Whether the first move is lean for exactly this event, and not for one it is a prefix of. */
  private static boolean isFast(Chart chart, List<Move> row, int id) {
    return !row.isEmpty()
        && row.getFirst().lean != null
        && chart.events.id(row.getFirst().descriptors[0]) == id;
  }

  /** The step, or null when this is not a move for the fast path. */
  static @Nullable Step step(Chart chart, Snapshot before, Event event, long now) {
    Move[][][] table = chart.flat;
    if (table.length == 0 || before.done() || event.invokeId() != null) {
      return null;
    }
    int id = chart.events.id(event.name());
    if (id < 0) {
      return null;
    }
    Move[] row = table[before.configuration().flatIndex()][id];
    if (row.length == 0) {
      return null;
    }
    Move move = row[0];
    Move.Lean lean = move.lean;
    if (lean == null || (lean.done() && !before.memory().timers().isEmpty())) {
      return null;
    }
    Expression condition = move.condition;
    if (condition != null) {
      Scope scope =
          new Scope(
              chart, before.instance(), before.configuration(), before.context(), event, now);
      try {
        if (!condition.test(scope)) {
          return null;
        }
      } catch (EvaluationException e) {
        return null;
      }
    }
    Snapshot after =
        new Snapshot(
            before.instance(),
            before.parent(),
            lean.after(),
            before.context(),
            lean.done(),
            before.memory());
    return new Step(
        event,
        after,
        lean.microsteps(),
        move.saidYes,
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        List.of());
  }

  private static Move.@Nullable Lean lean(Chart chart, Move move) {
    Node source = move.source;
    boolean simple =
        source != chart.root
            && move != source.initial
            && move.targets.length == 1
            && move.descriptors.length == 1
            && chart.events.id(move.descriptors[0]) >= 0
            && move.actions.length == 0
            && move.together.length == 0
            && isBare(source)
            && isBare(move.targets[0])
            && move.targets[0].eventless.length == 0
            && move.targets[0].done == null
            && chart.root.eventless.length == 0;
    if (!simple) {
      return null;
    }
    for (Monitor monitor : chart.monitors) {
      if (monitor.concerns(move)) {
        return null;
      }
    }
    Node target = move.targets[0];
    Microstep microstep =
        new Microstep(
            move.descriptors[0], List.of(move.edge), List.of(source.id), List.of(target.id));
    return new Move.Lean(
        chart.configurationOf(List.of(target.id)), target.isFinal(), List.of(microstep));
  }

  private static boolean isBare(Node node) {
    return node.entry.length == 0
        && node.exit.length == 0
        && node.deadlines.length == 0
        && node.invokes.length == 0
        && node.late.isEmpty();
  }
}
