package dev.signalbox.kernel;

import dev.signalbox.kernel.machine.Invoke;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The algorithm of SCXML 1.0, appendix D, on a chart's tables.
 *
 * <p>The names follow the appendix: {@link #select} is selectTransitions and
 * selectEventlessTransitions, {@link #withoutConflicts} removeConflictingTransitions, {@link
 * #microstep} microstep with exitStates and enterStates, {@link #settle} the inner loop of
 * mainEventLoop. Sets of states are bits in document order, so ascending order is entry order and
 * descending order is exit order.
 */
final class Interpreter {
  private static final int NO_EVENT = -2;
  private static final int UNKNOWN_EVENT = -1;

  private final Chart chart;
  private final Run run;
  private final long[] toInvoke;

  Interpreter(Run run) {
    this.run = run;
    this.chart = run.chart;
    this.toInvoke = Bits.empty(chart.nodes.length);
  }

  /** Enters the initial states. */
  void start() {
    Move initial = chart.root.initial;
    if (initial == null) {
      throw new IllegalStateException("A chart without states cannot start.");
    }
    List<String> entered = enter(List.of(initial));
    Edge edge = new Edge("(start)", "", initial.edge.to());
    run.took(new Microstep(null, List.of(edge), List.of(), entered));
    settle();
  }

  /**
   * Processes an external event.
   *
   * @param timer the id of the timer that fired, or null
   * @return whether any transition was taken
   */
  boolean process(Event event, @Nullable String timer) {
    tellChildren(event);
    List<Move> enabled = select(event, timer);
    if (!enabled.isEmpty()) {
      microstep(event.name(), enabled);
    }
    settle();
    return !enabled.isEmpty();
  }

  /** Leaves every state, with its exit actions, for an end that comes from outside. */
  void cancel() {
    run.running = false;
    exitInterpreter();
  }

  private void tellChildren(Event event) {
    for (ChildChange.Invocation child : run.children()) {
      Node node = chart.nodes[chart.indexOf(child.state())];
      Node.Child code = node.invokes[child.number()];
      if (child.id().equals(event.invokeId())) {
        run.block(code.finalizer());
      }
      if (code.invoke().autoforward()) {
        run.forward(child, event);
      }
    }
    String invokeId = event.invokeId();
    if (invokeId != null && event.name().equals("done.invoke." + invokeId)) {
      run.childEnded(invokeId);
    }
  }

  /** Takes transitions until none is enabled and no internal event waits. */
  private void settle() {
    boolean first = true;
    while (run.running && (first || !run.queue.isEmpty())) {
      first = false;
      macrostep();
      if (run.running) {
        invoke();
      }
    }
    if (!run.running) {
      exitInterpreter();
    }
  }

  private void macrostep() {
    while (run.running) {
      List<Move> enabled = select(null, null);
      String cause = null;
      if (enabled.isEmpty()) {
        Event next = run.queue.poll();
        if (next == null) {
          return;
        }
        run.process(next);
        enabled = select(next, null);
        cause = next.name();
      }
      if (!enabled.isEmpty()) {
        microstep(cause, enabled);
      }
    }
  }

  /** The transitions to take for the event, or without one. */
  private List<Move> select(@Nullable Event event, @Nullable String timer) {
    int id = event == null ? NO_EVENT : chart.events.id(event.name());
    List<Move> enabled = new ArrayList<>(4);
    boolean[] asked = null;
    for (int i = Bits.next(run.active, 0); i >= 0; i = Bits.next(run.active, i + 1)) {
      Node leaf = chart.nodes[i];
      if (!leaf.isAtomic()) {
        continue;
      }
      search:
      for (Node node = leaf; node != null; node = node.parent) {
        for (Move move : candidates(node, id, timer)) {
          if (!isTriggered(move, id, event, timer) || !areTogether(move)) {
            continue;
          }
          if (enabled.contains(move)) {
            break search;
          }
          if (move.condition != null) {
            // A transition of an ancestor is looked at once for each active leaf, but asked once.
            asked = asked == null ? new boolean[chart.moves.length] : asked;
            if (asked[move.order]) {
              continue;
            }
            asked[move.order] = true;
            if (!ask(move)) {
              continue;
            }
          }
          enabled.add(move);
          break search;
        }
      }
    }
    return enabled.size() > 1 ? withoutConflicts(enabled) : enabled;
  }

  private static Move[] candidates(Node node, int id, @Nullable String timer) {
    if (id == NO_EVENT) {
      return node.eventless;
    }
    return id == UNKNOWN_EVENT || timer != null ? node.moves : node.byEvent[id];
  }

  private static boolean isTriggered(
      Move move, int id, @Nullable Event event, @Nullable String timer) {
    if (event == null) {
      return true;
    }
    if (move.timer != null) {
      return move.timer.equals(timer);
    }
    return (id >= 0 && timer == null) || move.matches(event.name());
  }

  private boolean areTogether(Move move) {
    for (int index : move.together) {
      if (!Bits.has(run.active, index)) {
        return false;
      }
    }
    return true;
  }

  private boolean ask(Move move) {
    Expression condition = move.condition;
    if (condition == null || move.guard == null) {
      return true;
    }
    Scope scope = run.scope();
    try {
      if (condition.test(scope)) {
        run.guards.add(move.saidYes.getFirst());
        return true;
      }
      String why = condition.explain(scope);
      run.guards.add(new GuardResult(move.edge, move.guard, GuardResult.Verdict.NO, why));
      return false;
    } catch (EvaluationException e) {
      String why = String.valueOf(e.getMessage());
      run.guards.add(new GuardResult(move.edge, move.guard, GuardResult.Verdict.FAILED, why));
      run.failed(e);
      return false;
    }
  }

  private List<Move> withoutConflicts(List<Move> enabled) {
    List<Move> kept = new ArrayList<>(enabled.size());
    List<long[]> exits = new ArrayList<>(enabled.size());
    for (Move move : enabled) {
      long[] exit = exitSet(move);
      boolean preempted = false;
      for (int i = kept.size() - 1; i >= 0 && !preempted; i--) {
        if (Bits.intersects(exit, exits.get(i))) {
          preempted = !move.source.isBelow(kept.get(i).source);
        }
      }
      if (preempted) {
        continue;
      }
      for (int i = kept.size() - 1; i >= 0; i--) {
        if (Bits.intersects(exit, exits.get(i))) {
          kept.remove(i);
          exits.remove(i);
        }
      }
      kept.add(move);
      exits.add(exit);
    }
    return kept;
  }

  private long[] exitSet(Move move) {
    long[] exit = Bits.empty(chart.nodes.length);
    if (!move.isTargetless()) {
      Bits.addCommon(exit, run.active, new Entry(chart, run.history()).domain(move).descendants);
    }
    return exit;
  }

  private void microstep(@Nullable String cause, List<Move> moves) {
    List<String> exited = exit(moves);
    for (Move move : moves) {
      if (move.actions.length > 0) {
        run.block(move.actions);
      }
    }
    List<String> entered = enter(moves);
    List<Edge> edges =
        moves.size() == 1
            ? List.of(moves.getFirst().edge)
            : moves.stream().map(m -> m.edge).toList();
    run.took(new Microstep(cause, edges, exited, entered));
  }

  private List<String> exit(List<Move> moves) {
    long[] exit = exitSet(moves.getFirst());
    for (int i = 1; i < moves.size(); i++) {
      long[] more = exitSet(moves.get(i));
      Bits.addCommon(exit, more, more);
    }
    int last = chart.nodes.length - 1;
    for (int i = Bits.previous(exit, last); i >= 0; i = Bits.previous(exit, i - 1)) {
      rememberHistory(chart.nodes[i]);
    }
    List<String> exited = new ArrayList<>();
    for (int i = Bits.previous(exit, last); i >= 0; i = Bits.previous(exit, i - 1)) {
      leave(chart.nodes[i]);
      exited.add(chart.nodes[i].id);
    }
    return exited;
  }

  private void rememberHistory(Node node) {
    for (Node history : node.histories) {
      List<String> states = new ArrayList<>();
      for (int i = Bits.next(run.active, 0); i >= 0; i = Bits.next(run.active, i + 1)) {
        Node candidate = chart.nodes[i];
        boolean kept =
            history.isDeepHistory()
                ? candidate.isAtomic() && candidate.isBelow(node)
                : candidate.parent == node;
        if (kept) {
          states.add(candidate.id);
        }
      }
      run.remember(history.id, List.copyOf(states));
    }
  }

  private void leave(Node node) {
    for (Instruction[] block : node.exit) {
      run.block(block);
    }
    if (node.deadlines.length > 0) {
      run.timers.stopDeadlines(node);
    }
    if (node.invokes.length > 0) {
      run.stopChildren(node);
    }
    run.deactivate(node.index);
    Bits.remove(toInvoke, node.index);
  }

  private List<String> enter(List<Move> moves) {
    Entry entry = new Entry(chart, run.history()).of(moves);
    List<String> entered = new ArrayList<>();
    for (int i = Bits.next(entry.states, 0); i >= 0; i = Bits.next(entry.states, i + 1)) {
      enter(chart.nodes[i], entry);
      entered.add(chart.nodes[i].id);
    }
    return entered;
  }

  private void enter(Node node, Entry entry) {
    run.activate(node.index);
    Bits.add(toInvoke, node.index);
    if (!node.late.isEmpty() && run.bindOnce(node)) {
      for (Node.Slot slot : node.late) {
        bind(run, slot);
      }
    }
    if (node.deadlines.length > 0) {
      run.timers.startDeadlines(node);
    }
    for (Instruction[] block : node.entry) {
      run.block(block);
    }
    if (Bits.has(entry.defaults, node.index) && node.initial != null) {
      run.block(node.initial.actions);
    }
    Move historyDefault = entry.historyDefaults.get(node);
    if (historyDefault != null) {
      run.block(historyDefault.actions);
    }
    if (node.isFinal()) {
      reachedFinal(node);
    }
  }

  static void bind(Run run, Node.Slot slot) {
    ValueCode value = slot.value();
    if (value != null) {
      try {
        run.assign(slot.index(), value.value(run));
      } catch (EvaluationException e) {
        run.failed(e);
      }
    }
  }

  private void reachedFinal(Node node) {
    Node parent = node.parent;
    if (parent == null || (parent.parent == null && !parent.isParallel())) {
      run.running = false;
      return;
    }
    if (parent.parent == null) {
      return;
    }
    Object data = node.done == null ? null : node.done.dataOrWhatThereIs(run);
    run.raise(Event.platform("done.state." + parent.id, data));
    Node above = parent.parent;
    if (above.isParallel() && Arrays.stream(above.children).allMatch(this::isInFinalState)) {
      run.raise(Event.platform("done.state." + above.id, null));
      // A root of regions ends with the last of them.
      run.running = above.parent != null;
    }
  }

  private boolean isInFinalState(Node node) {
    if (node.isParallel()) {
      return Arrays.stream(node.children).allMatch(this::isInFinalState);
    }
    return Arrays.stream(node.children).anyMatch(c -> c.isFinal() && Bits.has(run.active, c.index));
  }

  /** Asks for the children of the states that were entered and not left again. */
  private void invoke() {
    for (int i = Bits.next(toInvoke, 0); i >= 0; i = Bits.next(toInvoke, i + 1)) {
      Bits.remove(toInvoke, i);
      for (Node.Child child : chart.nodes[i].invokes) {
        try {
          run.startChild(started(chart.nodes[i], child));
        } catch (EvaluationException e) {
          run.failed(e);
        }
      }
    }
  }

  private ChildChange.Started started(Node node, Node.Child child) {
    Invoke invoke = child.invoke();
    String type = text(child.type());
    if (!Sending.isMachines(type)) {
      throw new EvaluationException("Expected to invoke a machine, but found '" + type + "'.");
    }
    String source = text(child.source());
    ValueCode contentCode = child.content();
    Object content = contentCode == null ? null : run.leaving(contentCode.value(run));
    Map<String, @Nullable Object> input = child.input().map(run);
    String given = invoke.id();
    long number = run.freshNumber();
    String id = given != null ? given : node.id + "." + number;
    // An author's id may be invoked again; the instance of each time is another.
    String instance = run.instance + "/" + id + (given != null ? "~" + number : "");
    if (invoke.idLocation() != null) {
      if (child.idSlot() < 0) {
        throw new EvaluationException(
            "Expected a field for the id of a child, but '%s' is none."
                .formatted(invoke.idLocation()));
      }
      run.assign(child.idSlot(), id);
    }
    return new ChildChange.Started(
        new ChildChange.Invocation(id, node.id, child.number(), instance),
        type,
        source,
        invoke.inline(),
        content,
        input);
  }

  private @Nullable String text(@Nullable ValueCode code) {
    if (code == null) {
      return null;
    }
    if (code.value(run) instanceof String text) {
      return text;
    }
    throw new EvaluationException("Expected the name of a child's machine, but found none.");
  }

  /** Leaves everything behind; the final states stay visible as the instance's last ones. */
  private void exitInterpreter() {
    Object output = null;
    int last = chart.nodes.length - 1;
    for (int i = Bits.previous(run.active, last); i > 0; i = Bits.previous(run.active, i - 1)) {
      Node node = chart.nodes[i];
      for (Instruction[] block : node.exit) {
        run.block(block);
      }
      run.stopChildren(node);
      if (node.isFinal() && node.parent == chart.root && node.done != null) {
        output = node.done.dataOrWhatThereIs(run);
      }
    }
    run.end(output);
  }
}
