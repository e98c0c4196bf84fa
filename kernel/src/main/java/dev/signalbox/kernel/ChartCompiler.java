package dev.signalbox.kernel;

import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.Field;
import dev.signalbox.kernel.machine.Guard;
import dev.signalbox.kernel.machine.Invariant;
import dev.signalbox.kernel.machine.Invoke;
import dev.signalbox.kernel.machine.Limits;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.Transition;
import dev.signalbox.kernel.machine.Trigger;
import dev.signalbox.kernel.machine.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Builds the tables of a chart, in one pass over the states and one over the transitions. */
final class ChartCompiler {
  private static final long TABLE_CELLS = 1_000_000;

  final Machine machine;
  final List<Node> nodes = new ArrayList<>();
  final Map<String, Integer> indexes = new HashMap<>();
  final List<Node.Slot> slots = new ArrayList<>();
  final List<Move> moves = new ArrayList<>();
  final List<Monitor> monitors = new ArrayList<>();
  final Context.Layout layout;
  Chart.SlotType @Nullable [] types;
  EventTable events = new EventTable(List.of());

  private final ExpressionCompiler expressions;

  ChartCompiler(Machine machine, ExpressionCompiler expressions) {
    this.machine = machine;
    this.expressions = expressions;
    this.layout = new Context.Layout(names(machine));
  }

  Chart compile() {
    addNode(machine.root(), null);
    ActionCompiler code = new ActionCompiler(machine, layout, expressions);
    declareSlots(code);
    for (Node node : nodes) {
      addMoves(node, code);
    }
    for (Invariant invariant : machine.invariants()) {
      Monitor monitor = Monitor.of(invariant, code, layout);
      monitors.add(monitor);
      if (invariant instanceof Invariant.LeadsTo late && late.within() != null) {
        addDeadlineOf(late);
      }
    }
    indexEvents();
    joinPaths();
    return new Chart(this);
  }

  private void addNode(State state, @Nullable Node parent) {
    Node node = new Node(nodes.size(), state, parent);
    if (node.depth > Limits.DEPTH || nodes.size() >= Limits.STATES) {
      throw new IllegalArgumentException(
          "Expected at most %d levels and %d states in machine '%s', but '%s' is beyond that."
              .formatted(Limits.DEPTH, Limits.STATES, machine.name(), state.id()));
    }
    nodes.add(node);
    if (indexes.put(state.id(), node.index) != null) {
      throw new IllegalArgumentException(
          "Expected each state once in machine '%s', but '%s' is there twice."
              .formatted(machine.name(), state.id()));
    }
    for (State child : state.children()) {
      addNode(child, node);
    }
    List<Node> inner = nodes.subList(node.index + 1, nodes.size());
    List<Node> own = inner.stream().filter(n -> n.parent == node).toList();
    node.children = own.stream().filter(n -> !n.isHistory()).toArray(Node[]::new);
    node.histories = own.stream().filter(Node::isHistory).toArray(Node[]::new);
  }

  private void fillDescendants(Node node) {
    node.descendants = Bits.empty(nodes.size());
    for (Node child : node.children) {
      fillDescendants(child);
      Bits.add(node.descendants, child.index);
      Bits.addCommon(node.descendants, child.descendants, child.descendants);
    }
    for (Node history : node.histories) {
      history.descendants = Bits.empty(nodes.size());
    }
  }

  private void declareSlots(ActionCompiler code) {
    fillDescendants(nodes.getFirst());
    boolean strict = machine.mode() == Machine.Mode.STRICT;
    types = strict ? new Chart.SlotType[layout.size()] : null;
    slots.addAll(slots(machine.context(), code));
    for (Node node : nodes) {
      node.late = slots(node.state.data(), code);
    }
  }

  private List<Node.Slot> slots(List<Field> fields, ActionCompiler code) {
    List<Node.Slot> declared = new ArrayList<>();
    for (Field field : fields) {
      int index = layout.index(field.name());
      Operand initial = field.initial();
      declared.add(new Node.Slot(index, initial == null ? null : code.value(initial)));
      if (types != null && !field.type().equals(Type.ANY)) {
        types[index] = new Chart.SlotType(field.name(), field.type());
      }
    }
    return declared;
  }

  private void addMoves(Node node, ActionCompiler code) {
    State state = node.state;
    List<Transition> transitions = forkAsOne(state);
    Map<String, Node.Deadline> deadlines = new LinkedHashMap<>();
    List<Move> own = new ArrayList<>();
    for (Transition transition : transitions) {
      Move move = move(node, transition, code);
      if (transition.trigger() instanceof Trigger.After after) {
        Node.Deadline deadline = deadline(node, after, code);
        deadlines.putIfAbsent(deadline.id(), deadline);
        move.timer = deadline.id();
      }
      own.add(move);
    }
    node.moves = own.toArray(new Move[0]);
    node.eventless =
        own.stream().filter(m -> m.timer == null && m.descriptors.length == 0).toArray(Move[]::new);
    node.deadlines = deadlines.values().toArray(new Node.Deadline[0]);
    node.initial = initial(node, code);
    node.entry = code.blocks(state.entry(), List.of());
    node.exit = code.blocks(state.exit(), List.of());
    node.done = state.done() == null ? null : code.payload(state.done(), List.of());
    node.invokes = invokes(state.invokes(), code);
  }

  private Move move(Node source, Transition transition, ActionCompiler code) {
    Edge edge = new Edge(source.id, transition.trigger().text(), transition.targets());
    Guard guard = transition.guard();
    Move move = new Move(moves.size(), source, transition, edge, guard);
    moves.add(move);
    List<String> heard =
        transition.trigger() instanceof Trigger.On on ? on.descriptors() : List.of();
    move.descriptors = heard.stream().map(Trigger::core).toArray(String[]::new);
    if (guard != null) {
      move.condition = code.condition(guard.condition(), heard);
      move.saidYes = List.of(new GuardResult(edge, guard, GuardResult.Verdict.YES, ""));
    }
    move.actions = code.block(transition.actions(), heard);
    move.targets = transition.targets().stream().map(t -> target(source, t)).toArray(Node[]::new);
    move.domainKnown = Arrays.stream(move.targets).noneMatch(Node::isHistory);
    if (move.domainKnown && !move.isTargetless()) {
      move.domain = domain(move, List.of(move.targets));
    }
    return move;
  }

  private Node target(Node source, String id) {
    Integer index = indexes.get(id);
    if (index == null || index == 0) {
      throw new IllegalArgumentException(
          "Expected the target of a transition from '%s' in machine '%s' to be a state, but found '%s'."
              .formatted(source.id, machine.name(), id));
    }
    return nodes.get(index);
  }

  /** The transition domain of SCXML's algorithm: what is below it is left. */
  static Node domain(Move move, List<Node> targets) {
    Node source = move.source;
    if (move.transition.internal()
        && source.isCompound()
        && targets.stream().allMatch(t -> t.isBelow(source))) {
      return source;
    }
    Node candidate = source.parent == null ? source : source.parent;
    while (candidate.parent != null && (!candidate.isCompound() || !holds(candidate, targets))) {
      candidate = candidate.parent;
    }
    return candidate;
  }

  private static boolean holds(Node node, List<Node> targets) {
    return targets.stream().allMatch(t -> t.isBelow(node));
  }

  private @Nullable Move initial(Node node, ActionCompiler code) {
    Transition declared = node.state.initial();
    if (node.isHistory() || (declared != null && node.isCompound())) {
      if (declared == null) {
        throw new IllegalArgumentException(
            "Expected a default for history '%s' in machine '%s', but there is none."
                .formatted(node.id, machine.name()));
      }
      return move(node, declared, code);
    }
    if (node.isCompound()) {
      return move(node, Transition.to(node.children[0].id), code);
    }
    if (node.parent == null && node.isParallel()) {
      List<String> regions = Arrays.stream(node.children).map(region -> region.id).toList();
      return regions.isEmpty() ? null : move(node, Transition.to(regions), code);
    }
    return null;
  }

  private Node.Deadline deadline(Node node, Trigger.After after, ActionCompiler code) {
    String text = new Trigger.After(after.delay(), null, false).text().substring(6);
    String event = after.event() == null ? "after." + text : after.event();
    String id = "after:" + node.id + ":" + (after.event() == null ? text : after.event());
    return switch (after.delay()) {
      case Operand.Literal(Duration fixed) ->
          new Node.Deadline(id, event, fixed.toMillis(), null, after.cumulative());
      case Operand.Literal(Long millis) ->
          new Node.Deadline(id, event, millis, null, after.cumulative());
      case Operand.Literal literal ->
          throw new IllegalArgumentException(
              "Expected a duration in state '%s' of machine '%s', but found '%s'."
                  .formatted(node.id, machine.name(), literal.value()));
      case Operand.Expr expr ->
          new Node.Deadline(id, event, -1, code.expression(expr, List.of()), after.cumulative());
    };
  }

  private Node.Child[] invokes(List<Invoke> invokes, ActionCompiler code) {
    Node.Child[] children = new Node.Child[invokes.size()];
    for (int i = 0; i < children.length; i++) {
      Invoke invoke = invokes.get(i);
      String idLocation = invoke.idLocation();
      children[i] =
          new Node.Child(
              i,
              invoke,
              idLocation == null ? -1 : layout.index(idLocation),
              code.optional(invoke.type()),
              code.optional(invoke.source()),
              code.optional(invoke.content()),
              code.payload(invoke.input(), List.of()),
              code.block(invoke.finalizer(), List.of()));
    }
    return children;
  }

  /** The unguarded ways out of a fork are one transition with all their targets. */
  private static List<Transition> forkAsOne(State state) {
    if (state.kind() != State.Kind.FORK) {
      return state.transitions();
    }
    List<String> targets =
        state.transitions().stream().flatMap(t -> t.targets().stream()).distinct().toList();
    List<Action> actions = state.transitions().stream().flatMap(t -> t.actions().stream()).toList();
    return targets.isEmpty() ? List.of() : List.of(Transition.to(targets).doing(actions));
  }

  /** A path into a join is open only while the sources of all paths into it are active. */
  private void joinPaths() {
    for (Node node : nodes) {
      if (node.state.kind() == State.Kind.JOIN) {
        List<Move> into =
            moves.stream().filter(m -> Arrays.asList(m.targets).contains(node)).toList();
        int[] sources = into.stream().mapToInt(m -> m.source.index).distinct().toArray();
        into.forEach(m -> m.together = sources);
      }
    }
  }

  private void addDeadlineOf(Invariant.LeadsTo late) {
    String target = late.target();
    if (target == null) {
      throw new IllegalArgumentException(
          "Expected a target for the deadline of invariant '%s' in machine '%s', but there is none."
              .formatted(late.name(), machine.name()));
    }
    Node root = nodes.getFirst();
    Transition transition =
        new Transition(
            new Trigger.After(Operand.literal(late.within()), "late." + late.name(), false),
            null,
            List.of(target),
            false,
            List.of(),
            null);
    Edge edge = new Edge(root.id, "late." + late.name(), List.of(target));
    Move move = new Move(moves.size(), root, transition, edge, null);
    move.targets = new Node[] {target(root, target)};
    move.timer = Monitor.timerId(late.name());
    move.domain = root;
    move.domainKnown = true;
    moves.add(move);
    root.moves = Arrays.copyOf(root.moves, root.moves.length + 1);
    root.moves[root.moves.length - 1] = move;
  }

  private void indexEvents() {
    Set<String> names = new LinkedHashSet<>();
    for (Move move : moves) {
      for (String descriptor : move.descriptors) {
        if (!descriptor.isEmpty()) {
          names.add(descriptor);
        }
      }
    }
    // Beyond this the table would cost more memory than matching costs time.
    boolean small = (long) nodes.size() * names.size() <= TABLE_CELLS;
    List<String> known = small ? List.copyOf(names) : List.of();
    events = new EventTable(known);
    for (Node node : nodes) {
      node.byEvent = new Move[known.size()][];
      for (int id = 0; id < known.size(); id++) {
        String name = known.get(id);
        Move[] row = Arrays.stream(node.moves).filter(m -> m.matches(name)).toArray(Move[]::new);
        node.byEvent[id] = row.length == 0 ? Move.NONE : row;
      }
    }
  }

  /** Every name that a context of the machine can hold, in slot order. */
  private static List<String> names(Machine machine) {
    Set<String> names = new LinkedHashSet<>();
    machine.context().forEach(f -> names.add(f.name()));
    forEachState(machine.root(), s -> s.data().forEach(f -> names.add(f.name())));
    Set<String> locals = new LinkedHashSet<>();
    forEachState(machine.root(), s -> ActionCompiler.collectLocals(s, locals));
    if (machine.mode() == Machine.Mode.STRICT) {
      for (String local : locals) {
        if (names.contains(local)) {
          throw new IllegalArgumentException(
              "Expected a foreach variable of machine '%s' to have a name of its own, but '%s' is a context field."
                  .formatted(machine.name(), local));
        }
      }
    }
    names.addAll(locals);
    return List.copyOf(names);
  }

  private static void forEachState(State state, java.util.function.Consumer<State> action) {
    action.accept(state);
    state.children().forEach(child -> forEachState(child, action));
  }
}
