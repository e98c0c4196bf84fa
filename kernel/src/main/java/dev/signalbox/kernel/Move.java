package dev.signalbox.kernel;

import dev.signalbox.kernel.machine.Guard;
import dev.signalbox.kernel.machine.Transition;
import dev.signalbox.kernel.machine.Trigger;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A transition in a chart's tables. Filled by {@link ChartCompiler}, then never changed. */
final class Move {
  static final Move[] NONE = {};
  static final Instruction[] NO_ACTIONS = {};

  /** The place among all moves of the chart, in document order. */
  final int order;

  final Node source;
  final Transition transition;
  final Edge edge;
  final @Nullable Guard guard;

  Node[] targets = {};
  @Nullable Expression condition;
  Instruction[] actions = NO_ACTIONS;

  /** The timer that triggers it; null when no timer does. */
  @Nullable String timer;

  /** The cores of the event descriptors; empty for eventless and timed moves. */
  String[] descriptors = {};

  /** States that must all be active besides, as for the paths into a join. */
  int[] together = {};

  /** The state whose descendants are left, when no history target makes that depend on the past. */
  @Nullable Node domain;

  boolean domainKnown;

  /** The answer of a guard that says yes, made once. */
  List<GuardResult> saidYes = List.of();

  Move(int order, Node source, Transition transition, Edge edge, @Nullable Guard guard) {
    this.order = order;
    this.source = source;
    this.transition = transition;
    this.edge = edge;
    this.guard = guard;
  }

  boolean isTargetless() {
    return targets.length == 0;
  }

  boolean matches(String event) {
    for (String descriptor : descriptors) {
      if (Trigger.matches(descriptor, event)) {
        return true;
      }
    }
    return false;
  }
}
