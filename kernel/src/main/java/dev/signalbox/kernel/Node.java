package dev.signalbox.kernel;

import dev.signalbox.kernel.machine.State;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A state in a chart's tables. Filled by {@link ChartCompiler}, then never changed. */
final class Node {
  final int index;
  final String id;
  final State state;
  final @Nullable Node parent;
  final int depth;

  Node[] children = {};

  /** This node's descendants, without itself and without history states. */
  long[] descendants = {};

  Move[] moves = Move.NONE;
  Move[] eventless = Move.NONE;

  /** For each known event id, the moves that wait for it. */
  Move[][] byEvent = {};

  @Nullable Move initial;
  Instruction[][] entry = {};
  Instruction[][] exit = {};
  Deadline[] deadlines = {};
  Child[] invokes = {};
  List<Slot> late = List.of();
  @Nullable PayloadCode done;
  Node[] histories = {};

  Node(int index, State state, @Nullable Node parent) {
    this.index = index;
    this.id = state.id();
    this.state = state;
    this.parent = parent;
    this.depth = parent == null ? 0 : parent.depth + 1;
  }

  boolean isParallel() {
    return state.kind() == State.Kind.PARALLEL;
  }

  boolean isFinal() {
    return state.kind() == State.Kind.FINAL;
  }

  boolean isHistory() {
    return state.kind().isHistory();
  }

  boolean isDeepHistory() {
    return state.kind() == State.Kind.DEEP_HISTORY;
  }

  boolean isCompound() {
    return !isParallel() && children.length > 0;
  }

  boolean isAtomic() {
    return !isParallel() && children.length == 0 && !isHistory();
  }

  boolean isBelow(Node ancestor) {
    for (Node n = parent; n != null; n = n.parent) {
      if (n == ancestor) {
        return true;
      }
    }
    return false;
  }

  /**
   * A deadline of a state.
   *
   * @param id of its timer
   * @param event the name the timer carries
   * @param fixed milliseconds, or -1 when {@code delay} computes them
   */
  record Deadline(
      String id, String event, long fixed, @Nullable Expression delay, boolean cumulative) {}

  /** A context slot and how it gets its first value; a null code leaves it without one. */
  record Slot(int index, @Nullable ValueCode value) {}

  /** A compiled invoke. */
  record Child(
      int number,
      dev.signalbox.kernel.machine.Invoke invoke,
      int idSlot,
      @Nullable ValueCode type,
      @Nullable ValueCode source,
      @Nullable ValueCode content,
      PayloadCode input,
      Instruction[] finalizer) {}
}
